"""What a post of a digest is made of, collected: the list, the report, the runs before."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.digests.digest import Digest, Outcome, PastRun, Plan
from bot.digests.post import Post, TrendPoint
from bot.digests.report import Baseline, baseline_of, make_report
from bot.digests.schedule import Slot, slot_at
from bot.digests.shelf import Shelf
from bot.portfolio.portfolio import Portfolio
from bot.portfolio.query import parse_query, select
from bot.tracker.budget import Purpose
from bot.tracker.models import Domain
from bot.workspace import WorkspaceId

MAX_TREND_POINTS = 20
_REACHED = {Outcome.POSTED, Outcome.QUIET}


@dataclass(frozen=True, slots=True)
class Collected:
    """A post, and what the one after it is to be compared with."""

    post: Post
    baseline: Baseline


class Collector:
    """Collects for digests. One list serves all digests of a workspace within a minute."""

    def __init__(
        self, portfolio: Portfolio, shelf: Shelf, *, clock: Callable[[], datetime]
    ) -> None:
        self._portfolio = portfolio
        self._shelf = shelf
        self._clock = clock

    async def matching(
        self, workspace: WorkspaceId, plan: Plan, *, purpose: Purpose
    ) -> Sequence[Domain]:
        """Return the domains that the plan's filter chooses.

        Raises:
            NoKeyError, TrackerError, LackingScopeError: there is no list.
        """
        snapshot = await self._portfolio.snapshot(workspace, purpose=purpose)
        query = parse_query(plan.filter_text)
        return await asyncio.to_thread(select, snapshot.domains, query)

    async def labels(self, workspace: WorkspaceId) -> list[str]:
        """Return the tags and folders in use, as `tag:prod` and `folder:Web shops`.

        Raises as `matching` does.
        """
        snapshot = await self._portfolio.snapshot(workspace)
        tags = [f"tag:{tag}" for tag in snapshot.tags]
        return tags + [f"folder:{folder}" for folder in snapshot.folders]

    async def collect(
        self, workspace: WorkspaceId, digest: Digest, *, slot: Slot | None, purpose: Purpose
    ) -> Collected:
        """Return what a post would say now; `slot` is `None` when somebody asked for it.

        Raises as `matching` does, and StoreError.
        """
        domains = await self.matching(workspace, digest.plan, purpose=purpose)
        before = await self._shelf.baseline(workspace, digest.digest_id, digest.baseline)
        now = self._clock()
        # Off the loop: with 10,000 domains each of them takes tens of milliseconds.
        report = await asyncio.to_thread(
            make_report, domains, before, worst_count=digest.plan.worst_count
        )
        baseline = await asyncio.to_thread(baseline_of, domains, now)
        post = Post(
            digest=digest,
            report=report,
            sent_at=now,
            slot=slot,
            trend=_trend(digest, slot, now, report.totals.average),
            unposted=_unposted(digest),
            is_first=not _was_posted(digest),
        )
        return Collected(post, baseline)


def as_preview(post: Post) -> Post:
    """Return the post as somebody sees it who only wants to know what it would look like."""
    return replace(post, is_preview=True)


def _trend(
    digest: Digest, slot: Slot | None, now: datetime, average: float | None
) -> tuple[TrendPoint, ...]:
    points = [
        TrendPoint(run.slot.local, run.average)
        for run in digest.past
        if run.average is not None and run.outcome in _REACHED
    ]
    if average is not None:
        local = (slot or slot_at(digest.plan.schedule, now)).local
        points.append(TrendPoint(local, average))
    return tuple(points[-MAX_TREND_POINTS:])


def _unposted(digest: Digest) -> tuple[PastRun, ...]:
    """The runs since the last post that the channel did not get."""
    posts = [place for place, run in enumerate(digest.past) if run.outcome is Outcome.POSTED]
    since = digest.past[posts[-1] + 1 :] if posts else digest.past
    return tuple(run for run in since if run.outcome not in _REACHED)


def _was_posted(digest: Digest) -> bool:
    return digest.baseline is not None or any(run.outcome is Outcome.POSTED for run in digest.past)
