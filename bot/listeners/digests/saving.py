"""Saving what was filled into the form of a digest."""

import asyncio
from dataclasses import dataclass, replace

import structlog

from bot.digests.desk import Desk
from bot.digests.digest import Digest, Mention, Plan
from bot.digests.errors import ChangedMeanwhileError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, Visitor, require_open
from bot.listeners.digests.note import FormNote, note_in
from bot.listeners.digests.reading import GivenDigest
from bot.views.digests.answers import UNANNOUNCED, saved_line
from bot.views.digests.mentions import MAX_RULES, with_rule

logger = structlog.get_logger()

COUNT_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Saved:
    """A digest that is saved. `visitor` is who did it, in its channel; `said` tells of it."""

    digest: Digest
    visitor: Visitor
    said: str


async def save_digest(
    desk: Desk, access: DigestAccess, conversation: Conversation, given: GivenDigest
) -> Saved:
    """Make or change the digest of a form, once it is sure that its person may do that.

    Raises:
        BotNotInChannelError, ChannelClosedError: nothing can be posted there.
        ChangedMeanwhileError, UnknownDigestError, TooManyDigestsError, SlackError, StoreError, and
        others: see `DigestAccess` and `Desk`. Nothing was saved.
    """
    note, plan = note_in(conversation.note), given.plan
    if note.digest_id is None:
        visitor = await access.require_editor(conversation, plan.channel_id)
        require_open(visitor)
        made = await desk.make(conversation.workspace, plan, by=visitor.editor)
        doubts = [] if made.is_announced else [UNANNOUNCED]
        return _saved(made.digest, visitor, *doubts)
    before = await digest_of(desk, conversation, note)
    visitor = await _editor(access, conversation, before, plan.channel_id)
    require_open(visitor)
    changed = await desk.change(
        conversation.workspace,
        before.digest_id,
        replace(plan, mentions=_rules(before, given.kept, plan.mentions)),
        by=visitor.editor,
        version=note.version,
    )
    return _saved(changed, visitor)


async def matches_nothing(
    desk: Desk, conversation: Conversation, plan: Plan, *, within_s: float
) -> bool:
    """Say whether it is sure, within some seconds, that no domain matches a plan. Never raises."""
    if not plan.filter_text:
        return False
    try:
        async with asyncio.timeout(within_s):
            return await desk.matching(conversation.workspace, plan) == 0
    except Exception as error:  # noqa: BLE001  # it is saved: nothing may say that it is not
        logger.warning("not counted", error=repr(error))
        return False


async def digest_of(desk: Desk, conversation: Conversation, note: FormNote) -> Digest:
    """Return the digest that a form is about.

    Raises:
        UnknownDigestError: it was deleted. ChangedMeanwhileError: it is not that version any more.
    """
    digest = await desk.get(conversation.workspace, note.digest_id or "")
    if digest.version != note.version:
        raise ChangedMeanwhileError(digest)
    return digest


async def _editor(
    access: DigestAccess, conversation: Conversation, before: Digest, channel_id: str
) -> Visitor:
    """Whoever asks, in the channel where the digest is to be; they must be in its old one too."""
    if before.plan.channel_id == channel_id:
        return await access.require_editor_of(conversation, before)
    visitor = await access.require_editor(conversation, channel_id)
    await access.require_editor_of(conversation, before)
    return visitor


def _saved(digest: Digest, visitor: Visitor, *doubts: str) -> Saved:
    line = saved_line(digest, visitor.member.zone)
    return Saved(digest, visitor, "\n".join([line, *doubts]))


def _rules(
    before: Digest, kept: frozenset[int] | None, new: tuple[Mention, ...]
) -> tuple[Mention, ...]:
    """Return the rules of mention that stay, and the new one; the form shows the first ten."""
    rules = before.plan.mentions
    stay = [
        rule
        for place, rule in enumerate(rules)
        if kept is None or place in kept or place >= MAX_RULES
    ]
    return with_rule(stay, new[0] if new else None)
