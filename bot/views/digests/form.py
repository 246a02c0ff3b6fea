"""The form that makes or changes a digest. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.digests.digest import WORST_COUNTS, Digest
from bot.digests.zones import offset_text
from bot.message import Block
from bot.redaction import holds_secret
from bot.views.blocks import button, plain_text, section
from bot.views.digests.draft import (
    CHANNEL_FIELD,
    DAYS_FIELD,
    FILTER_FIELD,
    LIFE_FIELD,
    MAX_FILTER_CHARS,
    MODE_FIELD,
    NEVER,
    OFFERED_LIVES,
    TIME_FIELD,
    WORST_FIELD,
    ZONE_FIELD,
    Draft,
    is_zone,
    life_of,
    time_of,
)
from bot.views.digests.mentions import rule_blocks
from bot.views.digests.plan import MODE_NAMES, person_shown
from bot.views.form import field, form, option
from bot.views.schedule import RUNS_SHOWN, next_runs
from bot.views.text import moment_token, plural

EDIT_FORM = "digests.edit"
BACK = "digests.back"
DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """A digest as somebody is about to make or change it.

    `nonce` is part of the fields' block ids: as long as it stays the same, Slack keeps what is
    typed; with another one a form begins anew. `digest` is `None` for a new one. `removed` are
    the places of the rules of mention that are to go. `said` is finished mrkdwn for the top.
    `reader_zone` is that of whoever sees the form.
    """

    draft: Draft
    nonce: str
    now: datetime
    reader_zone: str | None
    digest: Digest | None = None
    removed: frozenset[int] = frozenset()
    said: str = ""


def edit_form(editing: Editing, metadata: str) -> Block:
    """Return the form; `metadata` comes back with it."""
    draft, nonce, digest = editing.draft, editing.nonce, editing.digest
    blocks = [
        *([section(editing.said)] if editing.said else []),
        section(_about(digest), button("Back", BACK)),
        field(f"channel:{nonce}", "Channel", _channel(draft), hint="I have to be in it."),
        *_when(draft, nonce),
        section(_runs_text(editing)),
        {"type": "divider"},
        *_what(draft, nonce),
        {"type": "divider"},
        *rule_blocks(digest, editing.removed, draft, nonce),
    ]
    title = "Change digest" if digest else "New digest"
    return form(EDIT_FORM, title, "Save", blocks, metadata=metadata)


def zone_option(name: str, now: datetime) -> Block:
    """Return a time zone as an option, with how far it is from UTC at that moment."""
    return option(name, note=offset_text(name, now))


def _about(digest: Digest | None) -> str:
    if digest is None:
        return "A post about your domains that comes by itself: say where, when and about what."
    return f"Made by {person_shown(digest.made_by_name)}, {moment_token(digest.made_at)}."


def _channel(draft: Draft) -> Block:
    element: Block = {
        "type": "conversations_select",
        "action_id": CHANNEL_FIELD,
        "placeholder": plain_text("Choose a channel", 150),
        "filter": {"include": ["public", "private"]},
    }
    return element | ({"initial_conversation": draft.channel_id} if draft.channel_id else {})


def _when(draft: Draft, nonce: str) -> list[Block]:
    """The fields whose every change is told at once: see `_runs_text`."""
    days = [option(f"{day}", name) for day, name in enumerate(DAY_NAMES)]
    chosen = [days[day] for day in sorted(draft.days)]
    boxes: Block = {"type": "checkboxes", "action_id": DAYS_FIELD, "options": days}
    at: Block = {"type": "timepicker", "action_id": TIME_FIELD}
    zone: Block = {
        "type": "external_select",
        "action_id": ZONE_FIELD,
        "min_query_length": 0,
        "placeholder": plain_text("Type a city, a country or utc+2", 150),
    }
    if chosen:
        boxes["initial_options"] = chosen
    if draft.at and time_of(draft.at):
        at["initial_time"] = draft.at
    if draft.zone and is_zone(draft.zone):
        zone["initial_option"] = option(draft.zone)
    told = {"dispatch_action": True}
    return [
        field(f"days:{nonce}", "Days", boxes) | told,
        field(f"time:{nonce}", "Time", at) | told,
        field(f"zone:{nonce}", "Time zone", zone) | told,
    ]


def _runs_text(editing: Editing) -> str:
    schedule = editing.draft.schedule
    if schedule is None:
        return "*Next five runs*\n_Choose days, a time and a time zone to see them._"
    lines = next_runs(schedule, editing.now, editing.reader_zone)
    runs = [f"• {line}" for line in lines[:RUNS_SHOWN]]
    notes = [f"🕑 {line}" for line in lines[RUNS_SHOWN:]]
    return "\n".join(["*Next five runs*", *runs, *notes])


def _what(draft: Draft, nonce: str) -> list[Block]:
    chosen: Block = {
        "type": "plain_text_input",
        "action_id": FILTER_FIELD,
        "placeholder": plain_text("tag:prod below:80", 150),
        "max_length": MAX_FILTER_CHARS,
    }
    if draft.filter_text and not holds_secret(draft.filter_text):
        chosen["initial_value"] = draft.filter_text[:MAX_FILTER_CHARS]
    modes = {mode.value: name for mode, name in MODE_NAMES.items()}
    worst: Block = {
        "type": "number_input",
        "action_id": WORST_FIELD,
        "is_decimal_allowed": False,
        "min_value": f"{WORST_COUNTS[0]}",
        "max_value": f"{WORST_COUNTS[-1]}",
    }
    if draft.worst.isascii() and draft.worst.isdecimal() and int(draft.worst) in WORST_COUNTS:
        worst["initial_value"] = draft.worst
    return [
        field(
            f"filter:{nonce}",
            "Filter",
            chosen,
            hint="The words of /domains. Empty: all domains.",
            optional=True,
        ),
        field(f"mode:{nonce}", "Post", _select(MODE_FIELD, modes, draft.mode)),
        field(
            f"life:{nonce}",
            "Sign of life",
            _select(LIFE_FIELD, _lives(draft.life), draft.life),
            hint="One line that all is as it was, after so many runs without a post.",
        ),
        field(f"worst:{nonce}", "Worst domains shown", worst, hint="From 5 to 25."),
    ]


def _lives(chosen: str) -> dict[str, str]:
    """The offered values, and one that was set by other means."""
    try:
        own = life_of(chosen)
    except ValueError:
        own = None
    every = sorted({*OFFERED_LIVES, *([own] if own else [])})
    return {NEVER: "Never"} | {f"{runs}": f"After {plural(runs, 'silent run')}" for runs in every}


def _select(action_id: str, options: Mapping[str, str], chosen: str) -> Block:
    element: Block = {
        "type": "static_select",
        "action_id": action_id,
        "options": [option(value, shown) for value, shown in options.items()],
    }
    if chosen in options:
        element["initial_option"] = option(chosen, options[chosen])
    return element
