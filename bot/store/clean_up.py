"""Delete the documents that have expired, of every kind that only counts for a time."""

from contextlib import suppress
from datetime import datetime

from bot.digests import repository
from bot.dispatch import deferred_commands
from bot.domains import add_many
from bot.keys import budget as shared_limits
from bot.store.documents import ConflictError, Documents

KINDS = {
    *(deferred_commands.KIND, shared_limits.LIMITS_KIND, add_many.KIND, repository.ALERT),
}
AT_MOST = 4_000


async def forget_expired(documents: Documents, now: datetime) -> int:
    """Delete at most 4,000 documents that are due, and return how many; raise StoreError.

    In a database that takes a few seconds.
    """
    deleted = 0
    for key in await documents.due_keys(now, *KINDS, limit=AT_MOST):
        document = await documents.get(key)
        if document and document.due_at and document.due_at <= now:
            with suppress(ConflictError):  # written again at this moment
                deleted += await documents.delete(key, if_rev=document.rev)
    return deleted
