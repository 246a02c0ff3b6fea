"""A process that runs bulk scans, around a store in memory."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

from bot.domains.kept_facts import FactsRepository
from bot.domains.service import Portfolio
from bot.process.concurrency import Tasks
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.scans.bulk_record import BulkScan, items_of
from bot.scans.bulk_runner import BulkScans
from bot.scans.service import Scans
from bot.tracker.rate_limit import Purpose
from tests.builders import a_domain
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists, FakePosts
from tests.memory import MemoryDocuments

ACME, BOB = WorkspaceId("T1"), "U0BOB"


@dataclass
class Bot:
    """Everything about bulk scans but Slack and the service, around a store in memory."""

    clock: FakeClock = field(default_factory=FakeClock)
    documents: MemoryDocuments = field(default_factory=MemoryDocuments)
    lists: FakeLists = field(default_factory=FakeLists)
    posts: FakePosts = field(default_factory=FakePosts)
    tasks: Tasks = field(default_factory=Tasks)
    takes_s: float = 0.0

    def __post_init__(self) -> None:
        self.scanned: list[str] = []
        self.errors: dict[str, list[BotError]] = {}
        self.gate, self.is_asked = asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.bulk = self.process()

    def process(self) -> BulkScans:
        """Start as a new process would, on the same store."""
        portfolio = Portfolio(self.lists.list_domains, clock=self.clock)
        ends = FactsRepository(self.documents)
        return BulkScans(
            self.documents,
            self.tasks,
            Scans(self.scan, portfolio, self.documents, ends, clock=self.clock),
            self.posts,
            clock=self.clock,
        )

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, purpose: Purpose = Purpose.PERSON
    ) -> dict[str, object]:
        """Be the service."""
        self.scanned.append(domain_id)
        self.is_asked.set()
        await self.gate.wait()
        await asyncio.sleep(self.takes_s)
        if errors := self.errors.get(domain_id):
            raise errors.pop(0)
        issues = [{"severity": "low", "title": "mild"}, {"severity": "high", "title": domain_id}]
        return {"security": {"issues": issues}}

    async def start(self, names: str, workspace: WorkspaceId = ACME) -> BulkScan:
        """List domains, one of each letter, and start the bulk scan of them."""
        domains = [a_domain(f"{name}.example", domain_id=name) for name in names]
        self.lists.domains = tuple(domains)
        return await self.bulk.start(workspace, BOB, items_of(domains), "tag:prod")

    async def begin_scan(self) -> None:
        """Do what is due until the service is asked for a scan, which it does not answer yet."""
        self.gate.clear()
        self.is_asked.clear()
        await self.bulk.run_due()
        await self.is_asked.wait()

    async def finish(self) -> None:
        """Let the service answer, and everything under way end."""
        self.gate.set()
        assert await self.tasks.drain(TIME_LIMIT_S)

    async def pass_by(self, time: timedelta = timedelta()) -> BulkScan:
        """Let time pass, and everything be done that is due then; return what is stored."""
        self.clock.now += time
        await self.bulk.run_due()
        assert await self.tasks.drain(TIME_LIMIT_S)
        run = await self.bulk.last(ACME)
        assert run
        return run

    @property
    def summary(self) -> str:
        return self.posts.notified[-1][1]
