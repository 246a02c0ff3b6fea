"""Parse and validate the fields of a digest's form. Pure."""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, time, timedelta
from typing import Any, TypeVar

from bot.command_text import NotUnderstoodError
from bot.digests import models
from bot.digests.schedule import Schedule, is_zone, time_of
from bot.listeners.request import FormErrors
from bot.portfolio.query import parse_query
from bot.redaction import holds_secret
from bot.views.digests import form_fields
from bot.views.digests.mention_fields import MAX_WHO, box_of, is_same_label
from bot.views.digests.modal import UNTIL_FIELD
from bot.views.text import outside


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One field: the id of its block, and its state as Slack sends it, empty without the field."""

    block_id: str
    state: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def text(self) -> str:
        """The typed text, or an empty one."""
        return self.state.get("value") or ""

    @property
    def option(self) -> tuple[str, str] | None:
        """The value and the label of the chosen option."""
        chosen = self.state.get("selected_option")
        return (chosen["value"], chosen["text"]["text"]) if chosen else None

    @property
    def options(self) -> list[str]:
        """The values of the chosen options."""
        return [each["value"] for each in self.state.get("selected_options") or ()]

    @property
    def value(self) -> str | None:
        """The value of the chosen option."""
        return self.option[0] if self.option else None

    @property
    def user_ids(self) -> tuple[str, ...]:
        """The ids of the chosen people."""
        return tuple(dict.fromkeys(self.state.get("selected_users") or ()))


def field_in(values: Mapping[str, Any], action_id: str) -> Field:
    """Return the field with that `action_id`, else an empty one.

    The id of its block is not known beforehand: see `Editing.nonce`.
    """
    for block_id, elements in values.items():
        if action_id in elements:
            return Field(block_id, elements[action_id])
    return Field(action_id)


MAX_PARTS_NAMED = 3
# The same as in `split_words`: Slack's clients write curly ones.
_QUOTES = '"“”„‟«»'
_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
_GROUP = re.compile(r"S[A-Z0-9]+")
DAYS = {f"{day}": day for day in range(7)}


def channel_in(field: Field) -> str:
    """Return the id of a channel; raise ValueError for a direct message."""
    channel_id: str = field.state.get("selected_conversation") or ""
    if not _CHANNEL.fullmatch(channel_id):
        raise ValueError("Please choose a channel.")
    return channel_id


def days_in(field: Field) -> frozenset[int]:
    """Return at least one weekday, from 0 for Monday."""
    chosen = field.options
    if not chosen or not all(day in DAYS for day in chosen):
        raise ValueError("Please choose at least one day.")
    return frozenset(DAYS[day] for day in chosen)


def time_in(field: Field) -> time:
    """Return a time of day."""
    at = time_of(field.state.get("selected_time") or "")
    if at is None:
        raise ValueError("Please choose a time, such as 09:00.")
    return at


def zone_in(field: Field) -> str:
    """Return the IANA name of a time zone."""
    zone = field.value or ""
    if not is_zone(zone):
        raise ValueError("Pick a time zone from the list.")
    return zone


def filter_in(field: Field) -> str:
    """Return the typed filter of `/domains`, empty for all domains."""
    typed = field.text.strip()
    if len(typed) > models.MAX_FILTER_CHARS:
        raise ValueError(f"A filter has at most {models.MAX_FILTER_CHARS} characters.")
    if holds_secret(typed):
        raise ValueError("There is a key or a token in it. Never put one here.")
    problems = [*_not_understood(typed)]
    if sum(typed.count(mark) for mark in _QUOTES) % 2:
        problems.append('A quotation mark (") is opened and not closed.')
    if problems:
        raise ValueError(" ".join(problems))
    return typed


def _not_understood(typed: str) -> Iterator[str]:
    """Yield sentences about unknown parts, and about those without a meaning in a post."""
    unusable = models.unusable_words(typed)
    try:
        parse_query(typed)
    except NotUnderstoodError as error:
        problems = [
            f"{_named([each.part])}: {each.why}"
            for each in error.problems
            if each.part not in unusable
        ]
        if problems:
            yield f"I couldn't read {_joined(problems, '; ')}."
    if unusable:
        yield f"Leave out {_named(unusable)}: a post has neither an order nor pages."


def mode_in(field: Field) -> models.Mode:
    """Return when to post."""
    if form_fields.looks_of(field.value or ""):
        return models.Mode.WORSE
    try:
        return models.Mode(field.value)
    except ValueError:
        raise ValueError("Please choose when to post.") from None


def life_in(field: Field) -> int | None:
    """Return the number of silent runs before a sign of life, `None` for never."""
    try:
        return form_fields.life_of(field.value or "")
    except ValueError:
        raise ValueError("Choose a number of quiet runs, or Never.") from None


def worst_in(field: Field) -> int:
    """Return the number of worst domains to show."""
    return _number_in(field, models.WORST_COUNTS)


def night_in(field: Field) -> int:
    """Return the number of domains to scan a night, 0 for an empty field."""
    return _number_in(field, models.SCANS_A_NIGHT) if field.text.strip() else 0


def _number_in(field: Field, allowed: range) -> int:
    count = models.number_of(field.text.strip(), allowed)
    if count is None:
        raise ValueError(f"Type a whole number from {allowed[0]} to {allowed[-1]}.")
    return count


def group_in(field: Field) -> tuple[str, str] | None:
    """Return the id and the handle of a user group, or `None`."""
    chosen = field.option
    return chosen if chosen and _GROUP.fullmatch(chosen[0]) else None


def _named(parts: list[str]) -> str:
    return _joined([f"“{outside(part, 60)}”" for part in parts], " and ")


def _joined(parts: list[str], by: str) -> str:
    left_out = len(parts) - MAX_PARTS_NAMED
    more = f"{by}{left_out} more" if left_out > 0 else ""
    return by.join(parts[:MAX_PARTS_NAMED]) + more


def kept_in(values: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the ticked boxes; `None` if the form has none, so that every rule stays."""
    field = field_in(values, form_fields.RULES_FIELD)
    if field.state.get("selected_options") is None:
        return None
    return tuple(value for value in field.options if box_of(value))


def rule_in(values: Mapping[str, Any], errors: dict[str, str]) -> models.Mention | None:
    """Return the new mention rule, `None` for none; add its problems to `errors`."""
    label = field_in(values, form_fields.LABEL_FIELD)
    people = field_in(values, form_fields.PEOPLE_FIELD)
    group = field_in(values, form_fields.GROUP_FIELD)
    chosen = group_in(group)
    who = (*people.user_ids, chosen[0]) if chosen else people.user_ids
    if group.value and not chosen:
        errors[group.block_id] = "Please pick a user group from the list."
    if not label.value:
        if who:
            errors[label.block_id] = "Pick the tag or folder whose domains they own."
        return None
    if not models.is_label(label.value):
        errors[label.block_id] = "Pick a tag or a folder from the list, or type tag:prod."
    elif not who:
        errors.setdefault(people.block_id, "Pick whom to mention, or empty the tag or folder.")
    else:
        _check_room(values, models.Mention(label=label.value, who=who), errors)
    return models.Mention(label=label.value, who=who)


def _check_room(values: Mapping[str, Any], new: models.Mention, errors: dict[str, str]) -> None:
    kept = _read(kept_in(values) or ())
    joined = [count for _, count, label in kept if is_same_label(label, new.label)]
    if not joined and len(kept) >= models.MAX_RULES:
        errors[field_in(values, form_fields.LABEL_FIELD).block_id] = (
            f"There can be {models.MAX_RULES} rules. Remove the tick from one first."
        )
    if sum(joined) + len(new.who) > MAX_WHO:
        errors[field_in(values, form_fields.PEOPLE_FIELD).block_id] = (
            f"At most {MAX_WHO} people and user groups are mentioned for one tag or folder"
            f"{f': it has {sum(joined)} already' if joined else ''}."
        )


def _read(kept: tuple[str, ...]) -> list[tuple[int, int, str]]:
    return [found for value in kept if (found := box_of(value))]


T = TypeVar("T")
LONGEST_PAUSE = timedelta(days=3_650)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GivenDigest:
    """A valid form: its values as `draft`, and the plan with the new mention rule, if any.

    Of the present rules those at the indexes `kept` stay; `None` means all.
    """

    draft: form_fields.Draft
    plan: models.Plan
    kept: frozenset[int] | None = None


def draft_in(values: Mapping[str, Any]) -> form_fields.Draft:
    """Return the values of the fields."""
    days = field_in(values, form_fields.DAYS_FIELD).options
    return form_fields.Draft(
        channel_id=field_in(values, form_fields.CHANNEL_FIELD).state.get("selected_conversation"),
        days=frozenset(DAYS[day] for day in days if day in DAYS),
        at=field_in(values, form_fields.TIME_FIELD).state.get("selected_time"),
        zone=field_in(values, form_fields.ZONE_FIELD).value,
        filter_text=field_in(values, form_fields.FILTER_FIELD).text,
        mode=field_in(values, form_fields.MODE_FIELD).value or "",
        life=field_in(values, form_fields.LIFE_FIELD).value or "",
        worst=field_in(values, form_fields.WORST_FIELD).text,
        night=field_in(values, form_fields.NIGHT_FIELD).text,
        label=field_in(values, form_fields.LABEL_FIELD).value,
        people=field_in(values, form_fields.PEOPLE_FIELD).user_ids,
        group=group_in(field_in(values, form_fields.GROUP_FIELD)),
        kept=kept_in(values),
    )


def read_digest_form(values: Mapping[str, Any]) -> GivenDigest:
    """Return the values of the form; raise FormErrors, by block id."""
    errors: dict[str, str] = {}

    def read(action_id: str, take: Callable[[Field], T]) -> T | None:
        field = field_in(values, action_id)
        try:
            return take(field)
        except ValueError as error:
            errors[field.block_id] = str(error)
            return None

    channel_id = read(form_fields.CHANNEL_FIELD, channel_in)
    days, at = read(form_fields.DAYS_FIELD, days_in), read(form_fields.TIME_FIELD, time_in)
    zone = read(form_fields.ZONE_FIELD, zone_in)
    filter_text, mode = (
        read(form_fields.FILTER_FIELD, filter_in),
        read(form_fields.MODE_FIELD, mode_in),
    )
    life, worst = read(form_fields.LIFE_FIELD, life_in), read(form_fields.WORST_FIELD, worst_in)
    night = read(form_fields.NIGHT_FIELD, night_in)
    rule = rule_in(values, errors)
    # Without an error all values are there; the type checker needs the names.
    if errors or not (channel_id and days and at and zone and mode and worst):
        raise FormErrors(errors)
    draft = draft_in(values)
    plan = models.Plan(
        channel_id=channel_id,
        schedule=Schedule(days, at, zone, form_fields.looks_of(draft.mode)),
        filter_text=filter_text or "",
        mode=mode,
        heartbeat_every=life,
        worst_count=worst,
        mentions=(rule,) if rule else (),
        scans_a_night=night or 0,
    )
    kept = None if draft.kept is None else frozenset(place for place, _, _ in _read(draft.kept))
    return GivenDigest(draft=draft, plan=plan, kept=kept)


def read_pause_form(values: Mapping[str, Any], first: date) -> date | None:
    """Return the day on which a pause ends, `None` for none; raise FormErrors before `first`."""
    field = field_in(values, UNTIL_FIELD)
    if not (picked := field.state.get("selected_date")):
        return None
    day = date.fromisoformat(picked)
    if day < first:
        raise FormErrors({field.block_id: "Pick a day from tomorrow on, or none."})
    if day - first > LONGEST_PAUSE:
        raise FormErrors({field.block_id: "That is very far away. Better pick none."})
    return day
