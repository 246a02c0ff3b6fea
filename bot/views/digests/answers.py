"""What is said when something was done with a digest, as one line of mrkdwn. Pure."""

from datetime import datetime

from bot.digests.digest import Digest
from bot.message import Message
from bot.views.blocks import section
from bot.views.digests.plan import spoken
from bot.views.digests.state import next_run_text, until_text
from bot.views.text import code

LOOKING = "Looking at the digests…"
DELETED = "🗑️ Deleted."
PREVIEWED = "👀 The preview is behind this form, for you alone."
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
NOT_SAVED = "*Not saved.* "
"""Goes before the reason."""
SAVING = "Saving…"
PREVIEWING = "Making the preview…"
RESTRICTED = "🔒 From now on only admins and owners make and change digests."
UNRESTRICTED = "🔓 From now on members make and change the digests of their channels."


def saved_line(digest: Digest, reader_zone: str | None) -> str:
    """Return that it was saved, and when it runs next."""
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


def done_already_message() -> Message:
    """Return the answer to a second press of the same button in a message."""
    return line_message("I have done this already. `/domaindigest` in the channel says how it is.")
