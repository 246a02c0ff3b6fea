"""What the processes told each other, deleted when nobody needs it any more."""

from contextlib import suppress
from datetime import datetime

from bot.sharing.holds import KIND as HOLD
from bot.sharing.shelf import KIND as BUDGET
from bot.sharing.usage import KIND as USAGE
from bot.store.base import Documents
from bot.store.errors import ConflictError

# Others, who look at what is due, should not find much of this in front of theirs.
LOOK_AT = 20_000
AT_MOST = 4_000


async def forget_expired(documents: Documents, now: datetime) -> int:
    """Delete what was not written for an hour, at most 4,000 documents; return how many.

    In a database that takes a few seconds.

    Raises:
        StoreError: the store failed.
    """
    due = await documents.due_keys(now, limit=LOOK_AT)
    ours = [key for key in due if key.split("/")[1:2] in ([BUDGET], [USAGE], [HOLD])]
    deleted = [await _delete_if_due(documents, key, now) for key in ours[:AT_MOST]]
    return sum(deleted)


async def _delete_if_due(documents: Documents, key: str, now: datetime) -> bool:
    document = await documents.get(key)
    if document is None or document.due_at is None or document.due_at > now:
        return False
    with suppress(ConflictError):  # written anew at this moment
        return await documents.delete(key, if_rev=document.rev)
    return False
