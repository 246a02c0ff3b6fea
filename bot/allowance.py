"""What a workspace may still ask of the service, and who asked for the rest: the budget meter."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.keys import Keys, NoKeyError
from bot.meter import Meter, Usage
from bot.store.errors import UnreadableSecretError
from bot.tracker.budget import Budget, BudgetState, fingerprint
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Allowance:
    """The state of a key's allowance, and who used it."""

    budget: BudgetState
    usage: Usage


async def _alone(_workspace: WorkspaceId) -> None:
    """There are no other processes to learn of."""


class Allowances:
    """Looks them up. `refresh` learns what other processes know; it never raises."""

    def __init__(
        self,
        keys: Keys,
        budget: Budget,
        meter: Meter,
        *,
        refresh: Callable[[WorkspaceId], Awaitable[object]] = _alone,
    ) -> None:
        self._keys = keys
        self._budget = budget
        self._meter = meter
        self._refresh = refresh

    async def of(self, workspace: WorkspaceId) -> Allowance | None:
        """Return that of the workspace's key, `None` when it has none that can be read.

        Raises:
            StoreError: the store failed.
        """
        await self._refresh(workspace)
        try:
            key = await self._keys.stored(workspace)
        except (NoKeyError, UnreadableSecretError):
            return None
        known_as = fingerprint(key.secret)
        return Allowance(self._budget.state(known_as), self._meter.usage(workspace, known_as))
