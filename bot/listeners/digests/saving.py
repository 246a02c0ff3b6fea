"""Saving what was filled into the form of a digest."""

from dataclasses import replace

from bot.digests.desk import Desk
from bot.digests.digest import Digest, Mention, Plan
from bot.digests.errors import ChangedMeanwhileError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, Visitor, require_open
from bot.listeners.digests.note import FormNote, note_in
from bot.views.digests.answers import EMPTY_FILTER, UNANNOUNCED, saved_line
from bot.views.digests.mentions import MAX_RULES, with_rule


async def save_digest(
    desk: Desk, access: DigestAccess, conversation: Conversation, plan: Plan
) -> tuple[Visitor, str]:
    """Make or change the digest of a form, once it is sure that its person may do that.

    Returns the person in the digest's channel, and what to say about it as mrkdwn.

    Raises:
        BotNotInChannelError, ChannelClosedError: nothing can be posted there.
        ChangedMeanwhileError, UnknownDigestError, TooManyDigestsError, SlackError, StoreError, and
        others: see `DigestAccess` and `Desk`. Nothing was saved.
    """
    note = note_in(conversation.note)
    visitor = await access.require_editor(conversation, plan.channel_id)
    require_open(visitor)
    doubts: list[str] = []
    if note.digest_id is None:
        made = await desk.make(conversation.workspace, plan, by=visitor.editor)
        digest, doubts = made.digest, [] if made.is_announced else [UNANNOUNCED]
    else:
        before = await digest_of(desk, conversation, note)
        if before.plan.channel_id != plan.channel_id:  # who takes it away must be there too
            await access.require_editor_of(conversation, before)
        digest = await desk.change(
            conversation.workspace,
            before.digest_id,
            replace(plan, mentions=_rules(before, note, plan.mentions)),
            by=visitor.editor,
            version=note.version,
        )
    if plan.filter_text and await desk.matching(conversation.workspace, plan) == 0:
        doubts.append(EMPTY_FILTER)
    return visitor, "\n".join([saved_line(digest, visitor.member.zone), *doubts])


async def digest_of(desk: Desk, conversation: Conversation, note: FormNote) -> Digest:
    """Return the digest that a form is about.

    Raises:
        UnknownDigestError: it was deleted. ChangedMeanwhileError: it is not that version any more.
    """
    digest = await desk.get(conversation.workspace, note.digest_id or "")
    if digest.version != note.version:
        raise ChangedMeanwhileError(digest)
    return digest


def _rules(before: Digest, note: FormNote, new: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Return the rules of mention that stay, and the new one."""
    rules = before.plan.mentions
    kept = [rule for place, rule in enumerate(rules) if place not in note.removed]
    return with_rule(kept, new[0] if new else None)[:MAX_RULES]
