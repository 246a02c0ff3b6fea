"""The difference, written digest by digest; cut off, the next import does the rest."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from bot.admin.audit import OPERATOR, Act, Audit
from bot.admin.managers import Managers
from bot.digests.shelf import Shelf
from bot.operating.difference import Difference, imported
from bot.operating.printing import counted
from bot.operating.telling import editors_word
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Target:
    """Where an import goes."""

    shelf: Shelf
    managers: Managers
    audit: Audit


async def write(target: Target, difference: Difference, now: datetime) -> None:
    """Write the difference, and first into each workspace's history that it is written.

    Raises:
        StoreError: the store fails. ConflictError: somebody has made the same, or named managers.
        UnknownDigestError: somebody has deleted what was to be changed.
    """
    for workspace in difference.workspaces:
        await _note(target.audit, difference, workspace)
    for workspace, admins_only in difference.editors:
        await target.shelf.restrict(workspace, admins_only=admins_only)
    for handover in difference.handovers:
        await target.managers.name(handover.workspace, handover.after)
    for step in difference.changes:
        if step.before is None:
            await target.shelf.put(step.workspace, step.after)
        else:
            change = partial(imported, wanted=step.wanted, now=now)
            await target.shelf.change(step.workspace, step.wanted.digest_id, change)


async def _note(audit: Audit, difference: Difference, workspace: WorkspaceId) -> None:
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    for handover in difference.handovers:
        if handover.workspace == workspace:
            before, after = handover.before.ids, handover.after.ids
    await audit.note(
        workspace,
        Act.IMPORTED,
        by=OPERATOR,
        added=tuple(each for each in after if each not in before),
        removed=tuple(each for each in before if each not in after),
        detail=", ".join(_details(difference, workspace)) or None,
    )


def _details(difference: Difference, workspace: WorkspaceId) -> Iterator[str]:
    """Yield what becomes of the digests there, and of those who may change them."""
    steps = [step for step in difference.changes if step.workspace == workspace]
    if added := sum(step.before is None for step in steps):
        yield f"{counted(added, 'digest')} added"
    if changed := len(steps) - added:
        yield f"{counted(changed, 'digest')} changed"
    for each, admins_only in difference.editors:
        if each == workspace:
            yield f"digests are changed by {editors_word(admins_only)}"
