"""What a digest's form or a typed line says, of which its plan is made. Plain data."""

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from datetime import time
from typing import Any

from bot.digests import models
from bot.digests.schedule import FORTNIGHT, LOOKS, Schedule, month_day_of, time_of
from bot.dispatch.command_text import QUOTES
from bot.process.zones import is_zone
from bot.tracker.scan_facts import Severity

WORKDAYS, ALL_DAYS = frozenset(range(5)), frozenset(range(7))
WEEKLY, FORTNIGHTLY, MONTHLY = "weekly", "fortnightly", "monthly"
NEVER = "never"  # a value of `Heartbeat` and of `If no one is on it`
_WITHOUT_QUOTES = dict.fromkeys(map(ord, QUOTES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The values of the form's fields as they are typed or chosen; `None` or empty for no value.

    `look_days` are the days of an alert, `days` those of a digest, 0 is Monday. `group` is the id
    of a user group and its handle, `kept` the ticked mention rules' boxes, `None` for all.
    """

    channel_id: str | None = None
    days: frozenset[int] = WORKDAYS
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
    remind_after: str = NEVER
    remind_people: tuple[str, ...] = ()
    remind_group: tuple[str, str] | None = None

    @property
    def every(self) -> int | None:
        """The minutes between two looks of an alert, `None` for a digest at a time of day."""
        return next((every for every in LOOKS if self.mode == f"{every}"), None)

    @property
    def is_alert(self) -> bool:
        return self.every is not None

    @property
    def reminder(self) -> models.Reminder | None:
        """The reminder of an alert in a channel; it may lack people to mention."""
        after = models.number_of(self.remind_after, models.REMIND_AFTER)  # not for "never"
        if after is None or not self.is_alert or models.is_direct(self.channel_id):
            return None
        return models.Reminder(after=after, people=self.remind_people, group=self.remind_group)

    @property
    def schedule(self) -> Schedule | None:
        """The schedule, or `None` while its fields are incomplete."""
        at, zone = time_of(self.at or ""), self.zone or ""
        if not is_zone(zone):
            return None
        if self.every:
            return Schedule(self.look_days, time(9), zone, self.every) if self.look_days else None
        if at is None:
            return None
        if self.repeat == MONTHLY:
            day = month_day_of(self.month_day)
            return Schedule(frozenset(), at, zone, month_day=day) if day else None
        weeks = FORTNIGHT if self.repeat == FORTNIGHTLY else 1
        return Schedule(self.days, at, zone, weeks=weeks) if self.days else None


def draft_of(plan: models.Plan) -> Draft:
    """Return the fields of an existing digest, without its mention rules."""
    schedule, rule, reminder = plan.schedule, plan.rule, plan.reminder
    is_weekly = schedule.weeks != FORTNIGHT
    return Draft(
        channel_id=plan.channel_id,
        repeat=MONTHLY if schedule.month_day else WEEKLY if is_weekly else FORTNIGHTLY,
        days=WORKDAYS if plan.is_alert or schedule.month_day else schedule.days,
        look_days=schedule.days if plan.is_alert else ALL_DAYS,
        month_day=schedule.month_day or "1",
        at=f"{schedule.at:%H:%M}",
        zone=schedule.zone,
        filter_text=plan.filter_text,
        mode=f"{schedule.every or plan.mode.value}",
        life=f"{plan.heartbeat_every or NEVER}",
        worst=f"{plan.worst_count}",
        name=plan.name,
        points=f"{rule.points}",
        end_days=", ".join(map(str, rule.days)),
        least=rule.least.value,
        has_file=plan.has_file,
        remind_after=f"{reminder.after}" if reminder else NEVER,
        remind_people=reminder.people if reminder else (),
        remind_group=reminder.group if reminder else None,
    )


def plan_of(draft: Draft) -> models.Plan:
    """Return the plan of a draft, with its new mention rule only; ValueError: it has a problem."""
    schedule = draft.schedule
    if schedule is None:
        raise ValueError("a draft without its days, time or zone")
    who = (*draft.people, *draft.group[:1]) if draft.group else draft.people
    # Without marks in which a typed line could not hold it.
    name = " ".join(draft.name.translate(_WITHOUT_QUOTES).split())[: models.MAX_NAME_CHARS]
    return models.Plan(
        channel_id=draft.channel_id or "",
        schedule=schedule,
        filter_text=draft.filter_text.strip(),
        mode=models.Mode.WORSE if draft.is_alert else models.Mode(draft.mode),
        heartbeat_every=models.number_of(draft.life, models.HEARTBEATS),  # not for "never"
        worst_count=int(draft.worst),
        mentions=(models.Mention(label=draft.label, who=who),) if draft.label else (),
        name=name,
        rule=models.Rule(
            points=int(draft.points),
            days=end_days_of(draft.end_days) or (),
            least=Severity(draft.least),
        ),
        has_file=draft.has_file and not draft.is_alert,
        reminder=draft.reminder,
    )


def end_days_of(text: str) -> tuple[int, ...] | None:
    """Return the days that a text like `30, 14` spells, the most first; `None` for another."""
    numbers = [models.number_of(part, models.END_DAYS) for part in text.replace(",", " ").split()]
    days = {number for number in numbers if number}
    if None in numbers or not 1 <= len(days) <= models.MAX_END_DAYS:
        return None
    return tuple(sorted(days, reverse=True))


@dataclass(frozen=True, slots=True)
class FormNote:
    """What a form carries along: the channel of its list, and for one digest its id and version.

    `channel_id` is `None` for a command typed outside channels, `digest_id` for a new digest.
    `nonce` is part of the fields' block ids: Slack keeps typed text until it changes. `zone` is
    that of who opened the form. `hidden` holds the values of the fields that it does not show.
    """

    channel_id: str | None = None
    digest_id: str | None = None
    version: int = 0
    nonce: str = ""
    zone: str | None = None
    has_more: bool = False
    hidden: Mapping[str, Any] = field(default_factory=dict)

    def as_text(self) -> str:
        """Return the note as `Request.as_metadata` takes it; `note_in` reads it."""
        return json.dumps(astuple(self))


def note_in(text: str | None) -> FormNote:
    """Return the note of a form, an empty one for a form without."""
    return FormNote(*json.loads(text or "[]"))
