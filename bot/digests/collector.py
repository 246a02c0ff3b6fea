"""Collect what a digest posts."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime

from bot.digests.alert_life import Look, silences
from bot.digests.baseline import (
    Baseline,
    baseline_of,
    before_empty,
    has_shrunk,
    next_baseline,
    unpack,
)
from bot.digests.models import Digest, Outcome, PastRun, Plan
from bot.digests.report import (
    LOWER_SCORES,
    WORSE_WITHOUT_SIGNS,
    Post,
    Report,
    TrendPoint,
    fallen,
    make_report,
    unsettled,
    without,
)
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Slot, slot_at
from bot.domains.csv_file import domains_csv
from bot.domains.kept_facts import FactsRepository, KnownFacts
from bot.domains.query import parse_query, select
from bot.domains.service import Portfolio, Snapshot
from bot.process.clock import Clock
from bot.process.concurrency import compute
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.tracker.models import Domain
from bot.tracker.rate_limit import Purpose

_REACHED = {Outcome.POSTED, Outcome.QUIET}


@dataclass(frozen=True, slots=True)
class Collected:
    """A post, the baseline of the post after it, and what an alert saw.

    `is_moved`: the baseline differs from the last one. `file` is the whole list as CSV, if the
    digest's plan wants that.
    """

    post: Post
    baseline: Baseline
    look: Look
    is_moved: bool = True
    file: bytes | None = None


@dataclass(frozen=True, slots=True)
class Collector:
    """Collects the content of digests from their workspaces' lists."""

    portfolio: Portfolio
    repository: DigestRepository
    kept_facts: FactsRepository
    _: KW_ONLY
    clock: Clock

    async def matching(self, workspace: WorkspaceId, plan: Plan) -> int | None:
        """Return the number of domains of a plan; `None` when the service gives no list."""
        with log_and_suppress("no list to count in", BotError):
            domains = (await self.portfolio.snapshot(workspace)).domains
            query = parse_query(plan.filter_text)
            facts = await self._known(workspace) if query.needs_ends else None
            return len(await compute(len(domains), select, domains, query, facts))
        return None

    async def labels(self, workspace: WorkspaceId) -> list[str]:
        """Return `tag:…` and `folder:…` in use; none when the service gives no list."""
        with log_and_suppress("no labels to offer", BotError):
            snapshot = await self.portfolio.snapshot(workspace)
            tags = [f"tag:{tag}" for tag in snapshot.tags]
            return tags + [f"folder:{folder}" for folder in snapshot.folders]
        return []

    async def collect(
        self,
        workspace: WorkspaceId,
        digest: Digest,
        *,
        purpose: Purpose,
        slot: Slot | None = None,
        newer_than: datetime | None = None,
    ) -> Collected:
        """Return the content of a post now; `slot` is `None` when a person asked for it.

        `newer_than`: see `Portfolio.snapshot`, which raises when there is no list.
        """
        before = unpack(digest.packed_baseline) if digest.packed_baseline else None
        snapshot = await self.portfolio.snapshot(
            workspace,
            purpose=purpose,
            newer_than=newer_than,
            slot_at=slot.due_at if slot else None,
        )
        facts = replace(await self._known(workspace), within=digest.plan.rule.horizon)
        report, baseline = await self._compare(snapshot, digest, before, facts)
        if has_shrunk(before, baseline):
            snapshot = await self.portfolio.snapshot(
                workspace, purpose=purpose, newer_than=snapshot.listed_at
            )
            report, baseline = await self._compare(snapshot, digest, before, facts)
        now = baseline.taken_at
        if digest.plan.is_alert and purpose is Purpose.SCHEDULED:
            alerts = await self.repository.cards(workspace, digest.digest_id)
            silenced = silences(digest, alerts.values(), now)
            snoozed = {host for _, hosts in silenced for host in hosts or baseline.scores}
            whole = (before and before_empty(before)) or before
            waiting = unsettled(report, before)
            report = without(report, snoozed, WORSE_WITHOUT_SIGNS)
            report = without(report, waiting, LOWER_SCORES)
            baseline = next_baseline(whole, baseline, fallen(report), snoozed, waiting)
        post = Post(
            digest=digest,
            report=report,
            sent_at=now,
            slot=slot,
            has_shrunk=has_shrunk(before, baseline),
            trend=_trend(digest, slot, now, report.totals.average),
            unposted=_unposted(digest),
            is_first=digest.baseline is None
            and all(run.outcome is not Outcome.POSTED for run in digest.past),
        )
        marked = (baseline.scores, baseline.marks, baseline.unsettled)
        is_moved = not before or (before.scores, before.marks, before.unsettled) != marked
        look = Look(
            report,
            snapshot.by_host,
            facts,
            parse_query(digest.plan.filter_text).bounds,
            is_whole=bool(snapshot.by_host) and not post.has_shrunk,
        )
        file = None
        if digest.plan.has_file:
            file = await compute(len(snapshot.domains), _file_of, snapshot, digest.plan, facts)
        return Collected(post, baseline, look, is_moved, file)

    async def details(self, workspace: WorkspaceId, digest: Digest, token: str) -> Post | None:
        """Return the content of the post that the run `token` made, without asking the service.

        The end dates and issues are as known now. `None`: it is no longer the newest post.
        """
        run = digest.run if digest.run and digest.run.token == token else None
        newest = digest if token == digest.baseline else run
        if not newest or not newest.packed_baseline:
            return None
        baseline = unpack(newest.packed_baseline)
        now, within = baseline.taken_at, digest.plan.rule.horizon
        facts = replace(await self._known(workspace), now=now, within=within)
        last = await self.portfolio.last_snapshot(workspace)
        by_host = last.by_host if last else {}
        report = await compute(
            len(baseline.scores) + len(by_host), _report_then, baseline, digest, facts, by_host
        )
        # The marks of the baseline before are not known any more.
        return Post(
            digest=digest,
            report=replace(report, nearer=()),
            sent_at=now,
            trend=_trend(digest, None, now, run.average if run else None),
        )

    async def _compare(
        self, snapshot: Snapshot, digest: Digest, before: Baseline | None, facts: KnownFacts
    ) -> tuple[Report, Baseline]:
        many = len(snapshot.domains) + len(before.scores if before else ())
        owned_type = self.portfolio.owned_type
        return await compute(many, _report_of, snapshot, digest, before, facts, owned_type)

    async def _known(self, workspace: WorkspaceId) -> KnownFacts:
        """Return what scans have said until now; what is kept later is for the next post."""
        now = self.clock()
        return KnownFacts(await self.kept_facts.get(workspace), now)


def _file_of(snapshot: Snapshot, plan: Plan, facts: KnownFacts) -> bytes:
    found = select(snapshot.by_host.values(), parse_query(plan.filter_text), facts)
    return domains_csv(found, facts)


def _report_of(
    snapshot: Snapshot, digest: Digest, before: Baseline | None, facts: KnownFacts, owned_type: str
) -> tuple[Report, Baseline]:
    plan = digest.plan
    query = parse_query(plan.filter_text)
    index = snapshot.by_host
    if query.scope.is_filter:
        chosen = set(map(id, select(index.values(), query.scope, facts)))
        index = {host: domain for host, domain in index.items() if id(domain) in chosen}
    whole = before_empty(before) if before and index else None
    before = whole or before
    report = make_report(
        index,
        before,
        worst_count=plan.worst_count,
        rule=plan.rule,
        bounds=query.bounds,
        facts=facts,
        owned_type=owned_type,
        made_at=digest.made_at,
    )
    # To match no filter by ends or issues any more is well.
    by_result = query.filters_by_result or query.is_unscanned
    is_emptied = bool(before and before.scores) and not (index or by_result)
    report = replace(report, is_past_empty=whole is not None, is_emptied=is_emptied)
    return report, baseline_of(index, facts.now, facts, before, plan.rule.marks)


def _report_then(
    baseline: Baseline, digest: Digest, facts: KnownFacts, by_host: Mapping[str, Domain]
) -> Report:
    """Return the report of a baseline; `by_host` says the ids of the domains, which links need."""
    ids = {host: domain.domain_id for host, domain in by_host.items()}
    index = {
        host: Domain(domain=host, domain_id=ids.get(host), health_score=score)
        for host, score in baseline.scores.items()
    }
    return make_report(
        index,
        baseline.before,
        worst_count=len(index),
        rule=digest.plan.rule,
        bounds=parse_query(digest.plan.filter_text).bounds,
        facts=facts,
        made_at=digest.made_at,
    )


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
    return tuple(points)


def _unposted(digest: Digest) -> tuple[PastRun, ...]:
    """Return the runs since the last post that were for this channel and did not reach it."""
    posts = [place for place, run in enumerate(digest.past) if run.outcome is Outcome.POSTED]
    since = digest.past[posts[-1] + 1 :] if posts else digest.past
    moved_at = digest.moved_at or digest.made_at
    return tuple(run for run in since if run.outcome not in _REACHED and run.at > moved_at)
