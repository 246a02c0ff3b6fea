"""Everything about digests but Slack and the service, around a store in memory."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from bot.blocks.message import Message
from bot.digests.alert_cards import AlertCards
from bot.digests.collector import Collector
from bot.digests.delivery import Delivery, DigestRenderer
from bot.digests.edits import Editor
from bot.digests.failure_policy import Owners
from bot.digests.models import Digest, Notice, Outcome, Plan
from bot.digests.report import Post
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Schedule
from bot.digests.service import DigestService
from bot.digests.worker import DigestWorker
from bot.domains.end_dates import KeptEndDates
from bot.domains.service import Portfolio
from bot.keys.failures import FailureReason
from bot.keys.repository import Keys
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, StoreError
from bot.store.encryption import KeyRing
from bot.store.postgres.documents import PostgresDocuments
from tests.builders import a_domain
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists, FakePosts
from tests.memory import MemoryDocuments

ACME = WorkspaceId("T1")
ADA = Editor(user_id="U0ADA", name="ada")
BOB = Editor(user_id="U0BOB", name="bob")
EVE = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)
NINE = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)  # 09:00 in Berlin, a Friday
DAY = timedelta(days=1)
DAILY = Schedule(frozenset(range(7)), time(9), "Europe/Berlin")


class DiskTroubles:
    """What may befall a store: its disk may be full, and pages of it damaged."""

    is_full = False
    has_failed: asyncio.Event | None = None  # set by a read that fails
    cannot_be_read: frozenset[str] | set[str] = frozenset()

    async def get(self, key: str) -> Document | None:
        if key in self.cannot_be_read:
            if self.has_failed:
                self.has_failed.set()
            raise StoreError("a damaged page")
        found: Document | None = await super().get(key)  # type: ignore[misc]  # the store's
        return found

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if self.is_full:
            raise StoreError("the disk is full")
        put: Document = await super().put(key, value, **how)  # type: ignore[misc]  # the store's
        return put


class DocumentsOnDisk(DiskTroubles, MemoryDocuments):
    """A store in memory whose disk may be full."""


class DocumentsInDatabase(DiskTroubles, PostgresDocuments):
    """A store in PostgreSQL whose disk may be full."""


@dataclass
class Office:
    """The clock stands at noon of the day before, until a test moves it."""

    clock: FakeClock = field(default_factory=lambda: FakeClock(EVE))
    lists: FakeLists = field(default_factory=lambda: FakeLists(a_domain(score=41)))
    posts: FakePosts = field(default_factory=FakePosts)
    documents: DocumentsOnDisk | DocumentsInDatabase = field(default_factory=DocumentsOnDisk)
    tasks: Tasks = field(default_factory=Tasks)
    collect_within_s: float = TIME_LIMIT_S
    words: DigestRenderer = field(
        default_factory=lambda: DigestRenderer(_digest_words, _heartbeat_words, announcement)
    )

    def __post_init__(self) -> None:
        self.steps: list[tuple[Digest, Digest]] = []
        self.notes: list[tuple[str, str, str | None]] = []
        self.repository = DigestRepository(
            self.documents, on_step=lambda before, after: self.steps.append((before, after))
        )
        self.keys = Keys(self.documents, KeyRing({"k1": b"1" * 32}), clock=self.clock)
        self.start()

    def start(self) -> None:
        """Start as a new process would, on the same store."""
        portfolio = Portfolio(self.lists.list_domains, clock=self.clock)
        collector = Collector(
            portfolio, self.repository, KeptEndDates(self.documents), clock=self.clock
        )
        self.delivery = Delivery(
            self.repository,
            collector,
            self.posts,
            self.words,
            clock=self.clock,
            sleep=_no_sleep,
            collect_within_s=self.collect_within_s,
        )
        self.cards = AlertCards(self.repository, self.posts, clock=self.clock)
        self.desk = DigestService(
            self.repository,
            collector,
            self.delivery,
            self.cards,
            clock=self.clock,
            notes=self.note,
        )
        owners = Owners(self.posts, self.keys, _notice)
        self.rounds = DigestWorker(
            self.repository, self.delivery, owners, self.tasks, clock=self.clock
        )

    async def note(
        self, workspace: WorkspaceId, what: str, *, by: str, channel_id: str | None = None
    ) -> None:
        """Remember what was done, by whom and in which channel."""
        self.notes.append((what, by, channel_id))

    async def make(self, **plan: object) -> Digest:
        """Make a digest, and forget that it was announced."""
        fields = {"channel_id": "C1", "schedule": DAILY} | plan
        made, _ = await self.desk.make(ACME, Plan(**fields), by=BOB)  # type: ignore[arg-type]  # fields of any kind
        self.forget_posts()
        return made

    def forget_posts(self) -> None:
        """Forget what was posted up to now."""
        self.posts.posts.clear()
        self.posts.is_posted.clear()

    async def at(self, moment: datetime) -> None:
        """Let it be that moment, and do all that is due then."""
        self.clock.now = moment
        for _ in range(3):  # what has happened may need a notice
            await self.rounds.run_due()
            assert await self.tasks.drain(TIME_LIMIT_S)

    async def collecting_at(self, moment: datetime) -> None:
        """Let it be that moment, and what is due then wait for its list."""
        self.lists.gate.clear()
        self.lists.is_asked.clear()
        self.clock.now = moment
        await self.rounds.run_due()
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
        await self.rounds.run_due()
        await is_asked.wait()
        await self.dies()

    async def digest(self) -> Digest:
        """Return the one digest as it is now."""
        [digest] = await self.repository.of_workspace(ACME)
        return digest


def outcomes(digest: Digest) -> list[Outcome]:
    return [run.outcome for run in digest.past]


def ends(digest: Digest) -> list[tuple[Outcome, FailureReason | None]]:
    return [(run.outcome, run.trouble) for run in digest.past]


async def send_now(office: Office) -> Digest:
    return await office.desk.send_now(ACME, (await office.digest()).digest_id, by=ADA)


async def replan(office: Office, **change: Any) -> Digest:
    digest = await office.digest()
    plan = replace(digest.plan, **change)
    return await office.desk.change(ACME, digest.digest_id, plan, by=ADA, version=digest.version)


async def _no_sleep(_seconds: float) -> None:
    return None


def _digest_words(post: Post) -> Message:
    average = post.report.totals.average
    return Message(f"digest: {post.report.totals.count} domains, average {average}")


def _heartbeat_words(post: Post) -> Message:
    return Message(f"heartbeat after {post.digest.silent_runs}")


def announcement(digest: Digest) -> Message:
    return Message(f"announced by {digest.made_by_name}")


def _notice(_digest: Digest, notice: Notice) -> Message:
    outcome = notice.outcome.value if notice.outcome else "paused"
    return Message(f"{outcome} {notice.trouble and notice.trouble.value} x{notice.count}")
