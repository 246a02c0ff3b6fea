"""Delete the documents that have expired, of every kind that only counts for a time."""

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime

from bot.store.documents import ConflictError, Documents

AT_MOST = 4_000


async def forget_expired(documents: Documents, kinds: Collection[str], now: datetime) -> int:
    """Delete at most 4,000 documents of `kinds` that are due; return how many. Raise StoreError.

    In a database that takes a few seconds.
    """
    deleted = 0
    for key in await documents.due_keys(now, *kinds, limit=AT_MOST):
        document = await documents.get(key)
        if document and document.due_at and document.due_at <= now:
            with suppress(ConflictError):  # written again at this moment
                deleted += await documents.delete(key, if_rev=document.rev)
    return deleted
