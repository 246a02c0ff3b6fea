"""What stands on somebody's Home tab. Plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bot.admin.audit import Entry
from bot.digests.digest import Digest
from bot.errors import BotError
from bot.message import Message
from bot.portfolio.snapshot import Snapshot


class Reader(Enum):
    """Who reads it, as far as that decides what they may see."""

    MEMBER = "member"
    GUEST = "guest"  # of the workspace: the commands about domains are for them too
    STRANGER = "stranger"  # somebody of another workspace, met in a shared channel


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What only those see who may set up the bot: admins, owners and their managers.

    `key` is what `/domainkey` would show them, buttons included. `digests` are all of the
    workspace, of which `page` is shown (from 0); `history` holds the latest acts.
    """

    key: Message
    digests: Sequence[Digest]
    page: int = 0
    history: Sequence[Entry] = ()
    zone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """What there is to show at `now`.

    `portfolio`: the domains, or why there are none to show; `last` is then what was listed last,
    if anything. `is_awaited`: newer ones are on their way; `portfolio` holds those before.
    `set_up`: likewise; `None` for all others, who read whom to ask: besides admins and owners
    `managers`, ids of people and user groups. `doubt`: why nobody knows whether the reader is
    one of them.
    """

    now: datetime
    reader: Reader = Reader.MEMBER
    portfolio: Snapshot | Message | None = None
    last: Snapshot | None = None
    is_awaited: bool = False
    is_connected: bool = True
    set_up: SetUp | Message | None = None
    managers: Sequence[str] = ()
    doubt: BotError | None = None
