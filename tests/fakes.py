"""Small stand-ins with memory for what the bot's parts are handed. Never mocks."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from bot.tracker.budget import Purpose
from bot.tracker.models import Added, Domain, Listing, ScanResult
from bot.workspace import WorkspaceId
from tests.builders import MOMENT

# Long enough for any machine; nothing waits for it unless the test fails.
TIME_LIMIT_S = 5


class FakeClock:
    """A clock that only moves when it is told to."""

    def __init__(self, now: datetime = MOMENT) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        """Return the same moment for those who count seconds."""
        return self.now.timestamp()

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class FakeLists:
    """A `ListsDomains` that lists what it is given, when `gate` is open; remembers who asked."""

    def __init__(self, *domains: Domain, skipped: int = 0) -> None:
        self.domains = domains
        self.skipped = skipped
        self.error: Exception | None = None
        self.asked: list[WorkspaceId] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def list_domains(self, workspace: WorkspaceId) -> Listing:
        self.asked.append(workspace)
        domains, error = self.domains, self.error  # as of the moment of the request
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.gate.wait()
        if error:
            raise error
        return Listing(domains=domains, skipped=self.skipped)


class FakeTracker:
    """A `Tracker` that answers what it is given; remembers which key it was asked with."""

    def __init__(self, *domains: Domain) -> None:
        self.domains = domains
        self.errors: dict[str, Exception] = {}  # by key: what it answers to that key
        self.asked: list[tuple[str, str]] = []
        self.sections: dict[str, object] = {}
        self.before_answer: Callable[[], Awaitable[object]] | None = None

    async def list_domains(self, key: str, *, purpose: Purpose = Purpose.PERSON) -> Listing:
        await self._ask("list", key)
        return Listing(domains=self.domains)

    async def add_domain(
        self,
        key: str,
        *,
        domain: str,
        domain_type: str,
        tags: Sequence[str] = (),
        folder: str | None = None,
        purpose: Purpose = Purpose.PERSON,
    ) -> Added:
        await self._ask("add", key)
        return Added()

    async def scan(
        self, key: str, domain_id: str, *, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        await self._ask("scan", key)
        return ScanResult(domain_id=domain_id, sections=self.sections)

    async def _ask(self, operation: str, key: str) -> None:
        self.asked.append((operation, key))
        if self.before_answer:
            await self.before_answer()
        if key in self.errors:
            raise self.errors[key]
