"""The form that makes or changes a digest. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.digests.digest import Digest
from bot.message import Block
from bot.views.blocks import button, section
from bot.views.digests.draft import Draft, RuleBox
from bot.views.digests.inputs import channel_field, what_fields, when_fields
from bot.views.digests.mentions import rule_boxes
from bot.views.digests.plan import person_shown
from bot.views.digests.rule_fields import rule_blocks
from bot.views.digests.state import until_text
from bot.views.form import form
from bot.views.schedule import RUNS_SHOWN, next_runs
from bot.views.text import moment_token

EDIT_FORM = "digests.edit"
BACK = "digests.back"

# A slot at the very moment at which a pause ends counts.
_MOMENT = timedelta(microseconds=1)
# Stands for those that are not ticked, in a form that does not know them.
_NO_RULE = RuleBox("99 0 none", "None of the rules stays")


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """A digest as somebody is about to make or change it.

    `nonce` is part of the fields' block ids: as long as it stays the same, Slack keeps what is
    typed; with another one a form begins anew. `digest` is `None` for a new one, and, with
    `is_new` false, where it cannot be read at the moment. `said` is finished mrkdwn for the top.
    `reader_zone` is that of whoever sees the form.
    """

    draft: Draft
    nonce: str
    now: datetime
    reader_zone: str | None
    digest: Digest | None = None
    is_new: bool = True
    said: str = ""


def edit_form(editing: Editing, metadata: str) -> Block:
    """Return the form; `metadata` comes back with it."""
    draft, nonce, digest = editing.draft, editing.nonce, editing.digest
    if digest is None and not editing.is_new and draft.kept == ():
        draft = replace(draft, kept=(_NO_RULE,))  # without a box it could not be said any more
    rules = rule_boxes(digest.plan.mentions) if digest else list(draft.kept or ())
    blocks = [
        *([section(editing.said)] if editing.said else []),
        section(_about(editing), button("Back", BACK)),
        channel_field(draft, nonce),
        *when_fields(draft, nonce),
        section(_runs_text(editing)),
        {"type": "divider"},
        *what_fields(draft, nonce),
        {"type": "divider"},
        *rule_blocks(rules, draft, nonce),
    ]
    title = "New digest" if editing.is_new and digest is None else "Change digest"
    return form(EDIT_FORM, title, "Save", blocks, metadata=metadata)


def _about(editing: Editing) -> str:
    digest = editing.digest
    if digest:
        return f"Made by {person_shown(digest.made_by_name)}, {moment_token(digest.made_at)}."
    if editing.is_new:
        return "A post about your domains that comes by itself: say where, when and about what."
    return "This is what you have filled in."


def _runs_text(editing: Editing) -> str:
    schedule = editing.draft.schedule
    if schedule is None:
        return "*Next five runs*\n_Choose days, a time and a time zone to see them._"
    after, paused = _after(editing)
    lines = next_runs(schedule, after, editing.reader_zone)
    runs = [f"• {line}" for line in lines[:RUNS_SHOWN]]
    notes = [f"🕑 {line}" for line in lines[RUNS_SHOWN:]]
    return "\n".join(["*Next five runs*", *paused, *runs, *notes])


def _after(editing: Editing) -> tuple[datetime, list[str]]:
    """After which moment the runs begin, and what is to be said of a pause before them."""
    digest, now = editing.digest, editing.now
    if digest is None or digest.pause is None:
        return now, []
    until = digest.pause.until
    if until is None:
        return now, ["⏸️ Paused until somebody presses `Resume`. If that were now:"]
    if until <= now:
        return now, []
    day = until_text(until, digest.plan.schedule.zone)
    return until - _MOMENT, [f"⏸️ Paused until {day}. After that:"]
