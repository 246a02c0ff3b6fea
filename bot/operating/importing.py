"""The difference, written digest by digest; cut off, the next import does the rest."""

from datetime import datetime
from functools import partial

from bot.digests.shelf import Shelf
from bot.operating.difference import Difference, imported


async def write(shelf: Shelf, difference: Difference, now: datetime) -> None:
    """Write the difference; raise StoreError when the store fails."""
    for workspace, admins_only in difference.editors:
        await shelf.restrict(workspace, admins_only=admins_only)
    for step in difference.changes:
        if step.before is None:
            await shelf.put(step.workspace, step.after)
        else:
            change = partial(imported, wanted=step.wanted, now=now)
            await shelf.change(step.workspace, step.wanted.digest_id, change)
