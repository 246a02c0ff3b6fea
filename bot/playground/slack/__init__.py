from bot.playground.slack.delivery import Delivery
from bot.playground.slack.failures import CommandFailed, FormError, NothingToPress
from bot.playground.slack.local import LocalSlack
from bot.playground.slack.model import Message, View
from bot.playground.slack.people import Person
from bot.playground.slack.server import running_slack
from bot.playground.slack.world import Call

__all__ = [
    "Call",
    "CommandFailed",
    "Delivery",
    "FormError",
    "LocalSlack",
    "Message",
    "NothingToPress",
    "Person",
    "View",
    "running_slack",
]
