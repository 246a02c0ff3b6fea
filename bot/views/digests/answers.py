"""What is said when something was done with a digest, as one line of mrkdwn. Pure."""

from datetime import datetime

from bot.digests.digest import Digest
from bot.message import Message
from bot.views.blocks import section
from bot.views.digests.plan import spoken
from bot.views.digests.state import next_run_text, run_after_pause, until_text
from bot.views.text import code

LOOKING = "Looking at the digests…"
DELETED = "🗑️ Deleted."
PREVIEWED = "👀 The preview is behind this form, for you alone."
PREVIEWED_ELSEWHERE = "👀 The preview is in your direct messages with me, for you alone."
HAS_MOVED = "➡️ That digest has moved. These are the digests of this channel."
MAYBE_SENT = (
    "❓ Slack did not say whether it took the post. Look into the channel before you press"
    " `Send now` again."
)
UNANNOUNCED = (
    "❓ Slack did not say whether it took the announcement of the digest: look into the channel."
)
EMPTY_FILTER = "⚠️ At the moment no domain matches the filter: there would be nothing to tell."
DAY_IS_OVER = "⚠️ That day has begun where the digest's clock is. Pick a later one, or none."
SENDING = "Sending… That can take some seconds."
NOT_SAVED, NOT_SENT, NOT_RESUMED = "*Not saved.* ", "*Not sent.* ", "*Not resumed.* "
"""They go before the reason."""
SAVING = "Saving…"
PREVIEWING = "Making the preview…"
RESTRICTED = "🔒 From now on only admins and owners make and change digests."
UNRESTRICTED = "🔓 From now on members make and change the digests of their channels."


def saved_line(digest: Digest, reader_zone: str | None) -> str:
    """Return that it was saved, and when it runs next."""
    if digest.pause and digest.pause.until:
        until = until_text(digest.pause.until, digest.plan.schedule.zone)
        coming = run_after_pause(digest, reader_zone)
        return f"✅ Saved. It is paused until {until}{f'; next run {coming}' if coming else ''}."
    if digest.pause:
        return "✅ Saved. It is still paused: press `Resume` when it is to run."
    return f"✅ Saved. Next run {next_run_text(digest, reader_zone)}."


def sent_line(channel_name: str | None) -> str:
    """Return that it was posted, and where; `None`: Slack does not say what that is called."""
    return (
        f"✅ Sent. It is in {code(f'#{channel_name}', 90) if channel_name else 'its channel'} now."
    )


def paused_line(digest: Digest, until: datetime | None) -> str:
    """Return until when nothing is posted."""
    if until is None:
        return "⏸️ Paused until somebody presses `Resume`."
    return f"⏸️ Paused until {until_text(until, digest.plan.schedule.zone)}."


def resumed_line(digest: Digest, reader_zone: str | None) -> str:
    """Return when it runs again."""
    return f"▶️ Resumed. Next run {next_run_text(digest, reader_zone)}."


def line_message(mrkdwn: str) -> Message:
    """Return one of these lines as an answer outside a form."""
    return Message(spoken(mrkdwn), (section(mrkdwn),))


def at_it_message() -> Message:
    """Return the answer to a second press while the first one is still worked on."""
    return line_message("⏳ I am at it. I will answer here.")


def done_already_message() -> Message:
    """Return the answer to a second press of the same button in a message."""
    return line_message("I have done this already. `/domaindigest` in the channel says how it is.")
