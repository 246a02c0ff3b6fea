"""Read and check the fields of a digest's form. Pure."""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from operator import attrgetter
from typing import Any

from bot.blocks.message import Block
from bot.blocks.text import outside
from bot.digests import models
from bot.digests.draft import Draft, end_days_of
from bot.digests.schedule import month_day_of, time_of
from bot.digests.views import form_fields
from bot.digests.views.form_fields import box_of
from bot.digests.views.modal import UNTIL_FIELD
from bot.dispatch.command_text import QUOTES, NotUnderstoodError
from bot.dispatch.incoming import Field, Values, field_in
from bot.dispatch.request import FormErrors
from bot.domains.query import parse_query
from bot.process.redaction import holds_secret
from bot.process.zones import is_zone
from bot.slack.channels import GROUP_ID

_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
DAYS = {f"{day}": day for day in range(7)}
NO_DAY = "Please choose at least one day."
SECRET = "There is a key or a token in it. Never put one here."  # noqa: S105  # a sentence


def _days(field: Field) -> frozenset[int]:
    return frozenset(DAYS[day] for day in field.options if day in DAYS)


_TEXT, _VALUE, _OPTION, _USERS = map(attrgetter, ("text", "value", "option", "user_ids"))
# By the name of a draft's value, its field and how that is read.
FIELDS: dict[str, tuple[str, Callable[[Field], Any]]] = {
    "channel_id": (
        form_fields.CHANNEL_FIELD,
        lambda field: field.state.get("selected_conversation"),
    ),
    "repeat": (form_fields.REPEAT_FIELD, _VALUE),
    "days": (form_fields.DAYS_FIELD, _days),
    "look_days": (form_fields.LOOK_DAYS_FIELD, _days),
    "month_day": (form_fields.DAY_FIELD, _VALUE),
    "at": (form_fields.TIME_FIELD, lambda field: field.state.get("selected_time")),
    "zone": (form_fields.ZONE_FIELD, _VALUE),
    "filter_text": (form_fields.FILTER_FIELD, _TEXT),
    "mode": (form_fields.MODE_FIELD, _VALUE),
    "life": (form_fields.LIFE_FIELD, _VALUE),
    "worst": (form_fields.WORST_FIELD, _TEXT),
    "name": (form_fields.NAME_FIELD, _TEXT),
    "points": (form_fields.POINTS_FIELD, _TEXT),
    "end_days": (form_fields.END_DAYS_FIELD, _TEXT),
    "least": (form_fields.LEAST_FIELD, _VALUE),
    "has_file": (form_fields.FILE_FIELD, lambda field: bool(field.options)),
    "label": (form_fields.LABEL_FIELD, _VALUE),
    "people": (form_fields.PEOPLE_FIELD, _USERS),
    "group": (form_fields.GROUP_FIELD, _OPTION),
    "remind_after": (form_fields.REMIND_FIELD, _VALUE),
    "remind_people": (form_fields.REMIND_PEOPLE_FIELD, _USERS),
    "remind_group": (form_fields.REMIND_GROUP_FIELD, _OPTION),
}
_SETS = {"days", "look_days"}


def draft_in(values: Values, hidden: Mapping[str, Any]) -> Draft:
    """Return the values of the form; those of the fields that it lacks are as in `hidden`."""
    rules = field_in(values, form_fields.RULES_FIELD)
    has_rules = rules.state.get("selected_options") is not None
    there = {action_id for elements in values.values() for action_id in elements}
    given: dict[str, Any] = {
        name: (frozenset if name in _SETS else tuple)(value) if isinstance(value, list) else value
        for name, value in hidden.items()
    }
    given |= {
        name: read(field_in(values, action_id))
        for name, (action_id, read) in FIELDS.items()
        if action_id in there
    }
    return Draft(**given, kept=tuple(filter(box_of, rules.options)) if has_rules else None)


def sent_draft(values: Values, hidden: Mapping[str, Any]) -> Draft:
    """Return the values of a form that was sent."""
    draft = draft_in(values, hidden)
    if draft.is_alert and field_in(values, form_fields.DAYS_FIELD).state:
        # It was sent before it was drawn for an alert: what the person saw counts.
        draft = dataclasses.replace(draft, look_days=draft.days)
    return draft


def hidden_values(draft: Draft, blocks: Iterable[Block]) -> dict[str, Any]:
    """Return the values of the fields that are not among `blocks`, valid ones, for JSON."""
    shown = {block["element"]["action_id"] for block in blocks if block["type"] == "input"}
    default, wrong = Draft(), problems_of(draft)
    hidden = {}
    for name, (action_id, _) in FIELDS.items():
        value = getattr(draft, name)
        if action_id not in shown and name not in wrong and value != getattr(default, name):
            hidden[name] = sorted(value) if isinstance(value, frozenset) else value
    return hidden


def checked_values(values: Values) -> Values:
    """Return the values of a form that was sent; raise FormErrors, sentences by block id.

    What it lacks is valid: see `hidden_values`.
    """
    draft = sent_draft(values, {})
    problems = problems_of(draft)
    channel = field_in(values, form_fields.CHANNEL_FIELD).state
    if channel and not _CHANNEL.fullmatch(draft.channel_id or ""):  # a direct message is none
        problems["channel_id"] = "Please choose a channel."
    if problems:
        blocks = {name: field_in(values, FIELDS[name][0]).block_id for name in problems}
        raise FormErrors({blocks[name]: text for name, text in problems.items()})
    return values


def problems_of(draft: Draft) -> dict[str, str]:
    """Return a sentence for each value of a draft that is wrong, but for the channel."""
    is_mode = draft.is_alert or draft.mode in {mode.value for mode in models.Mode}
    is_least = draft.least in {each.value for each in form_fields.LEAST}
    sentences = {
        "days": "" if draft.days else NO_DAY,
        "look_days": "" if draft.look_days else NO_DAY,
        "month_day": "" if month_day_of(draft.month_day) else "Please choose a day.",
        "at": "" if time_of(draft.at or "") else "Please choose a time, such as 09:00.",
        "zone": "" if is_zone(draft.zone or "") else "Pick a time zone from the list.",
        "filter_text": filter_problem(draft.filter_text.strip()),
        "mode": "" if is_mode else "Please choose when to post.",
        "worst": _number_problem(draft.worst, models.WORST_COUNTS),
        "name": SECRET if holds_secret(draft.name) else "",
        "points": _number_problem(draft.points, models.POINTS),
        "end_days": ""
        if end_days_of(draft.end_days)
        else "Type up to six whole numbers from 1 to 365.",
        "least": "" if is_least else "Please choose a severity.",
        "remind_after": _reminder_problem(draft.reminder),
        **_rule_problem(draft),
    }
    return {name: sentence for name, sentence in sentences.items() if sentence}


def _number_problem(text: str, allowed: range) -> str:
    if models.number_of(text.strip(), allowed) is not None:
        return ""
    return f"Type a whole number from {allowed[0]} to {allowed[-1]}."


def filter_problem(typed: str) -> str:
    """Return why a text is no filter of `/domains`, an empty text for a good one."""
    if len(typed) > models.MAX_FILTER_CHARS:
        return f"A filter has at most {models.MAX_FILTER_CHARS} characters."
    if holds_secret(typed):
        return SECRET
    sentences, unusable = [], models.unusable_words(typed)
    try:
        parse_query(typed)
    except NotUnderstoodError as error:
        problems = [
            _named(each.part) + (f", which {each.why.replace('`', '')}" if each.why else "")
            for each in error.problems
            if each.part not in unusable
        ]
        if problems:
            sentences.append(f"I couldn't read {'; '.join(problems)}.")
    if unusable:
        named = " and ".join(map(_named, unusable))
        sentences.append(f"Leave out {named}: a post has neither an order nor pages.")
    if sum(typed.count(mark) for mark in QUOTES) % 2:
        sentences.append('A quotation mark (") is opened and not closed.')
    return " ".join(sentences)


def _named(part: str) -> str:
    return f"“{outside(part, 60)}”"


def _reminder_problem(reminder: models.Reminder | None) -> str:
    if reminder is None:
        return ""
    if reminder.group and not GROUP_ID.fullmatch(reminder.group[0]):
        return "Please pick the user group from the list."
    return "" if reminder.who else "Choose people or a user group to mention then."


def _rule_problem(draft: Draft) -> dict[str, str]:
    """Return what is wrong with the fields of a new mention rule, by name."""
    label, group = draft.label, draft.group
    if group and not GROUP_ID.fullmatch(group[0]):
        return {"group": "Please pick a user group from the list."}
    if not label:
        named = draft.people or group
        return {"label": "Pick the tag or folder whose domains they own."} if named else {}
    if not models.is_label(label):
        return {"label": "Pick a tag or a folder from the list, or type tag:prod."}
    if not draft.people and not group:
        return {"people": "Choose people, or clear the tag or folder."}
    if len(draft.kept or ()) >= models.MAX_RULES:
        many = f"There can be {models.MAX_RULES} rules. Remove the tick from one first."
        return {"label": many}
    return {}


def kept_rules(draft: Draft, rules: Sequence[models.Mention]) -> list[models.Mention]:
    """Return those of a digest's present rules whose box is ticked."""
    if draft.kept is None:
        return [*rules]
    ticked = {found[0] for found in map(box_of, draft.kept) if found}
    return [rule for place, rule in enumerate(rules) if place in ticked]


def with_rule(
    rules: Sequence[models.Mention], new: Iterable[models.Mention]
) -> tuple[models.Mention, ...]:
    """Return the rules with a new one, if any, which is merged into a rule of the same label."""
    by_label = {rule.label.casefold(): rule for rule in rules}
    for rule in new:
        known = by_label.get(rule.label.casefold(), models.Mention(label=rule.label, who=()))
        who = tuple(dict.fromkeys((*known.who, *rule.who)))
        by_label[rule.label.casefold()] = models.Mention(label=known.label, who=who)
    return tuple(by_label.values())[: models.MAX_RULES]


def read_pause_form(values: Values) -> date | None:
    """Return the day on which a pause ends, `None` for none."""
    picked = field_in(values, UNTIL_FIELD).state.get("selected_date")
    return date.fromisoformat(picked) if picked else None
