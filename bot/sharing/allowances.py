"""The budget and the meter of this process, connected with those of the others."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.meter import Meter
from bot.sharing.budget import ANSWERED_WITHIN_S, SharedBudget
from bot.sharing.usage import SharedUsage
from bot.store.base import Documents
from bot.tasks import Tasks
from bot.tracker.budget import Budget
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class SharedAllowances:
    """`budget` is for the client (its `peers`), `usage.count_present` too (its `on_sent`)."""

    budget: SharedBudget
    usage: SharedUsage

    async def refresh(self, workspace: WorkspaceId) -> None:
        """Learn what the others know, before somebody looks at it; never raises."""
        await asyncio.gather(self.budget.refresh(workspace), self.usage.refresh(workspace))

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget a workspace, which the meter has to forget too."""
        self.budget.forget(workspace)


def share_allowances(
    documents: Documents,
    budget: Budget,
    meter: Meter,
    tasks: Tasks,
    *,
    clock: Callable[[], datetime],
    answered_within_s: float = ANSWERED_WITHIN_S,
) -> SharedAllowances:
    """Connect them through a store, for which nobody waits longer than `answered_within_s`.

    The clocks of `budget` and `meter` are the same.
    """
    within_s = answered_within_s
    return SharedAllowances(
        SharedBudget(documents, budget, tasks, clock=clock, answered_within_s=within_s),
        SharedUsage(documents, budget, meter, tasks, clock=clock, answered_within_s=within_s),
    )
