"""A workspace: all its data, its clock and its ids. It decides nothing."""

import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any

from bot.playground.slack.changes import ChangeEvent
from bot.playground.slack.model import Channel, Member, UserGroup


class Workspace:
    """Everybody and everything in one workspace. `change_event` tells of each change.

    Ids count from `first_number`: two workspaces that start alike have the same ids.
    """

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
        """Add a person and return them."""
        traits.setdefault("team_id", self.team_id)
        if "id" not in traits:
            traits["id"] = self.new_id("U")
        member = Member(name=name, real_name=name.title(), **traits)
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

    def add_user_group(self, handle: str, names: Iterable[str]) -> UserGroup:
        """Add a user group with the members of these names and return it."""
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


def domain_of(name: str) -> str:
    """Return the part of an address that a workspace or organisation of that name gets."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
