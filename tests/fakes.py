"""Small stand-ins with memory for what the bot's parts are handed. Never mocks."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from bot.blocks.message import Message
from bot.process.workspace import WorkspaceId
from bot.slack.client import SentMessage
from bot.slack.errors import (
    PersonUnreachableError,
    SlackUnavailableError,
    TokenRefusedError,
)
from bot.slack.posting import Posting
from bot.tracker.client import TrackerClient
from bot.tracker.models import Domain, Listing, NewDomain
from bot.tracker.rate_limit import Allowance, Purpose
from tests.builders import MOMENT

# Longer than the busiest machine needs: nothing waits for it unless the test fails, and a hang is
# found by pytest's own limit.
TIME_LIMIT_S = 60


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
    """Lists what it is given, when `gate` is open; remembers who asked."""

    def __init__(self, *domains: Domain, skipped: int = 0) -> None:
        self.domains = domains
        self.skipped = skipped
        self.error: Exception | None = None
        self.asked: list[WorkspaceId] = []
        self.purposes: list[Purpose] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.is_asked = asyncio.Event()
        self.quick: set[WorkspaceId] = set()  # those for whom the gate is always open

    async def list_domains(
        self,
        workspace: WorkspaceId,
        purpose: Purpose = Purpose.PERSON,
        slot_at: datetime | None = None,
    ) -> Listing:
        self.asked.append(workspace)
        self.is_asked.set()
        self.purposes.append(purpose)
        domains, error = self.domains, self.error  # as of the moment of the request
        if workspace not in self.quick:
            async with asyncio.timeout(TIME_LIMIT_S):
                await self.gate.wait()
        if error:
            raise error
        return Listing(domains=domains, skipped=self.skipped)


class FakeTracker(TrackerClient):
    """A service that answers what it is given; remembers which key it was asked with."""

    def __init__(self, *domains: Domain) -> None:  # without HTTP
        self.domains = domains
        self.errors: dict[str, Exception] = {}  # by key: what it answers to that key
        self.asked: list[tuple[str, str]] = []
        self.sections: dict[str, object] = {}
        self.before_answer: Callable[[], Awaitable[object]] | None = None

    async def allowance(self, workspace: WorkspaceId, key: str) -> Allowance:
        return Allowance()

    async def list_domains(
        self, workspace: WorkspaceId, key: str, *, purpose: Purpose = Purpose.PERSON
    ) -> Listing:
        await self._ask("list", key)
        return Listing(domains=self.domains)

    async def add_domain(self, workspace: WorkspaceId, key: str, new: NewDomain) -> None:
        await self._ask("add", key)

    async def scan(
        self,
        workspace: WorkspaceId,
        key: str,
        domain_id: str,
        *,
        purpose: Purpose = Purpose.PERSON,
    ) -> dict[str, object]:
        await self._ask("scan", key)
        return self.sections

    async def _ask(self, operation: str, key: str) -> None:
        self.asked.append((operation, key))
        if self.before_answer:
            await self.before_answer()
        if key in self.errors:
            raise self.errors[key]


class FakePosts(Posting):
    """Channels and direct messages that take what is posted; remembers it, in order.

    An error in `errors` meets the next post; `is_lost`: the message is there all the same.
    `before_post` runs at the moment of posting, `is_posted` is set after the first one.
    """

    def __init__(self) -> None:  # without Slack
        self.posts: list[tuple[str, str]] = []
        self.is_posted = asyncio.Event()
        self.notified: list[tuple[str, str]] = []
        self.edited: list[tuple[str, str]] = []
        self.lines: list[str] = []  # in threads
        self.turns: list[str] = []
        self.errors: list[Exception] = []
        self.turn_errors: list[Exception] = []
        self.is_lost = False
        self.answers_lost = 0  # so many direct messages are there, and nothing says so
        self.before_post: Callable[[], Awaitable[object]] | None = None
        self.gone: set[str] = set()  # people who have left
        self.is_uninstalled = False

    async def require_token(self, workspace: WorkspaceId) -> None:
        if self.is_uninstalled:
            raise TokenRefusedError("not_authed")

    async def acquire_turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        self.turns.append(channel_id)
        if self.turn_errors:
            raise self.turn_errors.pop(0)

    async def post(
        self,
        workspace: WorkspaceId,
        channel_id: str,
        message: Message,
        *,
        thread_ts: str | None = None,
    ) -> str:
        if self.before_post:
            await self.before_post()
        error = self.errors.pop(0) if self.errors else None
        if thread_ts:
            self.lines.append(message.text)
        elif error is None or self.is_lost:
            self.posts.append((channel_id, message.text))
            self.is_posted.set()
        if error:
            raise error
        return "1.000001"

    async def send_dm(self, workspace: WorkspaceId, user_id: str, message: Message) -> SentMessage:
        if self.errors:
            raise self.errors.pop(0)
        if user_id in self.gone:
            raise PersonUnreachableError("user_disabled")
        self.notified.append((user_id, message.text))
        if self.answers_lost:
            self.answers_lost -= 1
            raise SlackUnavailableError("lost")
        return SentMessage(f"D{user_id[1:]}", f"{len(self.notified)}.000001")

    async def edit(self, workspace: WorkspaceId, sent: SentMessage, message: Message) -> None:
        if self.errors:
            raise self.errors.pop(0)
        place = sent.channel_id
        if place.startswith("D"):
            place = self.notified[int(sent.ts.partition(".")[0]) - 1][0]
        self.edited.append((place, message.text))
