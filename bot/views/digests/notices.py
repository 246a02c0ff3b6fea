"""What a digest's owner is told in a direct message when something went wrong. Pure."""

import re

from bot.digests.digest import Digest, Notice, Outcome, Trouble
from bot.message import Block, Message
from bot.views.blocks import actions, button, context, section
from bot.views.digests.plan import digest_address, filter_shown, manage_button, spoken
from bot.views.schedule import schedule_text, slot_text
from bot.views.text import escaped, moment_token, plural

SEND_DIGEST = "digest.send"
RESUME_DIGEST = "digest.resume"

_CHANNEL_ID = re.compile(r"[CDG][A-Z0-9]{1,20}")
_INVITE = "type `/invite @Domain Tracker` in it"

# What happened, as the end of a sentence, and how to mend it. `{channel}` is the channel.
_TROUBLES: dict[Trouble, tuple[str, str]] = {
    Trouble.SERVICE: ("Domain Tracker did not answer", "That usually passes by itself."),
    Trouble.RATE: (
        "the hour's requests to Domain Tracker were used up",
        "They come back within an hour.",
    ),
    Trouble.SCOPE: (
        "the workspace's API key may not list domains",
        "An admin can enter a key with the scope `read_domains`: `/domainkey`.",
    ),
    Trouble.ADDRESS: (
        "Domain Tracker does not take calls from the bot's address",
        "An admin can allow that address in the API key's IP restrictions.",
    ),
    Trouble.KEY: (
        "the workspace has no API key that works",
        "An admin can set one with `/domainkey`.",
    ),
    Trouble.SLACK: ("Slack did not take the post", "That usually passes by itself."),
    Trouble.ARCHIVED: (
        "the channel is archived",
        "Unarchive {channel}, or choose another channel with `Manage`.",
    ),
    Trouble.NOT_IN_CHANNEL: (
        "the bot is not in the channel",
        "To let it in, go to {channel} and " + _INVITE + ".",
    ),
    Trouble.NOT_FOUND: (
        "the channel is gone, or private and without the bot",
        f"If it is still there, {_INVITE}. If not, choose another channel with `Manage`.",
    ),
    Trouble.RESTRICTED: (
        "the settings of the channel or of the organization do not let the bot post",
        "Ask whoever manages {channel} to let apps post, or choose another with `Manage`.",
    ),
    Trouble.UNINSTALLED: (
        "Slack does not let the bot into this workspace any more",
        "An admin can install Domain Tracker again.",
    ),
    Trouble.OURS: (
        "the bot made a mistake",
        "Please tell whoever runs the bot: its log says more.",
    ),
    Trouble.DOWN: ("the bot was not running", ""),
}


def trouble_words(trouble: Trouble) -> str:
    """Return why a run failed, as the end of a sentence: `Domain Tracker did not answer`."""
    return _TROUBLES[trouble][0]


def uncertain_words(trouble: Trouble | None) -> str:
    """Return why nobody knows whether a run was posted, as the end of a sentence."""
    if trouble is Trouble.DOWN:
        return "the bot was stopped while it posted it"
    return "Slack did not say whether it took it"


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
    channel = _channel_shown(digest.plan.channel_id)
    slot = f"{slot_text(notice.slot, digest.plan.schedule.zone)} ({_zone(digest)})"
    why, mend = _TROUBLES[notice.trouble] if notice.trouble else ("", "")
    because = f": {why}" if why else ""
    mend = mend.format(channel=channel)
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


def _zone(digest: Digest) -> str:
    return escaped(digest.plan.schedule.zone, 60)


def _channel_shown(channel_id: str) -> str:
    return f"<#{channel_id}>" if _CHANNEL_ID.fullmatch(channel_id) else "the channel"
