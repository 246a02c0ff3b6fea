"""What a workspace may still ask of the service, and who asked for the rest: the budget meter."""

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


async def read_allowance(
    workspace: WorkspaceId, keys: Keys, budget: Budget, meter: Meter
) -> Allowance | None:
    """Return that of the workspace's key, `None` when it has none that can be read.

    Raises:
        StoreError: the store failed.
    """
    try:
        key = await keys.stored(workspace)
    except (NoKeyError, UnreadableSecretError):
        return None
    known_as = fingerprint(key.secret)
    return Allowance(budget.state(known_as), meter.usage(workspace, known_as))
