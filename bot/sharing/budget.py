"""What a process has met with a key, a wait above all, known to all processes."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import structlog
from cachetools import LRUCache, TTLCache

from bot.asking import who_asks
from bot.patience import Patience
from bot.sharing.accounts import is_news
from bot.sharing.shelf import AccountShelf
from bot.sharing.timeline import Timeline
from bot.single_flight import SingleFlight
from bot.store.base import Documents
from bot.store.errors import ConflictError, StoreError
from bot.tasks import Tasks
from bot.tracker.account import NEVER, Account
from bot.tracker.budget import Budget
from bot.tracker.errors import RateLimitedError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

READ_EVERY_S = 2.0
ANSWERED_WITHIN_S = 1.0
MAX_REMEMBERED = 20_000
# Each time somebody else has written; then one goes on alone.
TRIES = 5


class SharedBudget:
    """Connects the `Budget` of this process with those of the others: a `Peers`.

    It works for the workspace of whoever asks (see `asking.py`), and for nobody else. Before a
    request it reads at most every two seconds. It writes only what others have to know at once:
    that a wait begins or ends, that somebody goes ahead after it, and how much is left at the
    reserve. A store that fails, or is slow, leaves this process to what it knows itself.
    """

    def __init__(
        self,
        documents: Documents,
        budget: Budget,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        answered_within_s: float = ANSWERED_WITHIN_S,
    ) -> None:
        self._timeline = Timeline(clock, budget.now)
        self._shelf = AccountShelf(documents, self._timeline)
        self._budget = budget
        self._tasks = tasks
        self._patience = Patience(answered_within_s)
        self._is_read: TTLCache[WorkspaceId, bool] = TTLCache(
            MAX_REMEMBERED, READ_EVERY_S, timer=budget.now
        )
        self._stored: LRUCache[WorkspaceId, Mapping[str, Account]] = LRUCache(MAX_REMEMBERED)
        self._reading: SingleFlight[WorkspaceId, None] = SingleFlight()
        self._telling: set[tuple[WorkspaceId, str]] = set()

    async def learn(self) -> None:
        """See `Peers.learn`."""
        if (asked := who_asks()) and asked[0] not in self._is_read:
            workspace = asked[0]
            await self._reading.run(workspace, lambda: self.refresh(workspace))

    async def claim_probe(self, fingerprint: str) -> None:
        """See `Peers.claim_probe`."""
        if asked := who_asks():
            await self._try(self._claim(asked[0], fingerprint))

    def tell(self, fingerprint: str) -> None:
        """See `Peers.tell`."""
        if (asked := who_asks()) is None:
            return
        place = (asked[0], fingerprint)
        if place not in self._telling and self._is_news(*place):
            self._telling.add(place)
            self._tasks.start(self._tell(*place))

    async def refresh(self, workspace: WorkspaceId) -> None:
        """Learn what is known of a workspace's keys now, whenever that was done last."""
        await self._try(self._read(workspace))
        self._is_read[workspace] = True

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget what is known to be stored of a workspace."""
        self._is_read.pop(workspace, None)
        self._stored.pop(workspace, None)

    async def _try(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await self._patience.wait(work)
        except (StoreError, TimeoutError) as error:
            logger.warning("other processes are not asked about a key", error=repr(error))

    async def _read(self, workspace: WorkspaceId) -> None:
        accounts, _rev = await self._shelf.get(workspace)
        for fingerprint, account in accounts.items():
            self._budget.learn(fingerprint, account)
        self._stored[workspace] = accounts

    async def _claim(self, workspace: WorkspaceId, fingerprint: str) -> None:
        for _ in range(TRIES):
            accounts, rev = await self._shelf.get(workspace)
            now, mine = self._budget.now(), self._budget.account(fingerprint)
            theirs = accounts.get(fingerprint, Account()).as_of(now)
            without_mine = replace(mine, probe_at=NEVER).joined(theirs)
            if without_mine.refused_until > now:
                self._budget.learn(fingerprint, theirs)
                raise RateLimitedError(without_mine.refused_until - now, is_ours=True)
            if not without_mine.is_backing_off:  # somebody was served meanwhile
                self._budget.learn(fingerprint, theirs)
                return
            if await self._put(workspace, {**accounts, fingerprint: mine.joined(theirs)}, rev):
                return

    async def _tell(self, workspace: WorkspaceId, fingerprint: str) -> None:
        try:
            await self._try(self._write(workspace, fingerprint))
        finally:
            self._telling.discard((workspace, fingerprint))

    async def _write(self, workspace: WorkspaceId, fingerprint: str) -> None:
        for _ in range(TRIES):
            accounts, rev = await self._shelf.get(workspace)
            self._stored[workspace] = accounts
            if not self._is_news(workspace, fingerprint):
                return
            mine = self._budget.account(fingerprint)
            theirs = accounts.get(fingerprint, Account())
            await self._put(workspace, {**accounts, fingerprint: mine.joined(theirs)}, rev)

    async def _put(
        self, workspace: WorkspaceId, accounts: Mapping[str, Account], rev: int
    ) -> bool:
        try:
            await self._shelf.put(workspace, accounts, if_rev=rev)
        except ConflictError:
            return False
        self._stored[workspace] = accounts
        return True

    def _is_news(self, workspace: WorkspaceId, fingerprint: str) -> bool:
        stored = self._stored.get(workspace, {}).get(fingerprint, Account())
        return is_news(self._budget.account(fingerprint), stored, self._budget.now())
