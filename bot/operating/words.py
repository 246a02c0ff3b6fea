"""What single words of the file mean. Pure.

Each function takes what stands there and returns what it means; its ValueError says what is wrong
with it.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, time
from enum import Enum
from typing import TypeVar

from bot.digests.digest import WORST_COUNTS, Mode, Trouble
from bot.operating.document import ADMINS, DAYS, MEMBERS, VERSION
from bot.operating.printing import shown
from bot.portfolio.query import parse_query
from bot.redaction import holds_secret
from bot.views.digests.draft import MAX_FILTER_CHARS, MAX_LIFE, is_zone, time_of
from bot.views.digests.mentions import is_label
from bot.words import NotUnderstoodError, split_words

E = TypeVar("E", bound=Enum)

MAX_NAME_CHARS = 200
MAX_DIGITS = 4
# A post has neither an order of its own nor pages.
SENSELESS = {"sort", "page"}


def version_in(text: str) -> int:
    """Return the version of the file."""
    if text != f"{VERSION}":
        raise ValueError(
            f"this is version {shown(text, 20)} of the file; this bot reads {VERSION}"
        )
    return VERSION


def editors_in(text: str) -> bool:
    """Return whether only admins may make and change digests."""
    if text not in (ADMINS, MEMBERS):
        raise ValueError(f"must be {MEMBERS} or {ADMINS}, not {_named(text)}")
    return text == ADMINS


def id_in(pattern: str, like: str) -> Callable[[str], str]:
    """Return what takes an id of that pattern; `like` is an example of one."""
    known = re.compile(pattern)

    def take(text: str) -> str:
        if not known.fullmatch(text):
            raise ValueError(f"{_named(text)} is no id like {like}")
        return text

    return take


team_in = id_in(r"[TE][A-Z0-9]{1,29}", "T0123ABCD")
organisation_in = id_in(r"E[A-Z0-9]{1,29}", "E0123ABCD")
channel_in = id_in(r"[CG][A-Z0-9]{1,29}", "C0123ABCD")
person_in = id_in(r"[UW][A-Z0-9]{1,29}", "U0123ABCD")
group_in = id_in(r"S[A-Z0-9]{1,29}", "S0123ABCD")
mentioned_in = id_in(r"[UWS][A-Z0-9]{1,29}", "U0123ABCD or S0123ABCD")
digest_id_in = id_in(r"[A-Za-z0-9_-]{1,40}", "3f9c0a1b2d4e")


def day_in(text: str) -> int:
    """Return a weekday, 0 for Monday."""
    if text not in DAYS:
        raise ValueError(f"{_named(text)} is no day; write {', '.join(DAYS)}")
    return DAYS.index(text)


def time_in(text: str) -> time:
    """Return a time of day."""
    at = time_of(text)
    if at is None:
        raise ValueError(f'{_named(text)} is no time; write it like "09:00"')
    return at


def zone_in(text: str) -> str:
    """Return the name of a time zone."""
    if not is_zone(text):
        raise ValueError(f"there is no time zone {_named(text)}; write one like Europe/Berlin")
    return text


def filter_in(text: str) -> str:
    """Return a filter of `/domains` that a post can have."""
    text = text.strip()
    if len(text) > MAX_FILTER_CHARS:
        raise ValueError(f"a filter has at most {MAX_FILTER_CHARS} characters")
    if holds_secret(text):
        raise ValueError("there is a key or a token in it; never put one here")
    if senseless := [word.typed for word in split_words(text) if word.key in SENSELESS]:
        raise ValueError(f"a post has neither order nor pages: leave out {_named(senseless[0])}")
    try:
        parse_query(text)
    except NotUnderstoodError as error:
        parts = "; ".join(f"{_named(each.part)} {each.why}" for each in error.problems)
        raise ValueError(f"a filter that is not understood: {parts}") from None
    return text


def mode_in(text: str) -> Mode:
    """Return when to post."""
    return _member(Mode, text)


def trouble_in(text: str) -> Trouble:
    """Return why the bot has paused a digest."""
    return _member(Trouble, text)


def life_in(text: str) -> int:
    """Return after how many silent runs a sign of life comes."""
    return _number(text, range(1, MAX_LIFE + 1))


def worst_in(text: str) -> int:
    """Return how many of the worst domains are shown."""
    return _number(text, WORST_COUNTS)


def label_in(text: str) -> str:
    """Return the tag or folder of a rule of mention."""
    if not is_label(text):
        raise ValueError(f'{_named(text)} is no tag or folder; write it like "tag:prod"')
    return text


def name_in(text: str) -> str:
    """Return what a person is called."""
    if len(text) > MAX_NAME_CHARS or holds_secret(text):
        raise ValueError(f"must be a name of at most {MAX_NAME_CHARS} characters")
    return text


def moment_in(text: str) -> datetime:
    """Return a moment in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f'{_named(text)} is no moment; write it like "2026-11-20T09:00:00+00:00"')


def _member(kind: type[E], text: str) -> E:
    try:
        return kind(text)
    except ValueError:
        known = ", ".join(str(each.value) for each in kind)
        raise ValueError(f"{_named(text)} is not one of {known}") from None


def _number(text: str, allowed: range) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    if not is_number or int(text) not in allowed:
        raise ValueError(f"must be a whole number from {allowed[0]} to {allowed[-1]}")
    return int(text)


def _named(text: str) -> str:
    return f'"{shown(text, 60)}"'
