"""What a workspace holds: people, channels, messages, views, its clock and its ids."""

import copy
import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.playground.slack import block_contents
from bot.playground.slack.block_contents import Json
from bot.playground.slack.change_event import ChangeEvent

PEOPLE_ZONE = "Europe/Berlin"  # where everybody lives
SLACKBOT_ID = "USLACKBOT"  # speaks for Slack itself, to one person at a time


@dataclass
class Member:
    """One person, or the bot's own user."""

    id: str
    name: str
    team_id: str
    real_name: str = ""
    tz: str = PEOPLE_ZONE
    is_admin: bool = False
    is_owner: bool = False
    is_restricted: bool = False  # a guest
    is_stranger: bool = False  # of another workspace
    is_bot: bool = False
    deleted: bool = False


@dataclass
class Message:
    """One message. `content` is what was sent, with the ids that Slack adds to blocks."""

    ts: str
    channel_id: str
    user: str
    content: Json
    seen_by: str | None = None  # an ephemeral's only reader; None: everybody in the channel
    command: str | None = None  # what was typed, where Slack shows it above the reply
    typed_by: str | None = None  # and who typed it
    edited_ts: str | None = None  # when its author changed it last: Slack says "(edited)"
    client_msg_id: str | None = None  # of a person's message
    bot_id: str | None = None  # of a bot's message
    is_reply: bool = False  # came through a response_url, which alone can change it
    files: list[Json] = field(default_factory=list)  # as file objects of Slack
    typed: dict[tuple[str, str], Json] = field(default_factory=dict)
    revision: int = 0

    @property
    def text(self) -> str:
        """The top-level text: what notifications and screen readers get."""
        return str(self.content.get("text") or "")

    @property
    def blocks(self) -> list[Json]:
        """The blocks, each with its `block_id`; empty for a plain message."""
        return self.content.get("blocks") or []

    @property
    def is_edited(self) -> bool:
        return self.edited_ts is not None

    @property
    def is_ephemeral(self) -> bool:
        return self.seen_by is not None

    @property
    def thread_ts(self) -> str | None:
        """The message that it answers in a thread, or None."""
        return self.content.get("thread_ts")

    @property
    def everything(self) -> str:
        """All visible text as one string; links by label, entities decoded."""
        shown = block_contents.everything(self.text, self.blocks)
        return "\n".join(filter(None, [shown, *(str(file["title"]) for file in self.files)]))

    @property
    def buttons(self) -> list[str]:
        return block_contents.buttons(self.blocks)

    @property
    def mentions(self) -> list[str]:
        """What it would ping, as `<!channel>` or `<@U1>`; empty if it pings no one."""
        return block_contents.mentions(self.content)

    def is_for(self, member_id: str) -> bool:
        """Tell whether somebody in the channel sees it."""
        return self.seen_by in (None, member_id)

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
    restricted: str | None = None  # how posts of the app are refused there; None: they are not
    messages: list[Message] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """What menus call it: public, private or im."""
        return "im" if self.is_im else "private" if self.is_private else "public"

    def message(self, ts: str) -> Message | None:
        """Return the message with that timestamp, ephemerals too; None if it is gone."""
        return next((message for message in self.messages if message.ts == ts), None)


@dataclass(frozen=True)
class UserGroup:
    """Several people who can be mentioned at once, as `<!subteam^S1>`."""

    id: str
    handle: str  # without @
    name: str
    members: tuple[str, ...]


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
    block_errors: dict[str, str] = field(
        default_factory=dict
    )  # of a refused submit, by `block_id`
    revision: int = 0

    @property
    def title(self) -> str:
        title = self.payload.get("title")
        return str(title.get("text", "")) if title else ""

    @property
    def blocks(self) -> list[Json]:
        return self.payload.get("blocks") or []

    @property
    def everything(self) -> str:
        """All visible text as one string, title and buttons of the frame included."""
        title, submit, close = (self.payload.get(key) for key in ("title", "submit", "close"))
        frame = [title, *self.blocks, submit, close]
        return block_contents.everything("", [part for part in frame if part])

    @property
    def buttons(self) -> list[str]:
        return block_contents.buttons(self.blocks)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its fields, by `block_id`."""
        inputs = [block for block in self.blocks if block.get("type") == "input"]
        return {block["block_id"]: str(block["label"]["text"]) for block in inputs}

    @property
    def errors(self) -> dict[str, str]:
        """What was wrong in the last submit, by the field's label."""
        labels = self.labels
        return {labels[block_id]: words for block_id, words in self.block_errors.items()}

    @property
    def state(self) -> Json:
        """What is filled in, as Slack sends it: by `block_id`, then `action_id`."""
        return block_contents.state_values(self.blocks, self.typed)

    @property
    def values(self) -> dict[str, Any]:
        """What is filled in, as a person reads it: by the field's label; None: nothing."""
        return block_contents.shown_values(self.blocks, self.typed)

    def snapshot(self) -> "View":
        """Return a copy that later changes do not touch."""
        return copy.deepcopy(self)


@dataclass(frozen=True)
class OrgPerson:
    """Somebody of an organisation. Admins and owners of workspaces need not be any of it."""

    id: str
    name: str
    is_admin: bool = False
    is_owner: bool = False


@dataclass
class Org:
    """An organisation. One Home tab for each person in `homes`, if all of it has the app."""

    id: str
    name: str
    domain: str
    people: dict[str, OrgPerson] = field(default_factory=dict)
    teams: list[str] = field(default_factory=list)
    homes: dict[str, View] = field(default_factory=dict)

    def enterprise_user(self, member_id: str, teams: list[str]) -> dict[str, Any] | None:
        """Return what `users.info` says of somebody's place in it; None: they are not of it.

        https://docs.slack.dev/reference/objects/user-object
        """
        person = self.people.get(member_id)
        if person is None:
            return None
        return {
            "id": person.id,
            "enterprise_id": self.id,
            "enterprise_name": self.name,
            "is_admin": person.is_admin,
            "is_owner": person.is_owner,
            "is_primary_owner": person.is_owner,
            "teams": teams,
        }


class Workspace:
    """Everybody and everything in one workspace; ids count from `first_number`."""

    def __init__(
        self,
        clock: Callable[[], float],
        team_id: str,
        name: str,
        change_event: ChangeEvent | None = None,
        first_number: int = 1,
    ) -> None:
        self.clock = clock
        self.team_id = team_id
        self.name = name
        self.domain = domain_of(name)
        self.app_id = "A0PLAYGROUND"
        self.bot_id = "B0PLAYGROUND"
        self.bot_user_id = ""
        self.members: dict[str, Member] = {}
        self.channels: dict[str, Channel] = {}
        self.user_groups: dict[str, UserGroup] = {}
        self.change_event = change_event or ChangeEvent()
        self._numbers = itertools.count(first_number)
        self._last_ts_us = 0

    def new_id(self, kind: str) -> str:
        """Return an id that nothing else has, led by the kind's letter."""
        return f"{kind}{next(self._numbers):010}"

    def new_ts(self) -> str:
        """Return the timestamp of now, later than every one before."""
        self._last_ts_us = max(int(self.clock() * 1_000_000), self._last_ts_us + 1)
        return f"{self._last_ts_us // 1_000_000}.{self._last_ts_us % 1_000_000:06}"

    def add_member(self, name: str, **traits: Any) -> Member:
        traits.setdefault("team_id", self.team_id)
        if "id" not in traits:
            traits["id"] = self.new_id("U")
        member = Member(name=name, real_name=name.title(), **traits)
        self.members[member.id] = member
        return member

    def add_channel(self, name: str, names: Iterable[str], **traits: Any) -> Channel:
        wanted = set(names)
        ids = {member.id for member in self.members.values() if member.name in wanted}
        kind = "D" if traits.get("is_im") else "C"
        channel = Channel(id=self.new_id(kind), name=name, members=ids, **traits)
        self.channels[channel.id] = channel
        return channel

    def add_user_group(self, handle: str, names: Iterable[str]) -> UserGroup:
        ids = tuple(self.member_named(name).id for name in names)
        title = handle.replace("-", " ").capitalize()
        group = UserGroup(self.new_id("S"), handle, title, ids)
        self.user_groups[group.id] = group
        return group

    def member_named(self, name: str) -> Member:
        """Return the person of that name. Raises: KeyError."""
        for member in self.members.values():
            if member.name == name:
                return member
        raise KeyError(f"no one is called {name}: {[m.name for m in self.members.values()]}")

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


def domain_of(name: str) -> str:
    """Return the part of an address that a workspace or organisation of that name gets."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
