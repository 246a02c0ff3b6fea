"""Installations, a store in which something can happen in between, and what follows departures."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from bot.access.repository import Act, Audit
from bot.installations.installation import (
    Installation,
    UninstallEvent,
    UninstallKind,
    organisation,
    scope_of_key,
)
from bot.installations.repository import InstallationRepository
from bot.installations.uninstall import Uninstaller
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackUnreachableError
from bot.store.documents import Documents, StoreError
from bot.store.encryption import KeyRing
from bot.store.fenced import ErasableDocuments, FencedDocuments
from tests.builders import ADMIN_ID, MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import EventfulDocuments

ACME, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
IN_ORG, OTHER_IN_ORG, ORG = WorkspaceId("T3", "E1"), WorkspaceId("T4", "E1"), organisation("E1")
RING = KeyRing({"k1": b"1" * 32})
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def an_installation(
    home: WorkspaceId = ACME, token: str | None = "", **fields: Any
) -> Installation:
    """Return one that was made an hour ago; its token names its home, unless it is given."""
    defaults: dict[str, Any] = {
        "app_id": "A1",
        "bot_user_id": "U0BOT",
        "scopes": ("commands",),
        "installed_by": ADMIN_ID,
        "installed_at": MOMENT - HOUR,
        "name": "Acme",
        "token": f"xoxb-{home}" if token == "" else token,
    }
    return Installation(home=home, **(defaults | fields))


def a_revoked_installation(home: WorkspaceId = ACME) -> Installation:
    return an_installation(home, None, revoked_at=MOMENT)


def a_repository(documents: Documents) -> InstallationRepository:
    return InstallationRepository(documents, RING)


def a_memory(documents: Documents, clock_s: Callable[[], float]) -> InstallationRepository:
    return InstallationRepository(documents, RING, clock_s=clock_s)


async def kept(documents: Documents, home: WorkspaceId = ACME) -> Installation:
    found = await a_repository(documents).get(home)
    assert found
    return found


class Gate:
    """Where somebody waits until it is opened."""

    def __init__(self) -> None:
        self._reached, self._opened = asyncio.Event(), asyncio.Event()

    async def __call__(self) -> None:
        self._reached.set()
        await self._opened.wait()

    async def until_reached(self) -> None:
        async with asyncio.timeout(TIME_LIMIT_S):
            await self._reached.wait()

    def open(self) -> None:
        self._opened.set()


def an_uninstaller(documents: ErasableDocuments) -> Uninstaller:
    """Return one that asks no one."""

    async def still_works(_home: WorkspaceId) -> bool:
        raise AssertionError

    return Uninstaller(
        documents,
        Tasks(),
        InstallationRepository(documents, RING),
        still_works=still_works,
        caches=[],
        clock=FakeClock(),
        audit=Audit(documents, clock=FakeClock()),
        installed_since=lambda: None,
    )


class Registry:
    """Installations in a store, Slack's word on their tokens, and what follows departures."""

    def __init__(self, *, is_single: bool = False) -> None:
        self.clock = FakeClock()
        self.inner = EventfulDocuments()
        self.working: set[WorkspaceId] = set()
        self.asked: list[WorkspaceId] = []
        self.is_slack_away = False
        self.emptied: list[WorkspaceId] = []
        self.during_asking: Callable[[], Awaitable[object]] | None = None
        self.since: datetime | None = MOMENT - HOUR
        self.documents = FencedDocuments(self.inner, beginning_of=scope_of_key)
        self.repository = a_repository(self.documents)
        self.tasks = Tasks()
        self.audit = Audit(self.documents, clock=self.clock)
        self.uninstaller = Uninstaller(
            self.documents,
            self.tasks,
            self.repository,
            still_works=self.still_works,
            caches=[self.emptied.append],
            clock=self.clock,
            audit=self.audit,
            installed_since=lambda: self.since if is_single else None,
        )

    async def noted(self, home: WorkspaceId = ACME) -> list[Act]:
        return [entry.act for entry in await self.audit.entries(home)]

    async def tick(self, after: timedelta = timedelta()) -> None:
        """Do all that a tick begins."""
        self.clock.now += after
        await self.uninstaller.run_due()
        assert await self.tasks.drain(TIME_LIMIT_S)

    async def still_works(self, home: WorkspaceId) -> bool:
        self.asked.append(home)
        does_work = home in self.working
        if self.during_asking:
            happening, self.during_asking = self.during_asking, None
            await happening()
        if self.is_slack_away:
            raise SlackUnreachableError("no such host")
        return does_work

    async def install(self, home: WorkspaceId = ACME, **fields: Any) -> None:
        """Install as the flow does, in the place of whatever is there, and set something up."""
        await self.repository.put(an_installation(home, **fields))
        self.working.add(home)
        await self.set_up(home)

    async def set_up(self, home: WorkspaceId) -> None:
        await self.documents.put(f"{home}/key", {"sealed": "x"})
        await self.documents.put(f"{home}/digest/d1", {"channel": "C1"}, due_at=MOMENT)

    async def leave(
        self, home: WorkspaceId = ACME, way: UninstallKind = UninstallKind.REMOVED, **at: Any
    ) -> None:
        """Let an event arrive; `at` is its time by Slack's clock."""
        await self.uninstaller.handle(UninstallEvent(home, way, at.get("at", MOMENT)))

    async def revoke(self, home: WorkspaceId = ACME) -> None:
        """End the tokens, and let the event of that arrive."""
        self.working.discard(home)
        await self.leave(home, UninstallKind.REVOKED)

    async def homes(self) -> set[str]:
        return {key.split("/")[0] for key in await self.keys()}

    async def has_token(self, home: WorkspaceId = ACME) -> bool:
        return (await kept(self.documents, home)).token is not None

    async def is_refused(self, home: WorkspaceId) -> bool:
        """Return whether the store takes nothing of a workspace."""
        try:
            await self.documents.put(f"{home}/digest/d1", {"channel": "C1"}, due_at=MOMENT)
        except StoreError:
            return True
        return False

    async def keys(self, prefix: str = "") -> list[str]:
        """Return what there is of workspaces; the store's own names no one."""
        found = await self.inner.list_prefix(prefix)
        return [document.key for document in found if not document.key.startswith("meta/")]
