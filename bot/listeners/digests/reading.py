"""What somebody filled into the forms about a digest, read before they are taken. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol, TypeVar

from bot.digests.digest import Plan
from bot.digests.schedule import Schedule
from bot.listeners.acks import FormErrors
from bot.listeners.digests.checks import (
    DAYS,
    channel_in,
    days_in,
    filter_in,
    group_in,
    life_in,
    mode_in,
    time_in,
    worst_in,
    zone_in,
)
from bot.listeners.digests.fields import Field, field_in
from bot.listeners.digests.rules import kept_in, places_in, rule_in
from bot.views.digests.draft import (
    CHANNEL_FIELD,
    DAYS_FIELD,
    FILTER_FIELD,
    GROUP_FIELD,
    LABEL_FIELD,
    LIFE_FIELD,
    MODE_FIELD,
    PEOPLE_FIELD,
    TIME_FIELD,
    WORST_FIELD,
    ZONE_FIELD,
    Draft,
)
from bot.views.digests.pause import UNTIL_FIELD

T = TypeVar("T")

LONGEST_PAUSE = timedelta(days=3_650)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDigest:
    """A form that is right: the plan with the one new rule of mention, if any.

    Of the rules that there were, those at the places `kept` stay; `None`: all of them. `draft` is
    the form as it was filled in.
    """

    draft: Draft
    plan: Plan
    kept: frozenset[int] | None = None


def draft_in(values: object) -> Draft:
    """Return what stands in the fields, whatever was sent; what cannot be shown is left out."""
    days = field_in(values, DAYS_FIELD).options
    return Draft(
        channel_id=field_in(values, CHANNEL_FIELD).conversation_id,
        days=frozenset(DAYS[day] for day in days if day in DAYS),
        at=field_in(values, TIME_FIELD).picked("selected_time"),
        zone=field_in(values, ZONE_FIELD).value,
        filter_text=field_in(values, FILTER_FIELD).text or "",
        mode=field_in(values, MODE_FIELD).value or "",
        life=field_in(values, LIFE_FIELD).value or "",
        worst=field_in(values, WORST_FIELD).text or "",
        label=field_in(values, LABEL_FIELD).value,
        people=field_in(values, PEOPLE_FIELD).user_ids,
        group=group_in(field_in(values, GROUP_FIELD)),
        kept=kept_in(values),
    )


def read_digest_form(values: object) -> GivenDigest:
    """Return what was filled in; raise FormErrors, by block id, where it cannot be taken."""
    errors: dict[str, str] = {}
    read = _reader(values, errors)
    channel_id = read(CHANNEL_FIELD, channel_in)
    days, at, zone = (
        read(DAYS_FIELD, days_in),
        read(TIME_FIELD, time_in),
        read(ZONE_FIELD, zone_in),
    )
    filter_text, mode = read(FILTER_FIELD, filter_in), read(MODE_FIELD, mode_in)
    life, worst = read(LIFE_FIELD, life_in), read(WORST_FIELD, worst_in)
    rule = rule_in(values, errors)
    # Without an error all of them are there; naming them tells the type checker.
    if errors or not (channel_id and days and at and zone and mode and worst):
        raise FormErrors(errors)
    plan = Plan(
        channel_id=channel_id,
        schedule=Schedule(days, at, zone),
        filter_text=filter_text or "",
        mode=mode,
        heartbeat_every=life,
        worst_count=worst,
        mentions=(rule,) if rule else (),
    )
    draft = draft_in(values)
    return GivenDigest(draft=draft, plan=plan, kept=places_in(draft.kept))


class _Read(Protocol):
    def __call__(self, action_id: str, take: Callable[[Field], T]) -> T | None: ...


def _reader(values: object, errors: dict[str, str]) -> _Read:
    """Return what reads a field; `None`: it has noted in `errors` what is wrong with it."""

    def read(action_id: str, take: Callable[[Field], T]) -> T | None:
        place = field_in(values, action_id)
        try:
            return take(place)
        except ValueError as error:
            errors[place.block_id] = str(error)
            return None

    return read


def read_pause_form(values: object, first: date) -> date | None:
    """Return the day on which a pause ends, `None` for none; `first` is the first one possible.

    Raises:
        FormErrors: the day is no day, or earlier.
    """
    place = field_in(values, UNTIL_FIELD)
    picked = place.state.get("selected_date")
    if picked is None:
        return None
    try:
        day = date.fromisoformat(picked if isinstance(picked, str) else "")
    except ValueError:
        raise FormErrors({place.block_id: "That is no date. Please pick one."}) from None
    if day < first:
        raise FormErrors({place.block_id: "Pick a day from tomorrow on, or none."})
    if day - first > LONGEST_PAUSE:
        raise FormErrors({place.block_id: "That is very far away. Better pick none."})
    return day
