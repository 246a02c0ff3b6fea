"""Queue the notices of a digest, which are sent by direct message. Pure."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.digests.models import Digest, Notice

MAX_NOTICES = 10
# A notice is sent again after this time if its sender died: twice is better than never.
TELL_WITHIN = timedelta(seconds=60)


def with_notice(digest: Digest, notice: Notice) -> Digest:
    """Return the digest with one more notice; notices of one kind are merged."""
    notices = list(digest.notices)
    if notices and _is_alike(notices[-1], notice):
        notice = replace(notice, count=notices.pop().count + notice.count)
    return replace(digest, notices=(*notices, notice)[-MAX_NOTICES:])


def start_notices(digest: Digest, now: datetime) -> tuple[Digest, tuple[Notice, ...]]:
    """Return the digest with its due notices marked as being sent, and these notices."""
    due = [each for each in digest.notices if (each.retry_at or now) <= now]
    under_way = {id(each): replace(each, retry_at=now + TELL_WITHIN) for each in due}
    notices = tuple(under_way.get(id(each), each) for each in digest.notices)
    return replace(digest, notices=notices), tuple(under_way.values())


def after_sending(digest: Digest, notice: Notice, wait: timedelta | None, now: datetime) -> Digest:
    """Return the digest after an attempt to send a notice; `wait`: until the next, if any."""
    notices = [each for each in digest.notices if each != notice]
    if wait is not None and notice in digest.notices:
        later = replace(notice, retry_at=now + wait, tries=notice.tries + 1)
        notices.insert(digest.notices.index(notice), later)
    return replace(digest, notices=tuple(notices))


def _is_alike(one: Notice, other: Notice) -> bool:
    """Return whether both notices are of one kind, and the first one is not being sent now."""
    kinds = [(each.outcome, each.trouble, each.channel_id, each.to) for each in (one, other)]
    return kinds[0] == kinds[1] and (one.retry_at is None or one.tries > 0)
