"""What somebody may see of a channel's digests, for the list. Pure."""

from collections.abc import Sequence
from datetime import datetime

from bot.digests.digest import Digest
from bot.listeners.digests.access import Visitor
from bot.slack.channels import Channel
from bot.views.digests.listing import DigestList, Place


def listed_digests(
    visitor: Visitor, digests: Sequence[Digest], now: datetime, said: str
) -> DigestList:
    """Return the list of those of a channel's `digests` that `visitor` may see."""
    member = visitor.member
    if visitor.sees_own_only:
        digests = [each for each in digests if each.made_by == member.user_id]
    return DigestList(
        digests=digests,
        place=_place(visitor.channel),
        now=now,
        reader_id=member.user_id,
        reader_zone=member.zone,
        may_change=visitor.may_change,
        is_admin=member.is_admin,
        is_restricted=visitor.is_restricted,
        said=said,
    )


def _place(channel: Channel | None) -> Place | None:
    if channel is None:
        return None
    return Place(
        name=channel.name,
        has_bot=channel.has_bot,
        is_archived=channel.is_archived,
        is_shared=channel.is_shared,
    )
