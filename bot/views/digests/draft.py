"""What stands in the fields of a digest's form, right or wrong, and what they are called. Pure."""

import re
from dataclasses import dataclass
from datetime import time

from bot.digests.digest import WORST_COUNTS, Mode, Plan
from bot.digests.schedule import Schedule, UnknownZoneError, zone_of

CHANNEL_FIELD, DAYS_FIELD, TIME_FIELD = "digests.channel", "digests.days", "digests.time"
ZONE_FIELD, FILTER_FIELD, MODE_FIELD = "digests.zone", "digests.filter", "digests.mode"
LIFE_FIELD, WORST_FIELD = "digests.life", "digests.worst"
LABEL_FIELD, PEOPLE_FIELD, GROUP_FIELD = "digests.label", "digests.people", "digests.group"
RULES_FIELD = "digests.rules"

WEEKDAYS = frozenset(range(5))
NEVER = "never"
"""The value of `Sign of life` for none."""
# Others are kept as they are: they may come from an import.
OFFERED_LIVES = (3, 5, 7, 14, 30)
MAX_LIFE = 99
MAX_FILTER_CHARS = 500
MAX_DIGITS = 4

_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")


@dataclass(frozen=True, slots=True)
class RuleBox:
    """A rule of mention as a box to tick: its value, and what stands beside and below it."""

    value: str
    shown: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The fields as they are filled in; `None` or empty: they are not.

    `group` is the id of a user group and its handle. `days` are weekdays from 0 for Monday.
    `kept` are the rules of mention that are ticked; `None`: nobody was asked, so all stay.
    """

    channel_id: str | None = None
    days: frozenset[int] = WEEKDAYS
    at: str | None = "09:00"
    zone: str | None = None
    filter_text: str = ""
    mode: str = Mode.ALWAYS.value
    life: str = NEVER
    worst: str = "10"
    label: str | None = None
    people: tuple[str, ...] = ()
    group: tuple[str, str] | None = None
    kept: tuple[RuleBox, ...] | None = None

    @property
    def schedule(self) -> Schedule | None:
        """When it would run, or `None` while that is not said rightly."""
        at = time_of(self.at or "")
        if at is None or not self.days or not is_zone(self.zone or ""):
            return None
        return Schedule(self.days, at, self.zone or "")


def draft_of(plan: Plan) -> Draft:
    """Return the fields of a digest that there is; its rules of mention are not among them."""
    every = plan.heartbeat_every
    return Draft(
        channel_id=plan.channel_id,
        days=plan.schedule.days,
        at=f"{plan.schedule.at:%H:%M}",
        zone=plan.schedule.zone,
        filter_text=plan.filter_text,
        mode=plan.mode.value,
        life=NEVER if every is None else f"{every}",
        worst=f"{plan.worst_count}",
    )


def time_of(text: str) -> time | None:
    """Return the time of day that a field spells as `09:30`, or `None`."""
    found = _TIME.fullmatch(text)
    return time(int(found[1]), int(found[2])) if found else None


def is_zone(name: str) -> bool:
    """Say whether there is a time zone of that name."""
    try:
        zone_of(name)
    except UnknownZoneError:
        return False
    return True


def worst_of(text: str) -> int | None:
    """Return how many of the worst domains a field wants shown, or `None`."""
    is_count = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    return int(text) if is_count and int(text) in WORST_COUNTS else None


def life_of(text: str) -> int | None:
    """Return after how many silent runs a sign of life comes, `None` for never.

    Raises:
        ValueError: the text is none of ours.
    """
    if text == NEVER:
        return None
    if not (text.isascii() and text.isdecimal() and 1 <= len(text) <= 2 and int(text) >= 1):
        raise ValueError("no number of runs")
    return int(text)
