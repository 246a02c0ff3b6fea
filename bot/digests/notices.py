"""What the owner of a digest still has to be told. Pure: a digest and an event give a digest."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.digests.digest import Digest, Notice

MAX_NOTICES = 10
# So long one who tells has for it; should they die, it is told again: rather twice than never.
TELL_WITHIN = timedelta(seconds=60)


def with_notice(digest: Digest, notice: Notice) -> Digest:
    """Return the digest with one more thing to tell; several of one kind are told together."""
    notices = list(digest.notices)
    if notices and _is_alike(notices[-1], notice):
        notice = replace(notice, count=notices.pop().count + notice.count)
    return replace(digest, notices=(*notices, notice)[-MAX_NOTICES:])


def telling(digest: Digest, now: datetime) -> tuple[Digest, tuple[Notice, ...]]:
    """Return what the owner is to be told now, and the digest in which that is under way."""
    due = [each for each in digest.notices if (each.retry_at or now) <= now]
    under_way = {id(each): replace(each, retry_at=now + TELL_WITHIN) for each in due}
    notices = tuple(under_way.get(id(each), each) for each in digest.notices)
    return replace(digest, notices=notices), tuple(under_way.values())


def told(digest: Digest, notice: Notice) -> Digest:
    """Return the digest whose owner knows of `notice`, or cannot be told by any means."""
    return replace(digest, notices=tuple(each for each in digest.notices if each != notice))


def told_later(digest: Digest, notice: Notice, at: datetime) -> Digest:
    """Return the digest whose owner is to be told of `notice` at another moment."""
    later = replace(notice, retry_at=at, tries=notice.tries + 1)
    return replace(
        digest, notices=tuple(later if each == notice else each for each in digest.notices)
    )


def _is_alike(one: Notice, other: Notice) -> bool:
    """Whether both say the same of two runs, and the first is not being told at this moment."""
    kinds = [(each.outcome, each.trouble, each.channel_id) for each in (one, other)]
    return kinds[0] == kinds[1] and (one.retry_at is None or one.tries > 0)
