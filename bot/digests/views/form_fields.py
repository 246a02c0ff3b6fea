"""Draw the fields of a digest's form: where, when and what. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from bot.blocks.builders import actions, button, field, input_element, option, section
from bot.blocks.message import Block
from bot.blocks.text import plural
from bot.digests import models
from bot.digests.schedule import (
    FORTNIGHT,
    LOOKS,
    ORDINALS,
    Schedule,
    month_day_of,
    time_of,
)
from bot.digests.schedule import WEEKDAYS as SHORT_NAMES
from bot.digests.views.schedule import DAY_NAMES, month_day_text
from bot.digests.views.wording import MODE_NAMES
from bot.process.redaction import holds_secret
from bot.process.zones import is_zone, offset_text
from bot.tracker.findings import Severity

CHANNEL_FIELD, DAYS_FIELD, TIME_FIELD = "digests.channel", "digests.days", "digests.time"
ZONE_FIELD, FILTER_FIELD, MODE_FIELD = "digests.zone", "digests.filter", "digests.mode"
LIFE_FIELD, WORST_FIELD = "digests.life", "digests.worst"
LABEL_FIELD, PEOPLE_FIELD, GROUP_FIELD = "digests.label", "digests.people", "digests.group"
RULES_FIELD = "digests.rules"
REPEAT_FIELD, DAY_FIELD, LOOK_DAYS_FIELD = "digests.repeat", "digests.day", "digests.look_days"
NAME_FIELD, POINTS_FIELD = "digests.name", "digests.points"
FILE_FIELD = "digests.file"
END_DAYS_FIELD, LEAST_FIELD = "digests.end_days", "digests.least"
MORE = "digests.more"
WEEKDAYS, ALL_DAYS = frozenset(range(5)), frozenset(range(7))
WEEKLY, FORTNIGHTLY, MONTHLY = "weekly", "fortnightly", "monthly"
_REPEATS = {WEEKLY: "Every week", FORTNIGHTLY: "Every two weeks", MONTHLY: "Monthly"}
LEAST = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW)
NEVER = "never"  # a value of `Heartbeat`
LIVES = {NEVER: "Never"} | {
    f"{runs}": f"After {plural(runs, 'quiet run')}" for runs in models.HEARTBEATS
}

# Fields that the form may lack, by the value of the draft that they hold.
_MAY_LACK = {
    "channel_id": CHANNEL_FIELD,
    "repeat": REPEAT_FIELD,
    "days": DAYS_FIELD,
    "look_days": LOOK_DAYS_FIELD,
    "month_day": DAY_FIELD,
    "at": TIME_FIELD,
    "life": LIFE_FIELD,
    "worst": WORST_FIELD,
    "name": NAME_FIELD,
    "points": POINTS_FIELD,
    "end_days": END_DAYS_FIELD,
    "least": LEAST_FIELD,
    "has_file": FILE_FIELD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The values of the fields; `None` or empty for no value.

    `look_days` are the days of an alert, `days` those of a digest, 0 is Monday. `group` is the id
    of a user group and its handle. `kept` are the values of the ticked mention rules' boxes,
    `None` for all.
    """

    channel_id: str | None = None
    days: frozenset[int] = WEEKDAYS
    at: str | None = "09:00"
    zone: str | None = None
    filter_text: str = ""
    mode: str = models.Mode.ALWAYS.value
    life: str = NEVER
    worst: str = "5"
    label: str | None = None
    people: tuple[str, ...] = ()
    group: tuple[str, str] | None = None
    kept: tuple[str, ...] | None = None
    repeat: str = WEEKLY
    look_days: frozenset[int] = ALL_DAYS
    month_day: str = "1"
    name: str = ""
    points: str = f"{models.DEFAULT_RULE.points}"
    end_days: str = ", ".join(map(str, models.DEFAULT_RULE.days))
    least: str = models.DEFAULT_RULE.least.value
    has_file: bool = False

    @property
    def is_alert(self) -> bool:
        return looks_of(self.mode) is not None

    @property
    def schedule(self) -> Schedule | None:
        """The schedule, or `None` while its fields are incomplete."""
        every, at, zone = looks_of(self.mode), time_of(self.at or ""), self.zone or ""
        if not is_zone(zone):
            return None
        if every:
            return Schedule(self.look_days, time(9), zone, every) if self.look_days else None
        if at is None:
            return None
        if self.repeat == MONTHLY:
            day = month_day_of(self.month_day)
            return Schedule(frozenset(), at, zone, month_day=day) if day else None
        weeks = FORTNIGHT if self.repeat == FORTNIGHTLY else 1
        return Schedule(self.days, at, zone, weeks=weeks) if self.days else None


def draft_of(plan: models.Plan) -> Draft:
    """Return the fields of an existing digest, without its mention rules."""
    every, schedule, rule = plan.heartbeat_every, plan.schedule, plan.rule
    is_weekly = schedule.weeks != FORTNIGHT
    return Draft(
        channel_id=plan.channel_id,
        repeat=MONTHLY if schedule.month_day else WEEKLY if is_weekly else FORTNIGHTLY,
        days=WEEKDAYS if plan.is_alert or schedule.month_day else schedule.days,
        look_days=schedule.days if plan.is_alert else ALL_DAYS,
        month_day=schedule.month_day or "1",
        at=f"{schedule.at:%H:%M}",
        zone=schedule.zone,
        filter_text=plan.filter_text,
        mode=f"{schedule.every or plan.mode.value}",
        life=NEVER if every is None else f"{every}",
        worst=f"{plan.worst_count}",
        name=plan.name,
        points=f"{rule.points}",
        end_days=", ".join(map(str, rule.days)),
        least=rule.least.value,
        has_file=plan.has_file,
    )


def hidden_values(draft: Draft, blocks: Iterable[Block]) -> dict[str, Any]:
    """Return the values of the fields that are not among `blocks`, valid ones, for JSON."""
    shown = {block["element"]["action_id"] for block in blocks if block["type"] == "input"}
    values = {
        name: getattr(draft, name) for name, field in _MAY_LACK.items() if field not in shown
    }
    default = Draft()
    is_valid = {
        "days": bool(draft.days),
        "look_days": bool(draft.look_days),
        "month_day": bool(month_day_of(draft.month_day)),
        "at": time_of(draft.at or "") is not None,
        "worst": models.number_of(draft.worst, models.WORST_COUNTS) is not None,
    }
    return {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in values.items()
        if is_valid.get(name, True) and value != getattr(default, name)
    }


def with_hidden(values: Mapping[str, Any]) -> Draft:
    """Return a draft of what `hidden_values` gave."""
    given: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, list) else value
        for name, value in values.items()
    }
    return Draft(**given)


def looks_of(mode: str) -> int | None:
    """Return the minutes between two looks, `None` for a digest at a time of day."""
    return next((every for every in LOOKS if mode == f"{every}"), None)


def channel_field(draft: Draft, nonce: str) -> Block:
    """Return the field of the channel, which a digest for one person has not."""
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
    return field(f"channel:{nonce}", "Channel", element, hint=hint)


def when_fields(draft: Draft, nonce: str) -> list[Block]:
    """Return the fields of the schedule; each change is sent at once, to show the next runs."""
    is_time = time_of(draft.at or "") is not None
    at = input_element("timepicker", TIME_FIELD, initial_time=draft.at if is_time else None)
    zone = input_element(
        "external_select",
        ZONE_FIELD,
        "Type a city",
        min_query_length=0,
        initial_option=option(draft.zone) if draft.zone and is_zone(draft.zone) else None,
    )
    fields = [field(f"zone:{nonce}", "Time zone", zone)]
    if draft.is_alert:
        boxes = _boxes(LOOK_DAYS_FIELD, draft.look_days)
        fields = [field(f"look-days:{nonce}", "Days", boxes), *fields]
    else:
        repeat = _select(REPEAT_FIELD, _REPEATS, draft.repeat)
        month_day = _select(DAY_FIELD, _MONTH_DAYS, draft.month_day)
        fields = [
            field(f"repeat:{nonce}", "Repeat", repeat),
            field(f"day:{nonce}", "Day", month_day)
            if draft.repeat == MONTHLY
            else field(f"days:{nonce}", "Days", _boxes(DAYS_FIELD, draft.days)),
            field(f"time:{nonce}", "Time", at),
            *fields,
        ]
    return [each | {"dispatch_action": True} for each in fields]


_MONTH_DAYS = {f"{day}": month_day_text(f"{day}")[7:] for day in range(1, 32)} | {
    f"{ordinal} {name}": month_day_text(f"{ordinal} {name}")[7:]
    for ordinal in ORDINALS
    for name in SHORT_NAMES
}


def _boxes(action_id: str, chosen: frozenset[int]) -> Block:
    days = [option(f"{day}", name) for day, name in enumerate(DAY_NAMES)]
    ticked = [days[day] for day in sorted(chosen)]
    return input_element("checkboxes", action_id, options=days, initial_options=ticked or None)


def zone_option(name: str, now: datetime) -> Block:
    """Return a time zone as an option, with its UTC offset."""
    return option(name, note=offset_text(name, now))


def what_fields(draft: Draft, nonce: str) -> list[Block]:
    """Return the fields of the filter and of the posting condition."""
    is_secret = holds_secret(draft.filter_text)
    filter_box = input_element(
        "plain_text_input",
        FILTER_FIELD,
        "tag:prod below:80",
        max_length=models.MAX_FILTER_CHARS,
        initial_value=None if is_secret else draft.filter_text[: models.MAX_FILTER_CHARS] or None,
    )
    modes = {mode.value: name for mode, name in MODE_NAMES.items()}
    modes |= {f"{every}": f"Alert, every {every} minutes" for every in LOOKS}
    filter_hint = "Same filters as /domains. Leave empty for all domains."
    mode_hint = "An alert is posted as soon as something gets worse." if draft.is_alert else ""
    return [
        field(f"filter:{nonce}", "Filter", filter_box, hint=filter_hint, optional=True),
        field(f"mode:{nonce}", "Post", _select(MODE_FIELD, modes, draft.mode), hint=mode_hint)
        | {"dispatch_action": True},
    ]


def more_button() -> list[Block]:
    """Return the button behind which the other fields are."""
    return actions(button("More options", MORE))


def more_fields(draft: Draft, nonce: str) -> list[Block]:
    """Return the fields behind `More options` that mean something for this way to post."""
    name = input_element(
        "plain_text_input",
        NAME_FIELD,
        max_length=models.MAX_NAME_CHARS,
        initial_value=None if holds_secret(draft.name) else draft.name or None,
    )
    fields = [field(f"name:{nonce}", "Name", name, optional=True)]
    if draft.mode in {models.Mode.CHANGES.value, models.Mode.WORSE.value}:
        lives = _select(LIFE_FIELD, LIVES, draft.life)
        hint = "Post “no changes” after this many quiet runs."
        fields.append(field(f"life:{nonce}", "Heartbeat", lives, hint=hint))
    if not draft.is_alert:
        worst = _number(WORST_FIELD, models.WORST_COUNTS, draft.worst)
        fields.append(field(f"worst:{nonce}", "Worst domains shown", worst, hint="From 5 to 25."))
        file = option("file", "The whole list as CSV in the thread")
        box = input_element(
            "checkboxes",
            FILE_FIELD,
            options=[file],
            initial_options=[file] if draft.has_file else None,
        )
        hint = "Needs the app's optional permission files:write."
        fields.append(field(f"file:{nonce}", "File", box, hint=hint, optional=True))
    points = _number(POINTS_FIELD, models.POINTS, draft.points)
    days = input_element(
        "plain_text_input", END_DAYS_FIELD, initial_value=draft.end_days[:100] or None
    )
    least = _select(
        LEAST_FIELD, {each.value: each.value.capitalize() for each in LEAST}, draft.least
    )
    return [
        *fields,
        field(
            f"points:{nonce}",
            "Points of change",
            points,
            hint="A score counts as worse or better from so many points on, 1 to 50.",
        ),
        field(
            f"end-days:{nonce}",
            "Days before an end",
            days,
            hint="Up to six numbers from 1 to 365. Each counts as worse when it is reached.",
        ),
        field(
            f"least:{nonce}",
            "Least severity",
            least,
            hint="A new issue counts as worse from this severity on.",
        ),
    ]


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
