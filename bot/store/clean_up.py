"""Delete the documents that have expired, of every temporary kind."""

from contextlib import suppress
from datetime import datetime

from bot.store.documents import ConflictError, Documents
from bot.store.kinds import KINDS

AT_MOST = 4_000
TEMPORARY = [kind.name for kind in KINDS.values() if kind.is_temporary]


async def forget_expired(documents: Documents, now: datetime) -> int:
    """Delete at most 4,000 that are due; return how many. Raise StoreError.

    In a database that takes a few seconds.
    """
    deleted = 0
    for key in await documents.due_keys(now, *TEMPORARY, limit=AT_MOST):
        document = await documents.get(key)
        if document and document.due_at and document.due_at <= now:
            with suppress(ConflictError):  # written again at this moment
                deleted += await documents.delete(key, if_rev=document.rev)
    return deleted
