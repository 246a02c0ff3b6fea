"""Everything that the local Slack consists of, in one hand. Its parts know nothing of HTTP."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.playground.slack.checks import Checks
from bot.playground.slack.faults import Faults
from bot.playground.slack.log import note
from bot.playground.slack.posting import Posting
from bot.playground.slack.response_urls import ResponseUrls
from bot.playground.slack.stacks import Stacks
from bot.playground.slack.triggers import Triggers
from bot.playground.slack.unread import ReadMarks
from bot.playground.slack.workspace import Workspace

Json = dict[str, Any]


@dataclass
class Call:
    """One call of the Web API, or one use of a response_url (`method="response_url"`).

    `number` counts them from 1, in the order in which they came.
    """

    method: str
    arguments: Json
    at: float
    url: str
    token: str | None = None
    status: int = 0
    answer: Json = field(default_factory=dict)
    number: int = 0


class World:
    """The workspace, what may be done in it, and the app's credentials."""

    def __init__(
        self,
        clock: Callable[[], float],
        commands: Iterable[str],
        scopes: Iterable[str],
        events: Iterable[str] = (),
    ) -> None:
        self.workspace = Workspace(clock, team_id="T0PLAYGROUND", domain="playground")
        self.commands = tuple(commands)
        self.scopes = tuple(scopes)
        self.events = tuple(events)  # what the app is subscribed to
        self.bot_token = f"xoxb-{secrets.token_hex(20)}"
        self.app_token = f"xapp-1-{secrets.token_hex(20)}"
        self.signing_secret = secrets.token_hex(16)
        self.verification_token = secrets.token_hex(12)  # deprecated, and still sent by Slack
        self.checks = Checks()
        self.faults = Faults()
        self.triggers = Triggers(clock)
        self.posting = Posting(self.workspace, self.checks)
        self.stacks = Stacks(self.workspace, self.checks, self.triggers)
        self.response_urls = ResponseUrls(self.workspace, self.posting)
        self.read_marks = ReadMarks(self.workspace)
        self.calls: list[Call] = []
        self._call_count = 0
        self.token_refusal: str | None = None  # why the bot's token is taken no more
        self.should_escape = True
        self.links_bare_domains = False
        self.strangers_may_type = False

    def remember(self, call: Call) -> None:
        """Number a call and add it to the log."""
        self._call_count += 1
        call.number = self._call_count
        note(self.calls, call)
