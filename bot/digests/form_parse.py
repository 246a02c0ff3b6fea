"""Parse and validate the fields of a digest's form. Pure."""

import dataclasses
import re
from collections.abc import Iterator
from datetime import date

from bot.blocks.text import outside
from bot.digests import models
from bot.digests.schedule import Schedule, time_of
from bot.digests.views import form_fields
from bot.digests.views.mention_fields import box_of
from bot.digests.views.modal import UNTIL_FIELD
from bot.dispatch.command_text import NotUnderstoodError
from bot.dispatch.incoming import Values, field_in
from bot.dispatch.request import FormErrors
from bot.domains.query import parse_query
from bot.process.redaction import holds_secret
from bot.process.zones import is_zone
from bot.slack.usergroups import GROUP_ID

# The same as in `split_words`: Slack's clients write curly ones.
_QUOTES = '"“”„‟«»'
_CHANNEL = re.compile(r"[CG][A-Z0-9]+")
DAYS = {f"{day}": day for day in range(7)}


def draft_in(values: Values) -> form_fields.Draft:
    days = field_in(values, form_fields.DAYS_FIELD).options
    rules = field_in(values, form_fields.RULES_FIELD)
    has_rules = rules.state.get("selected_options") is not None
    return form_fields.Draft(
        channel_id=field_in(values, form_fields.CHANNEL_FIELD).state.get("selected_conversation"),
        days=frozenset(DAYS[day] for day in days if day in DAYS),
        at=field_in(values, form_fields.TIME_FIELD).state.get("selected_time"),
        zone=field_in(values, form_fields.ZONE_FIELD).value,
        filter_text=field_in(values, form_fields.FILTER_FIELD).text,
        mode=field_in(values, form_fields.MODE_FIELD).value or "",
        life=field_in(values, form_fields.LIFE_FIELD).value or "",
        worst=field_in(values, form_fields.WORST_FIELD).text,
        label=field_in(values, form_fields.LABEL_FIELD).value,
        people=field_in(values, form_fields.PEOPLE_FIELD).user_ids,
        group=field_in(values, form_fields.GROUP_FIELD).option,
        kept=tuple(filter(box_of, rules.options)) if has_rules else None,
    )


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

    Of the present rules those at the indexes `kept` stay; `None` means all.
    """

    draft: form_fields.Draft
    plan: models.Plan
    kept: frozenset[int] | None = None


def read_digest_form(values: Values) -> GivenDigest:
    """Return the values of the form; raise FormErrors, by block id."""
    draft, errors = draft_in(values), dict[str, str]()
    schedule = _schedule_in(draft, errors)
    if not _CHANNEL.fullmatch(draft.channel_id or ""):  # a direct message is none
        errors[form_fields.CHANNEL_FIELD] = "Please choose a channel."
    filter_text = draft.filter_text.strip()
    if problem := filter_problem(filter_text):
        errors[form_fields.FILTER_FIELD] = problem
    mode = next((each for each in models.Mode if each.value == draft.mode), None)
    mode = models.Mode.WORSE if form_fields.looks_of(draft.mode) else mode
    if mode is None:
        errors[form_fields.MODE_FIELD] = "Please choose when to post."
    worst = _number_in(draft.worst, models.WORST_COUNTS, form_fields.WORST_FIELD, errors)
    rule = rule_in(draft, errors)
    # Without an error all values are there; the type checker needs the names.
    if errors or not (draft.channel_id and schedule and mode):
        raise FormErrors({field_in(values, name).block_id: text for name, text in errors.items()})
    plan = models.Plan(
        channel_id=draft.channel_id,
        schedule=schedule,
        filter_text=filter_text,
        mode=mode,
        heartbeat_every=models.number_of(draft.life, models.HEARTBEATS),  # not for "never"
        worst_count=worst,
        mentions=(rule,) if rule else (),
    )
    boxes = map(box_of, draft.kept or ())
    kept = None if draft.kept is None else frozenset(place for place, _ in filter(None, boxes))
    return GivenDigest(draft=draft, plan=plan, kept=kept)


def _schedule_in(draft: form_fields.Draft, errors: dict[str, str]) -> Schedule | None:
    """Return when to post; add its problems to `errors` by field."""
    at, zone = time_of(draft.at or ""), draft.zone or ""
    if not draft.days:
        errors[form_fields.DAYS_FIELD] = "Please choose at least one day."
    if at is None:
        errors[form_fields.TIME_FIELD] = "Please choose a time, such as 09:00."
    if not is_zone(zone):
        errors[form_fields.ZONE_FIELD] = "Pick a time zone from the list."
    if errors or at is None:
        return None
    return Schedule(draft.days, at, zone, form_fields.looks_of(draft.mode))


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
