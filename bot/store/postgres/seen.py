"""What has arrived already, whichever process it came to."""

from datetime import timedelta
from hashlib import sha256

from bot.store.postgres.calls import Calls
from bot.store.postgres.pool import Pool

# Slack's signatures are good for five minutes either way:
# https://docs.slack.dev/authentication/verifying-requests-from-slack
KEPT_FOR = timedelta(minutes=10)


class StoredSeen:
    """Remembers names for ten minutes, as hashes, by the database's clock.

    Every method raises StoreError; after that nobody knows whether a name is remembered.
    """

    def __init__(self, pool: Pool, *, timeout_s: float = 10.0) -> None:
        self._calls = Calls(pool, timeout_s=timeout_s)

    async def is_new(self, name: str) -> bool:
        """Say whether `name` comes for the first time, to any process, and remember it."""
        ((is_new,),) = await self._calls.write("SELECT see_name(%s, %s)", (_hash(name), KEPT_FOR))
        return bool(is_new)

    async def forget(self, name: str) -> None:
        """Let `name` be new again: what it asked for has failed."""
        await self._calls.write("DELETE FROM seen WHERE name = %s", (_hash(name),))

    async def drop_old(self) -> None:
        """Remove what need not be remembered any more."""
        await self._calls.write("DELETE FROM seen WHERE until <= now()")


def _hash(name: str) -> bytes:
    return sha256(name.encode(errors="surrogatepass")).digest()
