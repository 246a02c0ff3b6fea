"""Word the errors and direct messages about digests. Pure."""

import re
from collections.abc import Callable
from typing import Any

from bot.digests.models import (
    MAX_PER_CHANNEL,
    AdminsOnlyError,
    BotNotInChannelError,
    Digest,
    DigestBusyError,
    EditConflictError,
    GuestError,
    JustSentError,
    LostClaimError,
    Notice,
    NotInChannelError,
    Outcome,
    StoppedError,
    TooManyDigestsError,
    UnknownDigestError,
)
from bot.digests.schedule import UnknownZoneError
from bot.message import Block, Message
from bot.views.api_key import SET_KEY
from bot.views.blocks import (
    REFERENCE,
    Facts,
    actions,
    button,
    context,
    plain_message,
    retry_message,
    section,
)
from bot.views.digests.wording import (
    INVITE,
    digest_address,
    filter_shown,
    manage_button,
    person,
    remedy,
    spoken,
    trouble_words,
    uncertain_words,
)
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


def changed_text(digest: Digest) -> str:
    """Return who has changed a digest meanwhile, and when, as one sentence of mrkdwn."""
    when = f", {moment_token(digest.changed_at)}" if digest.changed_at else ""
    who = person(digest.changed_by)
    return f"{who[:1].upper()}{who[1:]} changed this digest meanwhile{when}."


def archived_line(lead: str = "") -> str:
    """Return that nothing can be done in an archived channel, and what to do first."""
    return (
        f"⚠️ {lead}That channel is archived: nobody can post there. Unarchive it, invite me again"
        f" with {INVITE}, and try again; or choose another channel."
    )


def trouble_line(message: Message, lead: str = "", *, is_about_key: bool = False) -> str:
    """Return the answer to a failure as a line for a form, in which its buttons have no place.

    `lead` is finished mrkdwn that goes before it. Where the key is the trouble, it says where
    that is set.
    """
    texts = [block["text"]["text"] for block in message.blocks if block["type"] == "section"]
    elements = [each for block in message.blocks for each in block.get("elements", ())]
    is_about_key = is_about_key or any(each.get("action_id") == SET_KEY for each in elements)
    told = texts[0] if texts else message.text
    references = [each["text"] for each in elements if str(each.get("text")).startswith(REFERENCE)]
    is_named = "`/domainkey`" in told
    mend = " `/domainkey` is the way to it." if is_about_key and not is_named else ""
    named = f" {references[0]}." if references else ""
    return f"⚠️ {lead}{told}{mend}{named}"


def _unknown(_error: UnknownDigestError, _facts: Facts) -> Message:
    return plain_message(
        "That digest is gone: somebody has deleted it. `/domaindigest` shows which ones there are."
    )


def _too_many(_error: TooManyDigestsError, _facts: Facts) -> Message:
    return plain_message(
        f"That channel has {MAX_PER_CHANNEL} digests, the most there can be. Delete one of them,"
        " or choose another channel."
    )


def _changed(error: EditConflictError, _facts: Facts) -> Message:
    told = f"{changed_text(error.digest)} Look at it again before you change it."
    return Message(spoken(told), plain_message(told).blocks)


def _busy(_error: DigestBusyError, _facts: Facts) -> Message:
    return plain_message(
        "This digest is being sent at this very moment: it will be in its channel soon."
    )


def _just_sent(error: JustSentError, _facts: Facts) -> Message:
    told = (
        f"This digest was sent just now, {moment_token(error.at)}: look into its channel. You can"
        " send it again in half a minute."
    )
    return Message(spoken(told), plain_message(told).blocks)


def _stopped(_error: StoppedError, facts: Facts) -> Message:
    return retry_message("I am being restarted and did not begin with this.", facts)


def _lost_claim(_error: LostClaimError, _facts: Facts) -> Message:
    return plain_message(
        "Something else came in between, so I did not go on. Look into the channel before you"
        " press `Send now` again."
    )


def _not_in_channel(_error: NotInChannelError, _facts: Facts) -> Message:
    return plain_message(
        "You are not in that channel, or I am not: only who is in a channel can see and change its"
        f" digests. Let me into a private one with {INVITE}."
    )


def _bot_not_in_channel(_error: BotNotInChannelError, _facts: Facts) -> Message:
    return plain_message(
        f"I am not in that channel, so I cannot post there. Type {INVITE} in it and try again."
    )


def _admins_only(_error: AdminsOnlyError, _facts: Facts) -> Message:
    return plain_message(
        "In this workspace only admins and owners make and change digests. Please ask one of them."
    )


def _guest(_error: GuestError, _facts: Facts) -> Message:
    return plain_message(
        "Guests cannot see or change digests. Please ask a full member of this workspace."
    )


def _unknown_zone(_error: UnknownZoneError, _facts: Facts) -> Message:
    return plain_message("I do not know that time zone. Please pick one from the list.")


DIGEST_TROUBLES: dict[type[BaseException], Callable[[Any, Facts], Message]] = {
    UnknownDigestError: _unknown,
    TooManyDigestsError: _too_many,
    EditConflictError: _changed,
    DigestBusyError: _busy,
    JustSentError: _just_sent,
    LostClaimError: _lost_claim,
    StoppedError: _stopped,
    NotInChannelError: _not_in_channel,
    BotNotInChannelError: _bot_not_in_channel,
    AdminsOnlyError: _admins_only,
    GuestError: _guest,
    UnknownZoneError: _unknown_zone,
}
