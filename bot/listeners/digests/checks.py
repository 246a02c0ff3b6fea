"""What each field of a digest's form may hold. Pure.

Each function takes a field and returns what it means; a ValueError says what is wrong with it,
in a sentence for whoever filled it in.
"""

import re
from collections.abc import Iterator
from datetime import time

from bot.digests.digest import WORST_COUNTS, Mode
from bot.listeners.digests.fields import Field
from bot.portfolio.query import parse_query
from bot.redaction import holds_secret
from bot.views.digests.draft import (
    MAX_FILTER_CHARS,
    is_zone,
    life_of,
    time_of,
    worst_of,
)
from bot.views.text import outside
from bot.words import NotUnderstoodError, split_words

MAX_PARTS_NAMED = 3
# One cannot turn the page of a post; and it has an order of its own.
_SENSELESS = {"sort", "page"}
# As `split_words` takes them: Slack's clients write curly ones.
_QUOTES = '"“”„‟«»'
_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
_GROUP = re.compile(r"S[A-Z0-9]+")
DAYS = {f"{day}": day for day in range(7)}


def channel_in(place: Field) -> str:
    """Return the id of a channel; a direct message is none."""
    channel_id = place.conversation_id or ""
    if not _CHANNEL.fullmatch(channel_id):
        raise ValueError("Please choose a channel.")
    return channel_id


def days_in(place: Field) -> frozenset[int]:
    """Return at least one weekday, from 0 for Monday."""
    chosen = place.options
    if not chosen or not all(day in DAYS for day in chosen):
        raise ValueError("Please choose at least one day.")
    return frozenset(DAYS[day or ""] for day in chosen)


def time_in(place: Field) -> time:
    """Return a time of day."""
    at = time_of(place.picked("selected_time") or "")
    if at is None:
        raise ValueError("Please choose a time, such as 09:00.")
    return at


def zone_in(place: Field) -> str:
    """Return the IANA name of a time zone."""
    zone = place.value or ""
    if not is_zone(zone):
        raise ValueError("I do not know this time zone. Please pick one from the list.")
    return zone


def filter_in(place: Field) -> str:
    """Return a filter of `/domains` as it was typed, empty for all domains."""
    typed = place.state.get("value")
    if typed is not None and not isinstance(typed, str):
        raise ValueError("Please type the filter again.")
    typed = (typed or "").strip()
    if len(typed) > MAX_FILTER_CHARS:
        raise ValueError(f"A filter has at most {MAX_FILTER_CHARS} characters.")
    if holds_secret(typed):
        raise ValueError("There is a key or a token in it. Never put one here.")
    if problems := [*_not_understood(typed), *_unclosed(typed)]:
        raise ValueError(" ".join(problems))
    return typed


def _not_understood(typed: str) -> Iterator[str]:
    """Yield sentences about the parts that mean nothing, and about those that do so in a post."""
    senseless = [word.typed for word in split_words(typed) if word.key in _SENSELESS]
    try:
        parse_query(typed)
    except NotUnderstoodError as error:
        problems = [
            f"{_named([each.part])}: {each.why}"
            for each in error.problems
            if each.part not in senseless
        ]
        if problems:
            yield f"I did not understand {_joined(problems, '; ')}."
    if senseless:
        yield f"Leave out {_named(senseless)}: a post has neither an order nor pages."


def _unclosed(typed: str) -> Iterator[str]:
    if sum(typed.count(mark) for mark in _QUOTES) % 2:
        yield 'A quotation mark (") is opened and not closed.'


def mode_in(place: Field) -> Mode:
    """Return when to post."""
    try:
        return Mode(place.value)
    except ValueError:
        raise ValueError("Please choose when to post.") from None


def life_in(place: Field) -> int | None:
    """Return after how many silent runs a sign of life comes, `None` for never."""
    try:
        return life_of(place.value or "")
    except ValueError:
        raise ValueError("Please choose how many silent runs, or Never.") from None


def worst_in(place: Field) -> int:
    """Return how many of the worst domains are shown."""
    count = worst_of((place.text or "").strip())
    if count is None:
        raise ValueError(f"Type a whole number from {WORST_COUNTS[0]} to {WORST_COUNTS[-1]}.")
    return count


def group_in(place: Field) -> tuple[str, str] | None:
    """Return the id and the handle of a user group, `None` for none, and for no such id."""
    chosen = place.option
    return chosen if chosen and _GROUP.fullmatch(chosen[0]) else None


def _named(parts: list[str]) -> str:
    return _joined([f"“{outside(part, 60)}”" for part in parts], " and ")


def _joined(parts: list[str], by: str) -> str:
    left_out = len(parts) - MAX_PARTS_NAMED
    more = f"{by}{left_out} more" if left_out > 0 else ""
    return by.join(parts[:MAX_PARTS_NAMED]) + more
