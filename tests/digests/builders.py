"""Digests and what they tell, built with defaults; Berlin, Friday 20 November 2026, 09:00."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from bot.access.repository import Act
from bot.blocks.message import Message
from bot.digests.alert_cards import AlertCards
from bot.digests.baseline import Baseline, baseline_of
from bot.digests.collector import Collector
from bot.digests.delivery import Delivery
from bot.digests.edits import Editor
from bot.digests.models import Digest, Mention, Notice, Outcome, PastRun, Plan, Run, RunState
from bot.digests.report import Post, Report, TrendPoint, make_report
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Schedule, Slot, next_slot
from bot.digests.service import DigestService
from bot.digests.worker import DigestWorker
from bot.domains.kept_facts import FactsRepository
from bot.domains.lookup import index_by_host
from bot.domains.service import Portfolio
from bot.keys.failures import FailureReason
from bot.keys.repository import Keys
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.process.zones import zone_of
from bot.store.documents import Document, StoreError
from bot.store.encryption import KeyRing
from bot.tracker.models import Domain
from tests.builders import ADMIN_ID, a_domain
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists, FakePosts
from tests.memory import MemoryDocuments

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
    """Return the run of a slot that `Send now` has taken over."""
    defaults: dict[str, Any] = {
        "slot": a_slot(),
        "channel_id": CHANNEL_ID,
        "state": RunState.WAITING,
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
    return make_report(index_by_host(domains), baseline, **how)


def baseline_on(domains: Sequence[Domain], now: datetime) -> Baseline:
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


ACME = WorkspaceId("T1")
ADA = Editor(user_id="U0ADA", name="ada")
BOB = Editor(user_id="U0BOB", name="bob")
EVE = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)
NINE = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)  # 09:00 in Berlin, a Friday
DAY = timedelta(days=1)
DAILY = Schedule(frozenset(range(7)), time(9), "Europe/Berlin")


class DocumentsOnDisk(MemoryDocuments):
    """A store in memory whose disk may be full, and pages of it damaged."""

    is_full = False
    has_failed: asyncio.Event | None = None  # set by a read that fails
    cannot_be_read: frozenset[str] | set[str] = frozenset()

    async def get(self, key: str) -> Document | None:
        if key in self.cannot_be_read:
            if self.has_failed:
                self.has_failed.set()
            raise StoreError("a damaged page")
        return await super().get(key)

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if self.is_full:
            raise StoreError("the disk is full")
        return await super().put(key, value, **how)


@dataclass
class Bot:
    """The clock stands at noon of the day before, until a test moves it."""

    clock: FakeClock = field(default_factory=lambda: FakeClock(EVE))
    lists: FakeLists = field(default_factory=lambda: FakeLists(a_domain(score=41)))
    posts: FakePosts = field(default_factory=FakePosts)
    documents: DocumentsOnDisk = field(default_factory=DocumentsOnDisk)
    tasks: Tasks = field(default_factory=Tasks)
    collect_within_s: float = TIME_LIMIT_S
    renderers: Sequence[Callable[[Post], Message]] = field(
        default_factory=lambda: (_digest_words, _heartbeat_words)
    )

    def __post_init__(self) -> None:
        self.steps: list[tuple[Digest, Digest]] = []
        self.notes: list[tuple[Act, str, str | None]] = []
        self.repository = DigestRepository(
            self.documents, on_step=lambda before, after: self.steps.append((before, after))
        )
        self.keys = Keys(self.documents, KeyRing({"k1": b"1" * 32}), clock=self.clock)
        self.start()

    def start(self) -> None:
        """Start as a new process would, on the same store."""
        portfolio = Portfolio(self.lists.list_domains, clock=self.clock)
        facts = FactsRepository(self.documents)
        collector = Collector(portfolio, self.repository, facts, clock=self.clock)
        self.delivery = Delivery(
            self.repository,
            collector,
            self.posts,
            clock=self.clock,
            draw=self.renderers[0],
            draw_heartbeat=self.renderers[1],
            sleep=_no_sleep,
            collect_within_s=self.collect_within_s,
        )
        self.cards = AlertCards(self.repository, self.posts, clock=self.clock)
        self.service = DigestService(
            self.repository,
            collector,
            self.delivery,
            self.cards,
            clock=self.clock,
            notes=self.note,
        )
        parts = self.repository, self.delivery, self.keys, self.tasks
        self.worker = DigestWorker(*parts, clock=self.clock, words=_notice)

    async def note(
        self, workspace: WorkspaceId, what: Act, *, by: str, channel_id: str | None = None
    ) -> None:
        self.notes.append((what, by, channel_id))

    async def make(self, **plan: object) -> Digest:
        """Make a digest, and forget that it was announced."""
        fields = {"channel_id": "C1", "schedule": DAILY} | plan
        made, _ = await self.service.make(ACME, Plan(**fields), by=BOB)  # type: ignore[arg-type]  # fields of any kind
        self.forget_posts()
        return made

    def forget_posts(self) -> None:
        self.posts.posts.clear()
        self.posts.is_posted.clear()

    async def at(self, moment: datetime) -> None:
        """Let it be that moment, and do all that is due then."""
        self.clock.now = moment
        for _ in range(3):  # what has happened may need a notice
            await self.worker.run_due()
            assert await self.tasks.drain(TIME_LIMIT_S)

    async def collecting_at(self, moment: datetime) -> None:
        """Let it be that moment, and what is due then wait for its list."""
        self.lists.gate.clear()
        self.lists.is_asked.clear()
        self.clock.now = moment
        await self.worker.run_due()
        await self.lists.is_asked.wait()

    async def dies(self) -> None:
        """Let the process end where it is, and another one begin."""
        await self.tasks.cancel()
        self.lists.gate.set()
        self.start()

    async def dies_posting_at(self, moment: datetime) -> None:
        """Let it be that moment, and the process end when Slack has been asked to post."""
        is_asked = asyncio.Event()

        async def hang() -> None:
            self.posts.before_post = None
            is_asked.set()
            await asyncio.Event().wait()

        self.posts.before_post = hang
        self.clock.now = moment
        await self.worker.run_due()
        await is_asked.wait()
        await self.dies()

    async def digest(self) -> Digest:
        [digest] = await self.repository.of_workspace(ACME)
        return digest


def outcomes(digest: Digest) -> list[Outcome]:
    return [run.outcome for run in digest.past]


def ends(digest: Digest) -> list[tuple[Outcome, FailureReason | None]]:
    return [(run.outcome, run.trouble) for run in digest.past]


async def send_now(bot: Bot) -> Digest:
    return await bot.service.send_now(ACME, (await bot.digest()).digest_id, by=ADA)


async def replan(bot: Bot, **change: Any) -> Digest:
    digest = await bot.digest()
    plan = replace(digest.plan, **change)
    return await bot.service.change(ACME, digest.digest_id, plan, by=ADA, version=digest.version)


async def _no_sleep(_seconds: float) -> None:
    return None


def _digest_words(post: Post) -> Message:
    average = post.report.totals.average
    return Message(f"digest: {post.report.totals.count} domains, average {average}")


def _heartbeat_words(post: Post) -> Message:
    return Message(f"heartbeat after {post.digest.silent_runs}")


def _notice(_digest: Digest, notice: Notice) -> Message:
    outcome = notice.outcome.value if notice.outcome else "paused"
    return Message(f"{outcome} {notice.trouble and notice.trouble.value} x{notice.count}")
