from bot.playground.slack.app import Call
from bot.playground.slack.browser import Browser, InstallRefused, Page
from bot.playground.slack.delivery import Delivery
from bot.playground.slack.local import LocalOrg, LocalSlack
from bot.playground.slack.model import Message, View
from bot.playground.slack.person import Person
from bot.playground.slack.refusals import CommandFailed, FormError, NothingToPress
from bot.playground.slack.web_api import running_slack

__all__ = [
    "Browser",
    "Call",
    "CommandFailed",
    "Delivery",
    "FormError",
    "InstallRefused",
    "LocalOrg",
    "LocalSlack",
    "Message",
    "NothingToPress",
    "Page",
    "Person",
    "View",
    "running_slack",
]
