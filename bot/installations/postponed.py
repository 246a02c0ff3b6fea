"""Work that failed, and when it is taken up again. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

FIRST_RETRY = timedelta(seconds=10)
LONGEST_RETRY = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Postponed:
    """When it is taken up again, and how often it was."""

    retry_at: datetime
    tries: int = 0

    def put_off(self, now: datetime) -> "Postponed":
        """Return it after one more try in vain."""
        wait = min(FIRST_RETRY * 2 ** min(self.tries, 10), LONGEST_RETRY)
        return Postponed(now + wait, self.tries + 1)
