"""The list of a channel's digests, in a form of its own. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.digests.digest import MAX_PER_CHANNEL, Digest
from bot.message import Block
from bot.views.blocks import actions, button, confirm, context, section
from bot.views.digests.answers import SAVING
from bot.views.digests.form import BACK
from bot.views.digests.plan import filter_shown, mode_text
from bot.views.digests.remedies import INVITE
from bot.views.digests.state import run_lines, state_lines
from bot.views.form import notice
from bot.views.schedule import schedule_text
from bot.views.text import code, plural

TITLE = "Health digests"
NEW, CHANGE, SEND, PREVIEW = "digests.new", "digests.change", "digests.send", "digests.preview"
PAUSE, RESUME, DELETE = "digests.pause", "digests.resume", "digests.delete"
RESTRICT = "digests.restrict"
ADMINS_MAY, MEMBERS_MAY = "admins", "members"
"""The values of the button that says who may change digests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A channel as Slack describes it: see `bot/slack/channels.py`."""

    name: str
    has_bot: bool
    is_archived: bool = False
    is_shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestList:
    """What somebody sees of a channel's digests.

    `place` is `None` where the bot cannot look: a direct message, or a private channel without
    it; there `reader_id`, whoever looks, changes only what is their own. `said` is finished
    mrkdwn about what was just done.
    """

    digests: Sequence[Digest]
    place: Place | None
    now: datetime
    reader_id: str = ""
    reader_zone: str | None = None
    may_change: bool = True
    is_admin: bool = False
    is_restricted: bool = False
    said: str = ""


def list_form(listed: DigestList, metadata: str) -> Block:
    """Return the form; `metadata` comes back with its buttons."""
    blocks = [
        *([section(listed.said)] if listed.said else []),
        section(_heading(listed), _new_button(listed)),
        *[context(hint) for hint in _hints(listed)],
    ]
    for digest in listed.digests[:MAX_PER_CHANNEL]:
        blocks += [{"type": "divider"}, *_digest_blocks(digest, listed)]
    if (left_out := len(listed.digests) - MAX_PER_CHANNEL) > 0:
        blocks.append(context(f"and {left_out:,} more: delete one of these to see it."))
    return notice(TITLE, blocks + _admin_blocks(listed), metadata=metadata)


def busy_form(words: str, metadata: str) -> Block:
    """Return what stands in the form while something takes a while."""
    return notice(TITLE, [section(f"⏳ {words}")], metadata=metadata)


def saving_form() -> Block:
    """Return what stands in the place of a form that was submitted, until that is done."""
    return busy_form(SAVING, "")


def trouble_form(mrkdwn: str, metadata: str, way_out: str = "Back") -> Block:
    """Return what stands in the form when there is no list to show; `way_out` asks for it."""
    return notice(TITLE, [section(mrkdwn), *actions(button(way_out, BACK))], metadata=metadata)


def _heading(listed: DigestList) -> str:
    where = f"in {code('#' + listed.place.name, 90)}" if listed.place else "here"
    if listed.digests:
        return f"*{plural(len(listed.digests), 'digest')} {where}*"
    return (
        f"*No digests {where} yet*\nA digest is a post that comes by itself, on the days and at"
        " the time that you choose: how healthy your domains are, which are worst, and what has"
        " changed since the last one."
    )


def _new_button(listed: DigestList) -> Block | None:
    return button("New", NEW, style="primary") if listed.may_change else None


def _hints(listed: DigestList) -> list[str]:
    hints = []
    place = listed.place
    if place is None:
        hints.append(
            "⚠️ I cannot look in here: it is a direct message, or a private channel without me."
            f" In a channel type {INVITE}, or press `New` and choose another one."
        )
    elif place.is_archived:
        hints.append(
            "⚠️ This channel is archived: nobody can post in it. To bring its digests back,"
            f" unarchive it, invite me again with {INVITE}, and press `Resume`."
        )
    elif not place.has_bot:
        hints.append(
            f"⚠️ I am not in this channel, so I cannot post here. Type {INVITE} in it, or press"
            " `New` and choose another one."
        )
    if place and place.is_shared:
        hints.append("👥 People of another company are in this channel: they read its digests.")
    if not listed.may_change:
        hints.append("🔒 In this workspace only admins and owners make and change digests.")
    return hints


def _digest_blocks(digest: Digest, listed: DigestList) -> list[Block]:
    plan = digest.plan
    parts = [f"Filter: {filter_shown(plan.filter_text)}", f"Post: {mode_text(plan)}"]
    if plan.mentions:
        parts.append(plural(len(plan.mentions), "mention rule"))
    state = state_lines(digest, listed.now, listed.reader_zone)
    told = "\n".join([f"*{schedule_text(plan.schedule)}*", *state])
    details = context("\n".join(["  ·  ".join(parts), *run_lines(digest)]))
    is_own = digest.made_by == listed.reader_id
    if not listed.may_change or not (listed.place or is_own):
        return [section(told), details]
    change = button("Change", CHANGE, digest.digest_id)
    return [section(told, change), details, *_digest_buttons(digest)]


def _digest_buttons(digest: Digest) -> list[Block]:
    question = confirm(
        "Delete this digest?",
        "It is gone for everybody in the channel, and so is what its next post would compare"
        " with. To stop it for a while, pause it.",
        "Delete",
    )
    turn = ("Resume", RESUME) if digest.pause else ("Pause", PAUSE)
    return actions(
        button("Send now", SEND, digest.digest_id),
        button("Preview", PREVIEW, digest.digest_id),
        button(*turn, digest.digest_id),
        button("Delete", DELETE, digest.digest_id, confirm=question),
    )


def _admin_blocks(listed: DigestList) -> list[Block]:
    if not listed.is_admin:
        return []
    if listed.is_restricted:
        told, label, value = "Only admins", "Let members change digests", MEMBERS_MAY
    else:
        told, label, value = "Members of a channel", "Only admins may change digests", ADMINS_MAY
    return [
        {"type": "divider"},
        context(f"{told} may make and change digests in this workspace."),
        *actions(button(label, RESTRICT, value)),
    ]
