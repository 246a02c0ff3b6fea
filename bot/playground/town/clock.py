"""The playground's time: it runs like any other, and can be moved ahead."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta, tzinfo

_FRIDAY = 4
_LAST_DAYS = timedelta(days=7)  # not reached, so that looking a few days ahead never fails


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


class MovableClock:
    """A clock that is called for the moment, an aware datetime in UTC."""

    def __init__(self, real: Callable[[], datetime] = utc_now) -> None:
        self._real = real
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        """Return the moment, aware, in UTC."""
        return self._real() + self._ahead

    @property
    def ahead(self) -> timedelta:
        """How far this clock is ahead of the real one."""
        return self._ahead

    def seconds(self) -> float:
        """Return the moment as Unix seconds."""
        return self().timestamp()

    def move(self, by: timedelta) -> None:
        """Move ahead. There is no way back: what has happened carries its time.

        Raises:
            ValueError: `by` is negative, or leads to the end of the calendar.
        """
        if by < timedelta():
            raise ValueError("the playground's clock only moves ahead")
        try:
            self() + by + _LAST_DAYS
        except OverflowError as error:
            raise ValueError("that is beyond the last day of the calendar") from error
        self._ahead += by

    def until_next_weekday(self, at: time, zone: tzinfo) -> timedelta:
        """Return how long it is until it is `at` in that zone on a day from Monday to Friday."""
        here = self().astimezone(zone)
        due = datetime.combine(here, at, zone)
        while due <= here or due.weekday() > _FRIDAY:
            due = datetime.combine(due + timedelta(days=1), at, zone)
        return due.astimezone(UTC) - self()

    def until_next_hour(self) -> timedelta:
        """Return how long it is to the next full hour; a whole one at a full hour."""
        now = self()
        full = now.replace(minute=0, second=0, microsecond=0)
        return full + timedelta(hours=1) - now
