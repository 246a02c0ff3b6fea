"""Word the errors and direct messages about digests. Pure."""

import re

from bot.blocks import builders as blocks
from bot.blocks.message import Block, Message
from bot.blocks.text import moment_token, plural
from bot.digests import models as digests
from bot.digests.views import wording
from bot.digests.views.schedule import zoned_slot_text
from bot.dispatch.failure import REFERENCE, Facts, Sentences, plain, retry
from bot.keys.views import SET_KEY

_CHANNEL_ID = re.compile(r"[CDG][A-Z0-9]{1,20}")


def owner_notice(digest: digests.Digest, notice: digests.Notice) -> Message:
    title, text = _notice_texts(digest, notice)
    called = wording.called_mrkdwn(digest.plan)
    return blocks.message_of(
        blocks.section(f"*{title}*\n{text}"),
        blocks.context(f"{called}  ·  {wording.filter_mrkdwn(digest.plan.filter_text)}"),
        *blocks.actions(_notice_button(digest, notice), wording.manage_button(digest)),
    )


def _notice_texts(digest: digests.Digest, notice: digests.Notice) -> tuple[str, str]:
    channel = _channel_mrkdwn(notice.channel_id)
    slot = zoned_slot_text(notice.slot, digest.plan.schedule.zone)
    because = f": {wording.failure_text(notice.trouble)}" if notice.trouble else ""
    mend = wording.remedy(notice.trouble)
    due = f"You requested it {slot}." if notice.to else f"It was due {slot}."
    match notice.outcome:
        case digests.Outcome.POSTED:
            title = f"✅ Your digest is now posted in {channel}."
            text = f"{due} Slack did not accept it at first."
        case None:
            title = f"⏸️ The digest in {channel} is paused{because}."
            text = f"The one due {slot} was not posted. {mend} Then press `Resume`."
        case digests.Outcome.UNCERTAIN:
            title = f"❓ A digest may be missing in {channel}."
            text = (
                f"{due} {_capital(wording.unconfirmed_text(notice.trouble))}, so it is not"
                " repeated. Check the channel, and press `Send now` if it is missing."
            )
        case digests.Outcome.MISSED if notice.count > 1:
            title = f"⚠️ {plural(notice.count, 'digest')} in {channel} were missed{because}."
            text = f"The latest was due {slot}. {mend} {_next(digest)}"
        case _:
            is_missed = notice.outcome is digests.Outcome.MISSED
            was = "was missed" if is_missed else "was not posted"
            title = f"⚠️ A digest in {channel} {was}{because}."
            text = f"{due} {mend} {_next(digest)}"
    return title, text.replace("  ", " ")


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _next(digest: digests.Digest) -> str:
    if digest.pause:
        return "It is paused now. To post one anyway, press `Send now`."
    coming = moment_token(digest.next.due_at)
    return f"The next one is due {coming}. To post one now, press `Send now`."


def _notice_button(digest: digests.Digest, notice: digests.Notice) -> Block | None:
    if notice.outcome is digests.Outcome.POSTED:
        return None
    if notice.outcome is None:
        return wording.digest_button("Resume", wording.RESUME_DIGEST, digest, style="primary")
    return wording.digest_button("Send now", wording.SEND_DIGEST, digest)


def _channel_mrkdwn(channel_id: str) -> str:
    if digests.is_direct(channel_id):
        return "your direct messages"
    return f"<#{channel_id}>" if _CHANNEL_ID.fullmatch(channel_id) else "the channel"


def error_line(message: Message, lead: str = "", *, is_about_key: bool = False) -> str:
    """Return the answer to an error as a line of a form, without its buttons, behind `lead`."""
    texts = [block["text"]["text"] for block in message.blocks if block["type"] == "section"]
    elements = [each for block in message.blocks for each in block.get("elements", ())]
    is_about_key = is_about_key or any(each.get("action_id") == SET_KEY for each in elements)
    text = texts[0] if texts else message.text
    references = [each["text"] for each in elements if str(each.get("text")).startswith(REFERENCE)]
    mend = " Type `/domainkey`." if is_about_key and "`/domainkey`" not in text else ""
    named = f" {references[0]}." if references else ""
    return f"⚠️ {lead}{text}{mend}{named}"


def _changed(error: digests.EditConflictError, _facts: Facts) -> Message:
    digest = error.digest
    when = f", {moment_token(digest.changed_at)}" if digest.changed_at else ""
    return blocks.plain_message(
        f"{_capital(wording.person(digest.changed_by))} has changed this digest{when}."
        " Open it again before you change it."
    )


DIGEST_ERRORS: Sentences = {
    digests.UnknownAlertError: plain(
        "These buttons no longer work: the post is too old, or its digest was deleted."
        " `/domaindigest` shows the digests that are there."
    ),
    digests.UnknownDigestError: plain(
        "That digest was deleted. `/domaindigest` lists this channel's digests."
    ),
    digests.TooManyDigestsError: plain(
        f"A channel can have {digests.MAX_PER_CHANNEL} digests, and that one is full."
        " Delete one, or choose another channel."
    ),
    digests.NameTakenError: plain(
        "Another digest of this channel has that name. Choose another name, or change that digest."
    ),
    digests.SameDigestError: plain(
        "That channel has the same digest already. To see it, type `/domaindigest` there."
    ),
    digests.EditConflictError: _changed,
    digests.DigestBusyError: plain(
        "This digest is being sent now. It will be in its channel shortly."
    ),
    digests.LostClaimError: plain(
        "Another change came first, so this one was stopped. Check the channel before you press"
        " `Send now` again."
    ),
    digests.StoppedError: retry("The app is restarting. Nothing was done."),
    digests.NotInChannelError: plain(
        "Only members of a channel can see and change its digests. If it is private, the app"
        f" must be in it too: type {wording.INVITE} there."
    ),
    digests.BotNotInChannelError: plain(
        f"The app is not in that channel. Type {wording.INVITE} there and try again."
    ),
    digests.GuestError: plain(
        "Guests can't see or change digests. Please ask a full member of this workspace."
    ),
}
