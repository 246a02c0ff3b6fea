"""What a digest's owner is told in a direct message when something went wrong. Pure."""

import re

from bot.digests.digest import Digest, Notice, Outcome
from bot.message import Block, Message
from bot.views.blocks import actions, button, context, section
from bot.views.digests.plan import digest_address, filter_shown, manage_button, spoken
from bot.views.digests.remedies import remedy, trouble_words, uncertain_words
from bot.views.schedule import schedule_text, zoned_slot_text
from bot.views.text import moment_token, plural

SEND_DIGEST = "digest.send"
RESUME_DIGEST = "digest.resume"

_CHANNEL_ID = re.compile(r"[CDG][A-Z0-9]{1,20}")


def owner_notice(digest: Digest, notice: Notice) -> Message:
    """Return the direct message to the owner of `digest` about `notice`.

    It names the channel, the slot in the digest's own time zone, the reason, and what to do.
    """
    title, told = _told(digest, notice)
    return Message(
        text=spoken(f"{title} {told}"),
        blocks=(
            section(f"*{title}*\n{told}"),
            context(_which(digest)),
            *actions(_mending(digest, notice), manage_button(digest)),
        ),
    )


def _told(digest: Digest, notice: Notice) -> tuple[str, str]:
    """A title and what happened, why and what to do, both finished mrkdwn."""
    channel = _channel_shown(notice.channel_id)
    slot = zoned_slot_text(notice.slot, digest.plan.schedule.zone)
    because = f": {trouble_words(notice.trouble)}" if notice.trouble else ""
    mend = remedy(notice.trouble, channel=channel, change="`Manage` and `Change`")
    match notice.outcome:
        case None:
            title = f"⏸️ I have paused the digest in {channel}{because}."
            told = f"The one due {slot} was not posted. {mend} Then press `Resume`."
        case Outcome.UNCERTAIN:
            title = f"❓ A digest may be missing in {channel}."
            told = (
                f"It was due {slot}. {_capital(uncertain_words(notice.trouble))}, so I do not post"
                " it again by myself: nobody should read it twice. Look there, and press"
                " `Send now` if it is missing."
            )
        case Outcome.MISSED if notice.count > 1:
            title = f"⚠️ {plural(notice.count, 'digest')} in {channel} were missed{because}."
            told = f"The newest of them was due {slot}. {mend} {_next(digest)}"
        case Outcome.MISSED:
            title = f"⚠️ A digest in {channel} was missed{because}."
            told = f"It was due {slot}. {mend} {_next(digest)}"
        case _:
            title = f"⚠️ A digest in {channel} was not posted{because}."
            told = f"It was due {slot}. {mend} {_next(digest)}"
    return title, told.replace("  ", " ")


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _next(digest: Digest) -> str:
    if digest.pause:
        return "It is paused now. To post one all the same, press `Send now`."
    coming = moment_token(digest.next.due_at)
    return f"The next one comes {coming}; to have one earlier, press `Send now`."


def _which(digest: Digest) -> str:
    schedule = schedule_text(digest.plan.schedule)
    return f"{schedule}  ·  {filter_shown(digest.plan.filter_text)}"


def _mending(digest: Digest, notice: Notice) -> Block | None:
    address = digest_address(digest)
    if notice.outcome is None:
        return button("Resume", RESUME_DIGEST, address, style="primary")
    return button("Send now", SEND_DIGEST, address)


def _channel_shown(channel_id: str) -> str:
    return f"<#{channel_id}>" if _CHANNEL_ID.fullmatch(channel_id) else "the channel"
