"""What a post of a digest is made of, collected: the list, the report, the runs before."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from bot.digests.digest import Digest, Outcome, PastRun, Plan
from bot.digests.post import Post, TrendPoint
from bot.digests.report import Baseline, Report, baseline_of, make_report
from bot.digests.schedule import Slot, slot_at
from bot.digests.shelf import Shelf
from bot.portfolio.portfolio import Portfolio
from bot.portfolio.query import parse_query, select
from bot.portfolio.snapshot import Snapshot
from bot.tracker.budget import Purpose
from bot.workspace import WorkspaceId

T = TypeVar("T")

MAX_TREND_POINTS = 20
# A millisecond or two on the loop.
FEW = 500
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
        # One at a time: several threads that count compete with the loop for the interpreter.
        self._counting = asyncio.Lock()

    async def offload(self, work: Callable[..., T], *args: Any, size: int) -> T:
        """Return what `work` does with `size` domains: 10,000 take tens of milliseconds.

        Those are done off the loop. A few are done sooner than a thread is at hand.
        """
        if size <= FEW:
            return work(*args)
        async with self._counting:
            return await asyncio.to_thread(work, *args)

    async def matching(self, workspace: WorkspaceId, plan: Plan) -> int:
        """Return how many domains the plan's filter chooses.

        Raises:
            NoKeyError, TrackerError, LackingScopeError: there is no list.
        """
        snapshot = await self._portfolio.snapshot(workspace)
        query = parse_query(plan.filter_text)
        domains = snapshot.domains
        return len(await self.offload(select, domains, query, size=len(domains)))

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
        snapshot = await self._portfolio.snapshot(workspace, purpose=purpose)
        before = await self._shelf.baseline(workspace, digest.digest_id, digest.baseline)
        now = self._clock()
        size = len(snapshot.domains)
        report, baseline = await self.offload(
            _counted, snapshot, digest.plan, before, now, size=size
        )
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


def _counted(
    snapshot: Snapshot, plan: Plan, before: Baseline | None, now: datetime
) -> tuple[Report, Baseline]:
    query = parse_query(plan.filter_text)
    index = snapshot.by_host
    if query.scope.is_filter:
        chosen = set(map(id, select(index.values(), query.scope)))
        index = {host: domain for host, domain in index.items() if id(domain) in chosen}
    report = make_report(index, before, worst_count=plan.worst_count, bounds=query.bounds)
    return report, baseline_of(index, now)


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
    """The runs since the last post that the channel did not get, as far as they were for it."""
    posts = [place for place, run in enumerate(digest.past) if run.outcome is Outcome.POSTED]
    since = digest.past[posts[-1] + 1 :] if posts else digest.past
    moved_at = digest.moved_at or digest.made_at
    return tuple(run for run in since if run.outcome not in _REACHED and run.at > moved_at)


def _was_posted(digest: Digest) -> bool:
    return digest.baseline is not None or any(run.outcome is Outcome.POSTED for run in digest.past)
