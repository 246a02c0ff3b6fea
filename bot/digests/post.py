"""One post of a digest: everything that its words are made of. Plain data."""

from dataclasses import dataclass
from datetime import datetime

from bot.digests.digest import Digest, PastRun
from bot.digests.report import Report
from bot.digests.schedule import Slot


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """The average of one earlier post, at the local (naive) time of its slot."""

    local: datetime
    average: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What is about to be posted.

    `slot` is `None` when somebody pressed `Send now` or `Preview`. `trend` holds at most 20
    points, the oldest first, this post's own average last where it is known. `unposted` are the
    runs since the last post that did not reach the channel, without the quiet ones. `is_first`:
    nothing was posted for this digest before.
    """

    digest: Digest
    report: Report
    sent_at: datetime
    slot: Slot | None = None
    asked_by_name: str | None = None
    trend: tuple[TrendPoint, ...] = ()
    unposted: tuple[PastRun, ...] = ()
    is_first: bool = False
    is_preview: bool = False
