"""Draw the fields of a digest's form: where, when, what, and whom to mention. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from bot.blocks.builders import context, field, input_element, mrkdwn_text, option, section
from bot.blocks.message import Block
from bot.blocks.text import (
    MAX_OPTION_CHARS,
    MAX_OPTION_VALUE_CHARS,
    escaped,
    lines_within,
    minutes_text,
    outside,
    plural,
)
from bot.digests import models
from bot.digests.draft import FORTNIGHTLY, MONTHLY, NEVER, WEEKLY, Draft
from bot.digests.schedule import LOOKS, ORDINALS, WEEKDAYS, time_of
from bot.digests.views.schedule import DAY_NAMES, month_day_text
from bot.digests.views.wording import MODE_NAMES, mention_tokens
from bot.process.redaction import holds_secret
from bot.process.zones import is_zone, offset_text
from bot.slack.channels import UserGroup
from bot.tracker.scan_facts import Severity

CHANNEL_FIELD, DAYS_FIELD, TIME_FIELD = "digests.channel", "digests.days", "digests.time"
ZONE_FIELD, FILTER_FIELD, MODE_FIELD = "digests.zone", "digests.filter", "digests.mode"
LIFE_FIELD, WORST_FIELD = "digests.life", "digests.worst"
LABEL_FIELD, PEOPLE_FIELD, GROUP_FIELD = "digests.label", "digests.people", "digests.group"
RULES_FIELD = "digests.rules"
REPEAT_FIELD, DAY_FIELD, LOOK_DAYS_FIELD = "digests.repeat", "digests.day", "digests.look_days"
NAME_FIELD, POINTS_FIELD = "digests.name", "digests.points"
FILE_FIELD = "digests.file"
END_DAYS_FIELD, LEAST_FIELD = "digests.end_days", "digests.least"
REMIND_FIELD, REMIND_PEOPLE_FIELD = "digests.remind", "digests.remind_people"
REMIND_GROUP_FIELD = "digests.remind_group"
MORE = "digests.more"
_REPEATS = {WEEKLY: "Every week", FORTNIGHTLY: "Every two weeks", MONTHLY: "Monthly"}
LEAST = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW)
LIVES = {NEVER: "Never"} | {
    f"{runs}": f"After {plural(runs, 'quiet run')}" for runs in models.HEARTBEATS
}
_REMINDERS = {NEVER: "Mention no one"} | {
    f"{minutes}": f"After {minutes_text(minutes)}" for minutes in models.REMIND_AFTER
}
_MONTH_DAYS = {f"{day}": month_day_text(f"{day}")[7:] for day in range(1, 32)} | {
    f"{ordinal} {name}": month_day_text(f"{ordinal} {name}")[7:]
    for ordinal in ORDINALS
    for name in WEEKDAYS
}
MAX_OFFERED, MAX_PEOPLE = 100, 10
_KINDS = ("tag", "folder")
_BOX = re.compile(r"(\d{1,2}) (.*)", re.ASCII)
_OFF = (
    "Off. Choose a tag or folder and people: the post mentions them when its domains get worse."
    " To add another rule, save first."
)


def channel_field(draft: Draft) -> Block:
    if models.is_direct(draft.channel_id):
        return section("*Channel*\nYour direct messages with this app. Only you see it.")
    element = input_element(
        "conversations_select",
        CHANNEL_FIELD,
        "Choose a channel",
        filter={"include": ["public", "private"]},
        initial_conversation=draft.channel_id or None,
    )
    hint = "The app must be in this channel. To add it, type /invite there."
    return _field("Channel", element, hint)


def when_fields(draft: Draft) -> list[Block]:
    """Return the fields of the schedule; each change is sent at once, to show the next runs."""
    is_time = time_of(draft.at or "") is not None
    at = input_element("timepicker", TIME_FIELD, initial_time=draft.at if is_time else None)
    known = option(draft.zone) if draft.zone and is_zone(draft.zone) else None
    zone = _field("Time zone", _search(ZONE_FIELD, "Type a city", known))
    if draft.is_alert:
        fields = [_field("Days", _days(LOOK_DAYS_FIELD, draft.look_days)), zone]
    else:
        is_monthly = draft.repeat == MONTHLY
        fields = [
            _field("Repeat", _select(REPEAT_FIELD, _REPEATS, draft.repeat)),
            _field("Day", _select(DAY_FIELD, _MONTH_DAYS, draft.month_day))
            if is_monthly
            else _field("Days", _days(DAYS_FIELD, draft.days)),
            _field("Time", at),
            zone,
        ]
    return [each | {"dispatch_action": True} for each in fields]


def zone_option(name: str, now: datetime) -> Block:
    return option(name, note=offset_text(name, now))


def what_fields(draft: Draft) -> list[Block]:
    filter_text = draft.filter_text[: models.MAX_FILTER_CHARS]
    filter_box = _text(FILTER_FIELD, filter_text, models.MAX_FILTER_CHARS, "tag:prod below:80")
    modes = {mode.value: name for mode, name in MODE_NAMES.items()}
    modes |= {f"{every}": f"Alert, every {every} minutes" for every in LOOKS}
    mode = _select(MODE_FIELD, modes, draft.mode)
    mode_hint = "An alert is posted as soon as something gets worse." if draft.is_alert else ""
    filter_hint = "Same filters as /domains. Leave empty for all domains."
    return [
        _field("Filter", filter_box, filter_hint, optional=True),
        _field("Post", mode, mode_hint) | {"dispatch_action": True},
    ]


def more_fields(draft: Draft) -> list[Block]:
    """Return the fields behind `More options` that mean something for this way to post."""
    name = _text(NAME_FIELD, draft.name, models.MAX_NAME_CHARS)
    fields = [_field("Name", name, optional=True)]
    if draft.mode in {models.Mode.CHANGES.value, models.Mode.WORSE.value}:
        lives = _select(LIFE_FIELD, LIVES, draft.life)
        fields.append(_field("Heartbeat", lives, "Post “no changes” after this many quiet runs."))
    if not draft.is_alert:
        worst = _number(WORST_FIELD, models.WORST_COUNTS, draft.worst)
        whole = [option("file", "The whole list as CSV in the thread")]
        file = _boxes(FILE_FIELD, whole, whole if draft.has_file else ())
        hint = "Needs the app's optional permission files:write."
        fields.append(_field("Worst domains shown", worst, "From 5 to 25."))
        fields.append(_field("File", file, hint, optional=True))
    points = _number(POINTS_FIELD, models.POINTS, draft.points)
    severities = {each.value: each.value.capitalize() for each in LEAST}
    of_points = "At least this many points, 1 to 50, count as worse or better."
    of_days = "Warn when this many days are left. Up to six numbers from 1 to 365."
    of_least = "A new issue counts as worse from this severity on."
    return [
        *fields,
        _field("Points of change", points, of_points),
        _field("Days before an end", _text(END_DAYS_FIELD, draft.end_days), of_days),
        _field("Least severity", _select(LEAST_FIELD, severities, draft.least), of_least),
        *_reminder_fields(draft),
    ]


def _reminder_fields(draft: Draft) -> list[Block]:
    """Return the fields of an alert's reminder; its choice shows and hides those behind it."""
    if not draft.is_alert or models.is_direct(draft.channel_id):
        return []
    after = _select(REMIND_FIELD, _REMINDERS, draft.remind_after)
    hint = "Once for each card, in its thread, unless it was taken, snoozed, or has recovered."
    fields = [_field("If no one is on it", after, hint) | {"dispatch_action": True}]
    if draft.reminder:
        people = _people(REMIND_PEOPLE_FIELD, draft.remind_people)
        fields.append(_field("Then mention", people, optional=True))
        group = _groups(REMIND_GROUP_FIELD, draft.remind_group)
        fields.append(_field("Then mention user group", group, optional=True))
    return fields


def _field(label: str, element: Block, hint: str = "", *, optional: bool = False) -> Block:
    """Return a labelled field in a block with the id of its element: see `edit_blocks`."""
    return field(element["action_id"], label, element, hint=hint, optional=optional)


def _text(action_id: str, given: str, limit: int | None = None, placeholder: str = "") -> Block:
    kept = None if holds_secret(given) else given or None
    return input_element(
        "plain_text_input", action_id, placeholder, max_length=limit, initial_value=kept
    )


def _number(action_id: str, allowed: range, given: str) -> Block:
    return input_element(
        "number_input",
        action_id,
        is_decimal_allowed=False,
        min_value=f"{allowed[0]}",
        max_value=f"{allowed[-1]}",
        initial_value=None if models.number_of(given, allowed) is None else given,
    )


def _select(action_id: str, options: Mapping[str, str], chosen: str) -> Block:
    return input_element(
        "static_select",
        action_id,
        options=[option(value, text) for value, text in options.items()],
        initial_option=option(chosen, options[chosen]) if chosen in options else None,
    )


def _search(action_id: str, placeholder: str, chosen: Block | None) -> Block:
    return input_element(
        "external_select", action_id, placeholder, min_query_length=0, initial_option=chosen
    )


def _people(action_id: str, chosen: Sequence[str]) -> Block:
    return input_element(
        "multi_users_select",
        action_id,
        "Choose people",
        max_selected_items=MAX_PEOPLE,
        initial_users=list(chosen[:MAX_PEOPLE]) or None,
    )


def _groups(action_id: str, chosen: tuple[str, str] | None) -> Block:
    return _search(action_id, "Choose a user group", option(*chosen) if chosen else None)


def _boxes(action_id: str, options: Sequence[Block], ticked: Sequence[Block] = ()) -> Block:
    return input_element(
        "checkboxes", action_id, options=options, initial_options=[*ticked] or None
    )


def _days(action_id: str, chosen: frozenset[int]) -> Block:
    days = [option(f"{day}", name) for day, name in enumerate(DAY_NAMES)]
    return _boxes(action_id, days, [days[day] for day in sorted(chosen)])


def rule_boxes(rules: Sequence[models.Mention]) -> dict[str, str]:
    """Return the value of each rule's checkbox, which `box_of` parses, and its mentions."""
    return {
        outside(f"{place} {rule.label}", MAX_OPTION_VALUE_CHARS): who_text(rule)
        for place, rule in enumerate(rules)
    }


def box_of(value: str) -> tuple[int, str] | None:
    """Return the index of a checkbox's rule, and its label."""
    found = _BOX.fullmatch(value)
    return (int(found[1]), found[2]) if found else None


def who_text(rule: models.Mention) -> str:
    """Return the mentions of a rule, as many as fit below a checkbox."""
    who = mention_tokens(rule.who)
    if len(" ".join(who)) <= MAX_OPTION_CHARS:
        return " ".join(who)
    shown = lines_within(who, MAX_OPTION_CHARS - len("and 10 more"))
    return " ".join([*shown, f"and {len(who) - len(shown):,} more"])


def rule_label_options(used: Iterable[str], typed: str) -> list[Block]:
    """Return the labels in use that match `typed`, then `typed` as a new label."""
    kind, colon, name = (each.strip() for each in typed.partition(":"))
    if colon and kind.casefold() in _KINDS:  # `Tag: prod`
        sought = f"{kind.casefold()}:{name}"
        meant = [sought]
    else:  # `prod` may be a tag or a folder
        sought = typed.strip()
        meant = [f"{each}:{sought}" for each in _KINDS]
    labels = [label for label in dict.fromkeys(used) if models.is_label(label)]
    options = [option(label) for label in labels if sought.casefold() in label.casefold()]
    known = set(map(str.casefold, labels))
    added = [
        option(label, note="not in use")
        for label in meant
        if label.casefold() not in known and models.is_label(label)
    ]
    return options[: MAX_OFFERED - len(added)] + added


def rule_blocks(boxes: Mapping[str, str], draft: Draft) -> list[Block]:
    label = option(draft.label) if draft.label and models.is_label(draft.label) else None
    named = _search(LABEL_FIELD, "Choose a tag or folder", label)
    return [
        section("*Mention when something gets worse*"),
        _rules(boxes, draft) if boxes else context(_OFF),
        _field("Tag or folder", named, optional=True),
        _field("Mention", _people(PEOPLE_FIELD, draft.people), optional=True),
        _field("Mention user group", _groups(GROUP_FIELD, draft.group), optional=True),
    ]


def _rules(boxes: Mapping[str, str], draft: Draft) -> Block:
    options = {value: _box(value, who) for value, who in boxes.items()}
    ticked = [options[value] for value in options if draft.kept is None or value in draft.kept]
    hint = "Rules without a tick are removed when you save."
    element = _boxes(RULES_FIELD, [*options.values()], ticked)
    return _field("Mention rules", element, hint, optional=True)


def _box(value: str, who: str) -> Block:
    # Only mrkdwn shows people by name, and a description may be mrkdwn only beside mrkdwn:
    # https://github.com/slackapi/node-slack-sdk/pull/2742
    found = box_of(value)
    label = mrkdwn_text(escaped(found[1] if found else ""), MAX_OPTION_CHARS)
    under = {"description": mrkdwn_text(who, MAX_OPTION_CHARS)} if who else {}
    return {"text": label, "value": value, **under}


def group_options(groups: Iterable[UserGroup], typed: str) -> list[Block]:
    typed = typed.strip().removeprefix("@").casefold()
    matching = [group for group in groups if typed in f"{group.handle}\n{group.name}".casefold()]
    return [
        option(group.group_id, f"@{group.handle}", outside(group.name, MAX_OPTION_CHARS))
        for group in matching[:MAX_OFFERED]
    ]
