"""The workspace as plain data: people, channels, messages, views. It decides nothing."""

import copy
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.playground.slack import elements, reading
from bot.playground.slack.bell import Bell

Json = dict[str, Any]


@dataclass
class Member:
    """One person, or the bot's own user."""

    id: str
    name: str
    team_id: str
    real_name: str = ""
    tz: str = "Europe/Berlin"
    is_admin: bool = False
    is_owner: bool = False
    is_restricted: bool = False  # a guest
    is_stranger: bool = False  # of another workspace
    is_bot: bool = False
    deleted: bool = False


@dataclass
class Message:
    """One message. `content` is what the bot sent, with the ids that Slack adds to blocks."""

    ts: str
    channel_id: str
    user: str
    content: Json
    seen_by: str | None = None  # an ephemeral's only reader; None: everybody in the channel
    command: str | None = None  # what was typed, where Slack shows it above the reply
    is_reply: bool = False  # came through a response_url, which alone can change it
    typed: dict[tuple[str, str], Json] = field(default_factory=dict)
    revision: int = 0

    @property
    def text(self) -> str:
        """The top-level text: what notifications and screen readers get."""
        return str(self.content.get("text") or self.content.get("markdown_text") or "")

    @property
    def blocks(self) -> list[Json]:
        """The blocks, each with its `block_id`; empty for a plain message."""
        return self.content.get("blocks") or []

    @property
    def is_ephemeral(self) -> bool:
        """Only one person sees it, until they reload."""
        return self.seen_by is not None

    @property
    def thread_ts(self) -> str | None:
        """The message that it answers in a thread, or None."""
        return self.content.get("thread_ts")

    @property
    def everything(self) -> str:
        """All visible text as one string; links by label, entities decoded."""
        return reading.everything(self.text, self.blocks)

    @property
    def buttons(self) -> list[str]:
        """The labels of all buttons, in order."""
        return reading.buttons(self.blocks)

    @property
    def mentions(self) -> list[str]:
        """What it would ping, as `<!channel>` or `<@U1>`; empty where it pings nobody."""
        return reading.mentions(self.content)

    def snapshot(self) -> "Message":
        """Return a copy that later changes do not touch."""
        return copy.deepcopy(self)


@dataclass
class Channel:
    """A channel or a direct message with what was said in it."""

    id: str
    name: str
    members: set[str] = field(default_factory=set)
    is_private: bool = False
    is_im: bool = False
    is_archived: bool = False
    is_shared: bool = False  # Slack Connect
    messages: list[Message] = field(default_factory=list)

    def message(self, ts: str) -> Message | None:
        """Return the message with that timestamp, ephemerals too; None if it is gone."""
        return next((message for message in self.messages if message.ts == ts), None)


@dataclass
class View:
    """A modal (on somebody's stack) or a Home tab."""

    id: str
    member_id: str
    payload: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    channel_id: str | None = None  # where the person was when it opened
    typed: dict[tuple[str, str], Json] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)  # by label, after a refused submit
    revision: int = 0

    @property
    def title(self) -> str:
        """The words at the top; empty for a Home tab."""
        title = self.payload.get("title")
        return str(title.get("text", "")) if title else ""

    @property
    def blocks(self) -> list[Json]:
        """The blocks, each with its `block_id`."""
        return self.payload.get("blocks") or []

    @property
    def everything(self) -> str:
        """All visible text as one string, title and buttons of the frame included."""
        title, submit, close = (self.payload.get(key) for key in ("title", "submit", "close"))
        frame = [title, *self.blocks, submit, close]
        return reading.everything("", [part for part in frame if part])

    @property
    def buttons(self) -> list[str]:
        """The labels of all buttons inside it, in order."""
        return reading.buttons(self.blocks)

    @property
    def state(self) -> Json:
        """What is filled in, as Slack sends it: by `block_id`, then `action_id`."""
        return elements.state_values(self.blocks, self.typed, self.channel_id)

    @property
    def values(self) -> dict[str, Any]:
        """What is filled in, as a person reads it: by the field's label; None: nothing."""
        return elements.shown_values(self.blocks, self.typed, self.channel_id)

    def snapshot(self) -> "View":
        """Return a copy that later changes do not touch."""
        return copy.deepcopy(self)


class Workspace:
    """All data of one workspace, with its clock and its ids. `bell` rings after each change."""

    def __init__(self, clock: Callable[[], float], team_id: str, domain: str) -> None:
        self.clock = clock
        self.team_id = team_id
        self.domain = domain
        self.app_id = "A0PLAYGROUND"
        self.bot_id = "B0PLAYGROUND"
        self.bot_user_id = ""
        self.members: dict[str, Member] = {}
        self.channels: dict[str, Channel] = {}
        self.bell = Bell()
        self._numbers = itertools.count(1)
        self._last_ts_us = 0

    def new_id(self, kind: str) -> str:
        """Return an id that nothing else has, led by the kind's letter."""
        return f"{kind}{next(self._numbers):010}"

    def new_ts(self) -> str:
        """Return the timestamp of now, later than every one before."""
        self._last_ts_us = max(int(self.clock() * 1_000_000), self._last_ts_us + 1)
        return f"{self._last_ts_us // 1_000_000}.{self._last_ts_us % 1_000_000:06}"

    def add_member(self, name: str, **traits: Any) -> Member:
        """Add a person and return them."""
        traits.setdefault("team_id", self.team_id)
        member = Member(id=self.new_id("U"), name=name, real_name=name.title(), **traits)
        self.members[member.id] = member
        return member

    def add_channel(self, name: str, names: Iterable[str], **traits: Any) -> Channel:
        """Add a channel with the members of these names and return it."""
        wanted = set(names)
        ids = {member.id for member in self.members.values() if member.name in wanted}
        kind = "D" if traits.get("is_im") else "C"
        channel = Channel(id=self.new_id(kind), name=name, members=ids, **traits)
        self.channels[channel.id] = channel
        return channel

    def member_named(self, name: str) -> Member:
        """Return the person of that name. Raises: KeyError."""
        for member in self.members.values():
            if member.name == name:
                return member
        raise KeyError(f"nobody is called {name}: {[m.name for m in self.members.values()]}")

    def channel_named(self, name: str) -> Channel | None:
        """Return the channel of that name (a leading # is dropped), or None."""
        name = name.removeprefix("#")
        return next((c for c in self.channels.values() if not c.is_im and c.name == name), None)

    def direct_message(self, member: Member) -> Channel:
        """Return the direct message between that person and the bot; it always exists."""
        for channel in self.channels.values():
            if channel.is_im and member.id in channel.members:
                return channel
        bot = self.members[self.bot_user_id]
        return self.add_channel("directmessage", [member.name, bot.name], is_im=True)
