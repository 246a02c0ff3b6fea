"""Draw the form that creates or changes a digest. Pure."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from bot.blocks.builders import (
    actions,
    button,
    field,
    form,
    input_element,
    notice,
    plain_message,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import bold, code, moment_token
from bot.digests.draft import Draft, FormNote
from bot.digests.line import line_of
from bot.digests.models import Digest, Snoozes
from bot.digests.schedule import going_on
from bot.digests.views.alert import WAKE_ALL, snooze_text
from bot.digests.views.form_fields import (
    MORE,
    channel_field,
    more_fields,
    rule_blocks,
    rule_boxes,
    what_fields,
    when_fields,
)
from bot.digests.views.schedule import RUNS_SHOWN, next_runs
from bot.digests.views.wording import (
    DELETE_DIGEST,
    OUTSIDERS,
    called_mrkdwn,
    digest_button,
    first_check_line,
    manage_button,
    next_run_text,
    person_mrkdwn,
    until_text,
)
from bot.dispatch.command_text import NotUnderstood
from bot.dispatch.usage import problem_sentence
from bot.slack.channels import Channel

LOOKING = "Loading digests…"
MAX_LINE_CHARS = 700
MAX_PARTS = 10
DELETED = "🗑️ Deleted."
MAYBE_SENT = (
    "❓ Slack did not confirm the post. Check the channel before you press `Send now` again."
)
UNANNOUNCED = "❓ Slack did not confirm the announcement of the digest. Check the channel."
PAUSED_ALREADY = "It is already paused."
RUNNING_ALREADY = "It is already running."
EMPTY_FILTER = "⚠️ At the moment no domain matches the filter."
NO_DAY_TO_PAUSE_UNTIL = (
    "⚠️ That day has already begun in the digest's time zone, or is more than ten years away. Pick"
    " another one, or none."
)
SENDING = "Sending… This can take a few seconds."
NOT_SAVED, NOT_SENT = "*Not saved.* ", "*Not sent.* "
SAVING = "Saving…"
PREVIEWING = "Preparing the preview…"
EDIT_FORM = "digests.edit"
BACK = "digests.back"
# A slot at the end of a pause counts.
_MOMENT = timedelta(microseconds=1)
PAUSE_FORM = "digests.pausing"
UNTIL_FIELD = "digests.until"


def preview_form(preview: Message) -> Block:
    """Return the form above the list with a preview, or with what takes its place.

    A form takes neither charts nor tables: it holds the plain twin.
    """
    return notice("Preview", list((preview.fallback() or preview).blocks))


def saved_line(digest: Digest, reader_zone: str | None) -> str:
    if digest.pause:
        return f"✅ Saved. {paused_line(digest)}"
    saved = f"✅ Saved. Next run {next_run_text(digest, reader_zone)}."
    return "\n".join(filter(None, [saved, first_check_line(digest)]))


def made_message(
    digest: Digest,
    reader_zone: str | None,
    *,
    is_announced: bool,
    has_outsiders: bool,
    is_line: bool,
    matches_nothing: bool = False,
) -> Message:
    """Return the answer to a digest that was made by one press, or by one typed line."""
    lines = [saved_line(digest, reader_zone)]
    if not is_announced:
        lines.append(UNANNOUNCED)
    if has_outsiders:
        lines.append(OUTSIDERS)
    if matches_nothing:
        lines.append(f"{EMPTY_FILTER} Filter text: {code(digest.plan.filter_text, 80)}")
    if is_line:
        runs = next_runs(digest.plan.schedule, digest.made_at, reader_zone)
        lines += [called_mrkdwn(digest.plan), *(f"• {run}" for run in runs)]
        lines.append(code(line_of(digest.plan), MAX_LINE_CHARS))
    delete = digest_button("Delete", DELETE_DIGEST, digest)
    return plain_message("\n".join(lines), manage_button(digest), delete)


def not_understood_text(problems: Sequence[NotUnderstood], understood: Sequence[str]) -> str:
    lines = [*dict.fromkeys(map(problem_sentence, problems[:MAX_PARTS])), "No digest was made."]
    if understood:
        lines.append(f"Understood: {' '.join(code(each, 50) for each in understood[:MAX_PARTS])}")
    return "\n".join(lines)


def sent_line(digest: Digest, channel: Channel | None) -> str:
    if digest.plan.is_own:
        return "✅ Sent to your direct messages."
    return f"✅ Sent to {bold(f'#{channel.name}', 90) if channel else 'its channel'}."


def on_its_way_line(again_at: datetime) -> str:
    """Return the answer to `Send now` while Slack takes no post."""
    again = f"I try again {moment_token(again_at)}, and send you a direct message"
    return f"🕓 *On its way.* Slack did not accept the post. {again} when it is posted."


def paused_line(digest: Digest) -> str:
    """Return the answer to a pause, also to a typed one, which has no button `Resume`."""
    if digest.pause and digest.pause.until:
        return f"⏸️ Paused until {until_text(digest.pause.until, digest.plan.schedule.zone)}."
    if digest.plan.name:
        resume = code(f"/domaindigest resume {digest.plan.name}", 120)
        return f"⏸️ Paused. Type {resume} to run it again."
    return "⏸️ Paused. Press `Resume` to run it again."


def resumed_line(digest: Digest, reader_zone: str | None) -> str:
    return f"▶️ Resumed. Next run {next_run_text(digest, reader_zone)}."


def edit_blocks(
    draft: Draft,
    note: FormNote,
    now: datetime,
    digest: Digest | None,
    line: str = "",
    snoozes: Snoozes = (),
) -> list[Block]:
    """Return the blocks of the form for a new or changed digest.

    `digest` is `None` for a new digest, and, with an id in `note`, for one that cannot be read
    now. `line` is mrkdwn for the top of the form.
    """
    boxes = rule_boxes(digest.plan.mentions) if digest else dict.fromkeys(draft.kept or (), "")
    divider = {"type": "divider"}
    more = actions(button("More options", MORE))
    if note.has_more:
        more = [divider, *more_fields(draft), divider, *rule_blocks(boxes, draft)]
    about = "Post a scheduled health summary to a channel."
    if digest:
        about = f"Set up by {person_mrkdwn(digest.made_by_name)}, {moment_token(digest.made_at)}."
    blocks = [*([section(line)] if line else []), section(about, button("Back", BACK))]
    if digest and snoozes:
        lines = [snooze_text(*each) for each in snoozes]
        end = digest_button("End snooze", WAKE_ALL, digest)
        blocks.append(section("\n".join(lines), end))
    blocks += [
        channel_field(draft),
        *when_fields(draft),
        section(_runs_text(draft, note, now, digest)),
        *what_fields(draft),
        *more,
    ]
    return [
        block | {"block_id": f"{block['block_id']}:{note.nonce}"} if "block_id" in block else block
        for block in blocks
    ]


def edit_form(note: FormNote, blocks: list[Block], metadata: str) -> Block:
    title = "Change digest" if note.digest_id else "New digest"
    return form(EDIT_FORM, title, "Save", blocks, metadata=metadata)


def _runs_text(draft: Draft, note: FormNote, now: datetime, digest: Digest | None) -> str:
    schedule, after, texts = draft.schedule, now, ["*Next five runs*"]
    if schedule is None:
        return "*Next five runs*\n_Choose days, a time, and a time zone to see them._"
    if digest:
        schedule = going_on(schedule, digest.plan.schedule, now)
    until = digest.pause.until if digest and digest.pause else None
    if digest and digest.pause and not (until and until <= now):
        after = max(now, until - _MOMENT) if until else now
        day = until and until_text(until, digest.plan.schedule.zone)
        texts.append(f"⏸️ Paused until {day}. After that:" if day else "⏸️ Paused. If resumed now:")
    lines = next_runs(schedule, after, note.zone)
    texts += [f"• {line}" for line in lines[:RUNS_SHOWN]]
    texts += [f"🕑 {line}" for line in lines[RUNS_SHOWN:]]
    return "\n".join(texts)


def pause_form(
    digest: Digest, nonce: str, metadata: str, *, until: date | None = None, note: str = ""
) -> Block:
    """Return the form; `note` is mrkdwn, `until` the picked day. `nonce`: see `FormNote`."""
    initial_date = until.isoformat() if until else None
    called = called_mrkdwn(digest.plan)
    day = input_element("datepicker", UNTIL_FIELD, initial_date=initial_date)
    hint = "Runs again from the start of that day. Leave empty to pause until resumed."
    blocks = [
        *([section(note)] if note else []),
        section(
            f"Pause the digest {called}. It posts nothing while it is paused.",
            button("Back", BACK),
        ),
        field(f"until:{nonce}", "Until", day, hint=hint, optional=True),
    ]
    return form(PAUSE_FORM, "Pause digest", "Pause", blocks, metadata=metadata)
