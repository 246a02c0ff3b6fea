"""The `state` of an installation that was begun: made here, of late, and good for one use.

Slack hands it back with the code, so that nobody can finish what another one began:
https://docs.slack.dev/authentication/installing-with-oauth. Nothing of it is written into the
store before it comes back: anybody may begin as often as they like.
"""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from bot.seen import RecentlySeen, Seen
from bot.store.errors import UnreadableSecretError
from bot.store.sealed import KeyRing

# As long as Slack's code: https://docs.slack.dev/authentication/installing-with-oauth
LIVES_FOR = timedelta(minutes=10)
MAX_REMEMBERED = 10_000
ABOUT = "the state of an installation that was begun"


class InstallStates(AsyncOAuthStateStore):
    """Makes states, and takes each of them once, whichever process with this ring made it.

    `used` is what several processes know together. While it cannot be asked, no state is taken:
    the installation could not be saved, either. Without it this process alone knows, until it
    ends, which were used. Another one would take them again, which gives nobody anything: the
    cookie binds a state to the browser that began, and Slack's code is good for one use.
    """

    def __init__(
        self, ring: KeyRing, *, clock: Callable[[], datetime], used: Seen | None = None
    ) -> None:
        self._ring = ring
        self._clock = clock
        self._used = used or RecentlySeen(
            clock=lambda: clock().timestamp(),
            at_most=MAX_REMEMBERED,
            for_s=LIVES_FOR.total_seconds(),
        )

    async def async_issue(self, *_args: object, **_kwargs: object) -> str:
        """Return a new state."""
        until = int((self._clock() + LIVES_FOR).timestamp())
        return self._ring.seal(f"{secrets.token_hex(16)} {until}", ABOUT)

    async def async_consume(self, state: str) -> bool:
        """Say whether `state` is ours, young enough and new; it is not new any more then.

        Raises StoreError when the other processes cannot be asked.
        """
        name, until = self._opened(state)
        return until > self._clock() and await self._used.is_new(f"state/{name}")

    def _opened(self, state: str) -> tuple[str, datetime]:
        """Return its name, and until when it is good: for ever past when it is not ours."""
        try:
            name, _, until = self._ring.unseal(state, ABOUT).partition(" ")
        except UnreadableSecretError:
            return "", datetime.min.replace(tzinfo=UTC)
        return name, datetime.fromtimestamp(int(until), UTC)
