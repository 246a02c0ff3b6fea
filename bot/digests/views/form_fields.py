"""Draw the fields of a digest's form: where, when and what. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.blocks.builders import field, input_element, option
from bot.blocks.message import Block
from bot.blocks.text import plural
from bot.digests import models
from bot.digests.schedule import LOOKS, Schedule, time_of
from bot.digests.views.schedule import DAY_NAMES
from bot.digests.views.wording import ALERT_NAME, MODE_NAMES
from bot.process.redaction import holds_secret
from bot.process.zones import is_zone, offset_text

CHANNEL_FIELD, DAYS_FIELD, TIME_FIELD = "digests.channel", "digests.days", "digests.time"
ZONE_FIELD, FILTER_FIELD, MODE_FIELD = "digests.zone", "digests.filter", "digests.mode"
LIFE_FIELD, WORST_FIELD = "digests.life", "digests.worst"
LABEL_FIELD, PEOPLE_FIELD, GROUP_FIELD = "digests.label", "digests.people", "digests.group"
RULES_FIELD = "digests.rules"
WEEKDAYS = frozenset(range(5))
NEVER = "never"  # a value of `Heartbeat`
LIVES = {NEVER: "Never"} | {
    f"{runs}": f"After {plural(runs, 'quiet run')}" for runs in models.HEARTBEATS
}


_AS_SOON = f"{ALERT_NAME[0].lower()}{ALERT_NAME[1:]}"
MODE_HINT = (
    "“Check every … minutes” checks all day on the chosen days. The time does not matter then."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The values of the fields; `None` or empty for no value.

    `group` is the id of a user group and its handle. `days` are weekdays, 0 is Monday. `kept` are
    the values of the ticked mention rules' boxes, `None` for all.
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

    @property
    def schedule(self) -> Schedule | None:
        """The schedule, or `None` while its fields are incomplete."""
        at = time_of(self.at or "")
        if at is None or not self.days or not is_zone(self.zone or ""):
            return None
        return Schedule(self.days, at, self.zone or "", looks_of(self.mode))


def draft_of(plan: models.Plan) -> Draft:
    """Return the fields of an existing digest, without its mention rules."""
    every = plan.heartbeat_every
    return Draft(
        channel_id=plan.channel_id,
        days=plan.schedule.days,
        at=f"{plan.schedule.at:%H:%M}",
        zone=plan.schedule.zone,
        filter_text=plan.filter_text,
        mode=f"{plan.schedule.every or plan.mode.value}",
        life=NEVER if every is None else f"{every}",
        worst=f"{plan.worst_count}",
    )


def looks_of(mode: str) -> int | None:
    """Return the minutes between two looks, `None` for a digest at a time of day."""
    return next((every for every in LOOKS if mode == f"{every}"), None)


def channel_field(draft: Draft, nonce: str) -> Block:
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
    days = [option(f"{day}", name) for day, name in enumerate(DAY_NAMES)]
    chosen = [days[day] for day in sorted(draft.days)]
    boxes = input_element("checkboxes", DAYS_FIELD, options=days, initial_options=chosen or None)
    is_time = time_of(draft.at or "") is not None
    at = input_element("timepicker", TIME_FIELD, initial_time=draft.at if is_time else None)
    zone = input_element(
        "external_select",
        ZONE_FIELD,
        "Type a city",
        min_query_length=0,
        initial_option=option(draft.zone) if draft.zone and is_zone(draft.zone) else None,
    )
    sent = {"dispatch_action": True}
    return [
        field(f"days:{nonce}", "Days", boxes) | sent,
        field(f"time:{nonce}", "Time", at) | sent,
        field(f"zone:{nonce}", "Time zone", zone) | sent,
    ]


def zone_option(name: str, now: datetime) -> Block:
    """Return a time zone as an option, with its UTC offset."""
    return option(name, note=offset_text(name, now))


def what_fields(draft: Draft, nonce: str) -> list[Block]:
    """Return the fields of the content and of the posting condition."""
    is_secret = holds_secret(draft.filter_text)
    filter_box = input_element(
        "plain_text_input",
        FILTER_FIELD,
        "tag:prod below:80",
        max_length=models.MAX_FILTER_CHARS,
        initial_value=None if is_secret else draft.filter_text[: models.MAX_FILTER_CHARS] or None,
    )
    modes = {mode.value: name for mode, name in MODE_NAMES.items()}
    # The minutes come first: a phone cuts off the end.
    modes |= {f"{every}": f"Check every {every} minutes, post {_AS_SOON}" for every in LOOKS}
    lives = _select(LIFE_FIELD, LIVES, draft.life)
    worst = _number(WORST_FIELD, models.WORST_COUNTS, draft.worst)
    filter_hint = "Same filters as /domains. Leave empty for all domains."
    life_hint = "Post “no changes” after this many quiet runs."
    return [
        field(f"filter:{nonce}", "Filter", filter_box, hint=filter_hint, optional=True),
        field(f"mode:{nonce}", "Post", _select(MODE_FIELD, modes, draft.mode), hint=MODE_HINT)
        | {"dispatch_action": True},
        field(f"life:{nonce}", "Heartbeat", lives, hint=life_hint),
        field(f"worst:{nonce}", "Worst domains shown", worst, hint="From 5 to 25."),
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
