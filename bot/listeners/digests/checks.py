"""What each field of a digest's form may hold. Pure.

Each function takes a field and returns what it means; a ValueError says what is wrong with it,
in a sentence for whoever filled it in.
"""

import re
from datetime import time

from bot.digests.digest import WORST_COUNTS, Mention, Mode
from bot.listeners.digests.fields import Field, field_in
from bot.portfolio.query import parse_query
from bot.redaction import holds_secret
from bot.views.digests.draft import (
    GROUP_FIELD,
    LABEL_FIELD,
    MAX_FILTER_CHARS,
    PEOPLE_FIELD,
    is_zone,
    life_of,
    time_of,
)
from bot.views.digests.mentions import is_label
from bot.views.text import outside
from bot.words import NotUnderstoodError, split_words

MAX_PARTS_NAMED = 3
MAX_DIGITS = 4
# One cannot turn the page of a post; and it has an order of its own.
_SENSELESS = {"sort", "page"}
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
    if senseless := [word.typed for word in split_words(typed) if word.key in _SENSELESS]:
        raise ValueError(f"Leave out {_named(senseless)}: a post has neither an order nor pages.")
    try:
        parse_query(typed)
    except NotUnderstoodError as error:
        problems = [f"{_named([each.part])}: {each.why}" for each in error.problems]
        raise ValueError(f"I did not understand {_joined(problems, '; ')}.") from None
    return typed


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
    typed = (place.text or "").strip()
    is_count = typed.isascii() and typed.isdecimal() and len(typed) <= MAX_DIGITS
    if not is_count or int(typed) not in WORST_COUNTS:
        raise ValueError(f"Type a whole number from {WORST_COUNTS[0]} to {WORST_COUNTS[-1]}.")
    return int(typed)


def group_in(place: Field) -> tuple[str, str] | None:
    """Return the id and the handle of a user group, `None` for none, and for no such id."""
    chosen = place.option
    return chosen if chosen and _GROUP.fullmatch(chosen[0]) else None


def rule_in(values: object, errors: dict[str, str]) -> Mention | None:
    """Return the new rule of mention, `None` for none; note in `errors` what it lacks."""
    label, people = field_in(values, LABEL_FIELD), field_in(values, PEOPLE_FIELD)
    group = field_in(values, GROUP_FIELD)
    chosen = group_in(group)
    who = (*people.user_ids, chosen[0]) if chosen else people.user_ids
    if group.value and not chosen:
        errors[group.block_id] = "Please pick a user group from the list."
    if not label.value:
        if who:
            errors[label.block_id] = "Pick the tag or folder whose domains they look after."
        return None
    if not is_label(label.value):
        errors[label.block_id] = "Pick a tag or a folder from the list, or type tag:prod."
    elif not who:
        errors.setdefault(people.block_id, "Pick whom to mention, or empty the tag or folder.")
    return Mention(label=label.value, who=who)


def _named(parts: list[str]) -> str:
    return _joined([f"“{outside(part, 60)}”" for part in parts], " and ")


def _joined(parts: list[str], by: str) -> str:
    left_out = len(parts) - MAX_PARTS_NAMED
    more = f"{by}{left_out} more" if left_out > 0 else ""
    return by.join(parts[:MAX_PARTS_NAMED]) + more
