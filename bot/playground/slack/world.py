"""Everything that one workspace consists of, in one hand. Its parts know nothing of HTTP."""

from collections.abc import Iterable
from typing import Any

from bot.playground.slack.app import App, Call
from bot.playground.slack.checks import Checks
from bot.playground.slack.faults import Faults
from bot.playground.slack.installations import Installation
from bot.playground.slack.orgs import Org
from bot.playground.slack.posting import Posting
from bot.playground.slack.response_urls import ResponseUrls
from bot.playground.slack.stacks import Stacks
from bot.playground.slack.triggers import Triggers
from bot.playground.slack.unread import ReadMarks
from bot.playground.slack.workspace import Workspace

Json = dict[str, Any]


class World:
    """A workspace and what may be done in it. `org` is its organisation; None: outside of any."""

    def __init__(self, app: App, workspace: Workspace, org: Org | None = None) -> None:
        self.app = app
        self.workspace = workspace
        self.org = org
        self.checks = Checks()
        self.triggers = Triggers(workspace.clock, app.settings.answers_within_s)
        self.posting = Posting(self.workspace, self.checks)
        self.stacks = Stacks(self.workspace, self.checks, self.triggers)
        self.response_urls = ResponseUrls(self.workspace, self.posting)
        self.read_marks = ReadMarks(self.workspace)
        self.should_escape = True
        self.links_bare_domains = False
        self.strangers_may_type = False

    @property
    def enterprise_id(self) -> str | None:
        """The organisation's id; None outside of any."""
        return self.org.id if self.org else None

    @property
    def installation(self) -> Installation | None:
        """The installation of the app that acts here, or None."""
        team_id = self.workspace.team_id
        return self.app.installations.acting_in(team_id, self.enterprise_id)

    @property
    def is_org_wide(self) -> bool:
        """Whether the app is here because the whole organisation installed it."""
        return self.installation is not None and self.installation.is_org_wide

    @property
    def bot_token(self) -> str:
        """The newest token that acts here, or did last; empty if the app never was here."""
        installed = self.installation
        home_id = installed.home_id if installed else self.workspace.team_id
        return self.app.tokens.newest(home_id)

    @property
    def scopes(self) -> tuple[str, ...]:
        """What the app may do here; nothing where it is not installed."""
        return self.installation.scopes if self.installation else ()

    @scopes.setter
    def scopes(self, scopes: Iterable[str]) -> None:
        if self.installation is None:
            raise LookupError("the app is not installed here")
        self.installation.scopes = tuple(scopes)

    @property
    def commands(self) -> tuple[str, ...]:
        """The app's slash commands."""
        return self.app.settings.commands

    @property
    def events(self) -> tuple[str, ...]:
        """The types of events that the app is subscribed to."""
        return self.app.settings.events

    @events.setter
    def events(self, events: Iterable[str]) -> None:
        self.app.settings.events = tuple(events)

    @property
    def app_token(self) -> str:
        """The app's own token, for Socket Mode."""
        return self.app.app_token

    @property
    def signing_secret(self) -> str:
        """The secret that proves requests over HTTP."""
        return self.app.signing_secret

    @property
    def verification_token(self) -> str:
        """What Slack's payloads carried before they were signed."""
        return self.app.verification_token

    @property
    def faults(self) -> Faults:
        """The faults to order, for all workspaces."""
        return self.app.faults

    @property
    def calls(self) -> list[Call]:
        """What the app called, in all workspaces."""
        return self.app.calls

    def remember(self, call: Call) -> None:
        """See `App.remember`."""
        self.app.remember(call)
