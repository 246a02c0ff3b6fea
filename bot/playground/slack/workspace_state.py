"""Everything that one workspace consists of, in one hand. Its parts know nothing of HTTP."""

from collections.abc import Iterable

from bot.playground.slack.app import App
from bot.playground.slack.files import Files
from bot.playground.slack.installations import Installation
from bot.playground.slack.model import Channel, Member, Org
from bot.playground.slack.posting import Checks, Posting, ResponseUrls
from bot.playground.slack.views import Stacks, Triggers
from bot.playground.slack.workspace import Workspace


class ReadMarks:
    """The last message that somebody has read, by person and channel."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._read: dict[tuple[str, str], str] = {}

    def read_ts(self, who: Member, channel: Channel) -> str:
        """Return the timestamp of the last message that they have seen; empty: none."""
        return self._read.get((who.id, channel.id), "")

    def mark(self, who: Member, channel: Channel) -> None:
        """Note that somebody has seen all that is there now."""
        last_ts = channel.messages[-1].ts if channel.messages else ""
        if last_ts > self.read_ts(who, channel):
            self._read[who.id, channel.id] = last_ts
            self._workspace.change_event.notify()

    def unread(self, who: Member, channel: Channel) -> int:
        """Count what others said there since, outside of threads."""
        read_ts = self.read_ts(who, channel)
        return sum(
            1
            for message in channel.messages
            if message.ts > read_ts and message.is_for(who.id) and not message.thread_ts
            if who.id not in (message.user, message.typed_by)
        )


class WorkspaceState:
    """A workspace and what may be done in it. `org` is its organisation; None: outside of any."""

    def __init__(self, app: App, workspace: Workspace, org: Org | None = None) -> None:
        self.app = app
        self.workspace = workspace
        self.org = org
        self.checks = Checks()
        self.triggers = Triggers(workspace.clock, app.settings.answers_within_s)
        self.posting = Posting(self.workspace, self.checks)
        self.posting.on_change = lambda *change: app.on_message(self, *change)
        self.stacks = Stacks(self.workspace, self.checks, self.triggers)
        self.response_urls = ResponseUrls(self.workspace, self.posting)
        self.files = Files(self.workspace, self.posting)
        self.read_marks = ReadMarks(self.workspace)
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
