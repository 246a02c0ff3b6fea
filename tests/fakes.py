"""Small stand-ins with memory for what the bot's parts are handed. Never mocks."""

import asyncio
from datetime import datetime, timedelta

from bot.tracker.models import Domain, Listing
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
