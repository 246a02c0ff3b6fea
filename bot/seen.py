"""What has arrived already: a request that comes a second time acts once."""

from collections.abc import Callable

from cachetools import TTLCache

# Slack's signatures are good for five minutes either way:
# https://docs.slack.dev/authentication/verifying-requests-from-slack
REMEMBERED_FOR_S = 600
MAX_REMEMBERED = 100_000


class Seen:
    """Remembers names of requests for ten minutes, the latest 100,000 of them."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._names: TTLCache[str, bool] = TTLCache(MAX_REMEMBERED, REMEMBERED_FOR_S, timer=clock)

    def forget(self, name: str) -> None:
        """Let `name` be new again: what it asked for has failed."""
        self._names.pop(name, None)

    def is_new(self, name: str) -> bool:
        """Say whether `name` comes for the first time, and remember it."""
        if name in self._names:
            return False
        self._names[name] = True
        return True
