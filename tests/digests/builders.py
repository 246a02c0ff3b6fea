"""Digests and what they tell, built with defaults; Berlin, Friday 20 November 2026, 09:00."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from bot.digests.baseline import Baseline, baseline_of
from bot.digests.models import Digest, Mention, Notice, Outcome, PastRun, Plan, Run, RunState
from bot.digests.report import Post, Report, TrendPoint, make_report
from bot.digests.schedule import Schedule, Slot, next_slot
from bot.domains.lookup import index_by_host
from bot.keys.failures import FailureReason
from bot.process.zones import zone_of
from bot.tracker.models import Domain
from tests.builders import ADMIN_ID, a_domain

ZONE = "Europe/Berlin"
DUE = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)  # 09:00 in Berlin
BEFORE = DUE - timedelta(days=1)
CHANNEL_ID, DIGEST_ID = "C0OPS", "d1"


def a_schedule(
    days: Iterable[int] = range(5), at: time = time(9, 0), zone: str = ZONE
) -> Schedule:
    return Schedule(frozenset(days), at, zone)


def a_slot(due_at: datetime = DUE, zone: str = ZONE) -> Slot:
    return Slot(due_at, due_at.astimezone(zone_of(zone)).replace(tzinfo=None))


def a_plan(**fields: Any) -> Plan:
    defaults: dict[str, Any] = {"channel_id": CHANNEL_ID, "schedule": a_schedule()}
    return Plan(**(defaults | fields))


def a_mention(label: str = "tag:prod", *who: str) -> Mention:
    return Mention(label=label, who=who or (ADMIN_ID,))


def a_digest(**fields: Any) -> Digest:
    """Return a digest; fields of its plan may be given as they are."""
    of_plan = {name: fields.pop(name) for name in Plan.__dataclass_fields__ if name in fields}
    plan = fields.pop("plan", None) or a_plan(**of_plan)
    defaults: dict[str, Any] = {
        "digest_id": DIGEST_ID,
        "plan": plan,
        "made_by": ADMIN_ID,
        "made_by_name": "Ada",
        "made_at": DUE - timedelta(days=30),
        "next": next_slot(plan.schedule, DUE),
    }
    return Digest(**(defaults | fields))


def a_past_run(
    outcome: Outcome = Outcome.MISSED,
    trouble: FailureReason | None = FailureReason.DOWN,
    due_at: datetime = BEFORE,
    **fields: Any,
) -> PastRun:
    defaults: dict[str, Any] = {"slot": a_slot(due_at), "at": due_at}
    return PastRun(outcome=outcome, trouble=trouble, **(defaults | fields))


def a_run(**fields: Any) -> Run:
    """Return the run of a slot that somebody has claimed."""
    defaults: dict[str, Any] = {
        "slot": a_slot(),
        "channel_id": CHANNEL_ID,
        "state": RunState.CLAIMED,
        "until": DUE,
        "deadline": DUE,
        "token": "t",
    }
    return Run(**(defaults | fields))


def a_notice(**fields: Any) -> Notice:
    """Return what the owner reads of a slot that was missed."""
    defaults: dict[str, Any] = {
        "outcome": Outcome.MISSED,
        "slot": a_slot(),
        "channel_id": CHANNEL_ID,
        "trouble": FailureReason.DOWN,
    }
    return Notice(**(defaults | fields))


def a_baseline(scores: Mapping[str, float | None], taken_at: datetime = BEFORE) -> Baseline:
    return Baseline(scores=scores, taken_at=taken_at)


def domains_of(scores: Mapping[str, float | None], **fields: Any) -> list[Domain]:
    return [a_domain(host, score, **fields) for host, score in scores.items()]


def a_report(
    now: Mapping[str, float | None] | Sequence[Domain] | None = None,
    before: Mapping[str, float | None] | None = None,
    *,
    worst_count: int = 10,
) -> Report:
    """Return the report of hosts and their scores now and at the last digest, if there was one."""
    now = {"shop.example": 41} if now is None else now
    domains = domains_of(now) if isinstance(now, Mapping) else now
    baseline = None if before is None else a_baseline(before)
    return report_on(domains, baseline, worst_count=worst_count)


def report_on(domains: Sequence[Domain], baseline: Baseline | None, **how: Any) -> Report:
    """Return the report of domains in the service's own order."""
    return make_report(index_by_host(domains), baseline, **how)


def baseline_on(domains: Sequence[Domain], now: datetime) -> Baseline:
    """Return what the report after this one is compared with."""
    return baseline_of(index_by_host(domains), now)


def a_trend(averages: Sequence[float], last: datetime | None = None) -> tuple[TrendPoint, ...]:
    """Return a point for each day, the newest at `last`, a local time."""
    last = last or a_slot().local
    count = len(averages)
    return tuple(
        TrendPoint(last - timedelta(days=count - 1 - place), average)
        for place, average in enumerate(averages)
    )


def a_post(**fields: Any) -> Post:
    """Return a post in time; fields of its digest and plan may be given as they are."""
    names = {*Plan.__dataclass_fields__, *Digest.__dataclass_fields__}
    of_digest = {name: fields.pop(name) for name in names if name in fields}
    digest = fields.pop("digest", None) or a_digest(**of_digest)
    defaults: dict[str, Any] = {
        "digest": digest,
        "report": a_report(),
        "sent_at": DUE,
        "slot": a_slot(),
    }
    return Post(**(defaults | fields))
