"""Parse and validate the fields of a digest's form. Pure."""

import dataclasses
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from bot.blocks.text import outside
from bot.digests import models
from bot.digests.schedule import Schedule, month_day_of, time_of
from bot.digests.views import form_fields
from bot.digests.views.mention_fields import box_of
from bot.digests.views.modal import UNTIL_FIELD
from bot.dispatch.command_text import NotUnderstoodError
from bot.dispatch.incoming import Field, Values, field_in
from bot.dispatch.request import FormErrors
from bot.domains.query import parse_query
from bot.process.redaction import holds_secret
from bot.process.zones import is_zone
from bot.slack.usergroups import GROUP_ID

# The same as in `split_words`: Slack's clients write curly ones.
_QUOTES = '"“”„‟«»'
_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
DAYS = {f"{day}": day for day in range(7)}
NO_DAY = "Please choose at least one day."


NOT_SHOWN = form_fields.Draft()


def draft_in(values: Values, hidden: form_fields.Draft = NOT_SHOWN) -> form_fields.Draft:
    """Return the values of the form; those of the fields that it lacks are as in `hidden`."""
    rules = field_in(values, form_fields.RULES_FIELD)
    has_rules = rules.state.get("selected_options") is not None
    shown: dict[str, Any] = {
        form_fields.CHANNEL_FIELD: ("channel_id", _conversation),
        form_fields.REPEAT_FIELD: ("repeat", _value),
        form_fields.DAYS_FIELD: ("days", _days),
        form_fields.LOOK_DAYS_FIELD: ("look_days", _days),
        form_fields.DAY_FIELD: ("month_day", _value),
        form_fields.TIME_FIELD: ("at", lambda field: field.state.get("selected_time")),
        form_fields.LIFE_FIELD: ("life", _value),
        form_fields.WORST_FIELD: ("worst", _text),
        form_fields.NAME_FIELD: ("name", _text),
        form_fields.POINTS_FIELD: ("points", _text),
        form_fields.END_DAYS_FIELD: ("end_days", _text),
        form_fields.LEAST_FIELD: ("least", _value),
        form_fields.FILE_FIELD: ("has_file", lambda field: bool(field.options)),
    }
    there = {action_id for elements in values.values() for action_id in elements}
    given = {
        name: read(field_in(values, action_id))
        for action_id, (name, read) in shown.items()
        if action_id in there
    }
    return dataclasses.replace(
        hidden,
        **given,
        zone=field_in(values, form_fields.ZONE_FIELD).value,
        filter_text=field_in(values, form_fields.FILTER_FIELD).text,
        mode=field_in(values, form_fields.MODE_FIELD).value or "",
        label=field_in(values, form_fields.LABEL_FIELD).value,
        people=field_in(values, form_fields.PEOPLE_FIELD).user_ids,
        group=field_in(values, form_fields.GROUP_FIELD).option,
        kept=tuple(filter(box_of, rules.options)) if has_rules else None,
    )


def _conversation(field: Field) -> str | None:
    chosen: str | None = field.state.get("selected_conversation")
    return chosen


def _days(field: Field) -> frozenset[int]:
    return frozenset(DAYS[day] for day in field.options if day in DAYS)


def _value(field: Field) -> str:
    return field.value or ""


def _text(field: Field) -> str:
    return field.text


def filter_problem(typed: str) -> str:
    """Return why a text is no filter of `/domains`, an empty text for a good one."""
    if len(typed) > models.MAX_FILTER_CHARS:
        return f"A filter has at most {models.MAX_FILTER_CHARS} characters."
    if holds_secret(typed):
        return "There is a key or a token in it. Never put one here."
    problems = [*_not_understood(typed)]
    if sum(typed.count(mark) for mark in _QUOTES) % 2:
        problems.append('A quotation mark (") is opened and not closed.')
    return " ".join(problems)


def _not_understood(typed: str) -> Iterator[str]:
    """Yield sentences about unknown parts, and about those without a meaning in a post."""
    unusable = models.unusable_words(typed)
    try:
        parse_query(typed)
    except NotUnderstoodError as error:
        problems = [
            _named(each.part) + (f", which {each.why.replace('`', '')}" if each.why else "")
            for each in error.problems
            if each.part not in unusable
        ]
        if problems:
            yield f"I couldn't read {'; '.join(problems)}."
    if unusable:
        named = " and ".join(map(_named, unusable))
        yield f"Leave out {named}: a post has neither an order nor pages."


def _named(part: str) -> str:
    return f"“{outside(part, 60)}”"


def rule_in(draft: form_fields.Draft, errors: dict[str, str]) -> models.Mention | None:
    """Return the new mention rule, `None` for none; add its problems to `errors` by field."""
    label, group = draft.label, draft.group
    is_group = group is not None and GROUP_ID.fullmatch(group[0]) is not None
    who = (*draft.people, group[0]) if group and is_group else draft.people
    if group and not is_group:
        errors[form_fields.GROUP_FIELD] = "Please pick a user group from the list."
    if not label:
        if who:
            errors[form_fields.LABEL_FIELD] = "Pick the tag or folder whose domains they own."
        return None
    if not models.is_label(label):
        errors[form_fields.LABEL_FIELD] = "Pick a tag or a folder from the list, or type tag:prod."
    elif not who:
        errors[form_fields.PEOPLE_FIELD] = "Pick whom to mention, or empty the tag or folder."
    elif len(draft.kept or ()) >= models.MAX_RULES:
        errors[form_fields.LABEL_FIELD] = (
            f"There can be {models.MAX_RULES} rules. Remove the tick from one first."
        )
    return models.Mention(label=label, who=who)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GivenDigest:
    """A valid form: its values as `draft`, and the plan with the new mention rule, if any.

    Of the present rules those at the indexes `kept` stay; `None` means all. `values` are those of
    the form.
    """

    draft: form_fields.Draft
    plan: models.Plan
    kept: frozenset[int] | None = None
    values: Values = dataclasses.field(default_factory=dict, repr=False)


def read_digest_form(values: Values, hidden: form_fields.Draft = NOT_SHOWN) -> GivenDigest:
    """Return the values of the form, and `hidden` ones that are valid; raise FormErrors.

    Those are sentences by block id.
    """
    draft, errors = draft_in(values, hidden), dict[str, str]()
    if draft.is_alert and field_in(values, form_fields.DAYS_FIELD).state:
        # It was sent before it was drawn for an alert: what the person saw counts.
        draft = dataclasses.replace(draft, look_days=draft.days)
    schedule = _schedule_in(draft, errors)
    has_channel = field_in(values, form_fields.CHANNEL_FIELD).state
    if has_channel and not _CHANNEL.fullmatch(draft.channel_id or ""):  # a direct message is none
        errors[form_fields.CHANNEL_FIELD] = "Please choose a channel."
    filter_text = draft.filter_text.strip()
    if problem := filter_problem(filter_text):
        errors[form_fields.FILTER_FIELD] = problem
    mode = next((each for each in models.Mode if each.value == draft.mode), None)
    mode = models.Mode.WORSE if form_fields.looks_of(draft.mode) else mode
    if mode is None:
        errors[form_fields.MODE_FIELD] = "Please choose when to post."
    worst = _number_in(draft.worst, models.WORST_COUNTS, form_fields.WORST_FIELD, errors)
    if holds_secret(draft.name):
        errors[form_fields.NAME_FIELD] = "There is a key or a token in it. Never put one here."
    counts = _rule_in(draft, errors)
    rule = rule_in(draft, errors)
    # Without an error all values are there; the type checker needs the names.
    if errors or not (schedule and mode and counts):
        raise FormErrors({field_in(values, name).block_id: text for name, text in errors.items()})
    plan = models.Plan(
        channel_id=draft.channel_id or "",
        schedule=schedule,
        filter_text=filter_text,
        mode=mode,
        heartbeat_every=models.number_of(draft.life, models.HEARTBEATS),  # not for "never"
        worst_count=worst,
        mentions=(rule,) if rule else (),
        name=" ".join(_without_quotes(draft.name).split())[: models.MAX_NAME_CHARS],
        rule=counts,
        has_file=draft.has_file and not draft.is_alert,
    )
    boxes = map(box_of, draft.kept or ())
    kept = None if draft.kept is None else frozenset(place for place, _ in filter(None, boxes))
    return GivenDigest(draft=draft, plan=plan, kept=kept, values=values)


def _without_quotes(text: str) -> str:
    """Return a name without marks in which a typed line could not hold it."""
    return text.translate(dict.fromkeys(map(ord, _QUOTES)))


def _schedule_in(draft: form_fields.Draft, errors: dict[str, str]) -> Schedule | None:
    """Return when to post; add its problems to `errors` by field."""
    if draft.is_alert and not draft.look_days:
        errors[form_fields.LOOK_DAYS_FIELD] = NO_DAY
    if not draft.is_alert and draft.repeat != form_fields.MONTHLY and not draft.days:
        errors[form_fields.DAYS_FIELD] = NO_DAY
    if (
        not draft.is_alert
        and draft.repeat == form_fields.MONTHLY
        and not month_day_of(draft.month_day)
    ):
        errors[form_fields.DAY_FIELD] = "Please choose a day."
    if not draft.is_alert and time_of(draft.at or "") is None:
        errors[form_fields.TIME_FIELD] = "Please choose a time, such as 09:00."
    if not is_zone(draft.zone or ""):
        errors[form_fields.ZONE_FIELD] = "Pick a time zone from the list."
    return None if errors else draft.schedule


def _rule_in(draft: form_fields.Draft, errors: dict[str, str]) -> models.Rule | None:
    """Return what counts as worse or better; add its problems to `errors` by field."""
    points = _number_in(draft.points, models.POINTS, form_fields.POINTS_FIELD, errors)
    days = end_days_of(draft.end_days)
    if days is None:
        errors[form_fields.END_DAYS_FIELD] = "Type up to six whole numbers from 1 to 365."
    least = next((each for each in form_fields.LEAST if each.value == draft.least), None)
    if least is None:
        errors[form_fields.LEAST_FIELD] = "Please choose a severity."
    return models.Rule(points=points, days=days, least=least) if days and least else None


def end_days_of(text: str) -> tuple[int, ...] | None:
    """Return the days that a text like `30, 14` spells, the most first; `None` for another."""
    numbers = [models.number_of(part, models.END_DAYS) for part in text.replace(",", " ").split()]
    days = {number for number in numbers if number}
    if None in numbers or not 1 <= len(days) <= models.MAX_END_DAYS:
        return None
    return tuple(sorted(days, reverse=True))


def _number_in(text: str, allowed: range, action_id: str, errors: dict[str, str]) -> int:
    """Return an allowed number; for another text 0, with its problem in `errors`."""
    count = models.number_of(text.strip(), allowed)
    if count is None:
        errors[action_id] = f"Type a whole number from {allowed[0]} to {allowed[-1]}."
    return count or 0


def read_pause_form(values: Values) -> date | None:
    """Return the day on which a pause ends, `None` for none."""
    picked = field_in(values, UNTIL_FIELD).state.get("selected_date")
    return date.fromisoformat(picked) if picked else None
