"""Compare this machine's clock with others, so that a wrong one destroys nothing."""

import math
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import structlog
from cachetools import TTLCache

from bot.concurrency import BoundedWait
from bot.errors import BotError

logger = structlog.get_logger()
# An answer takes seconds, and a `Date` header has whole ones.
MAX_OFF_S = 60.0
ASKED_EVERY_S = 60.0
ASKED_WITHIN_S = 5.0
Ask = Callable[[], Awaitable[datetime | None]]


class ClockWrongError(BotError):
    """This machine's clock is wrong, so nothing is done that cannot be undone."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class ClockCheck:
    """Compares this machine's clock with others.

    Between two answers, `steady` seconds tell how far the others have come. While none has
    answered, the clock counts as right.
    """

    def __init__(self, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._asked: dict[str, Ask] = {}
        self._clocks: dict[str, Callable[[], datetime]] = {}
        self._patience = BoundedWait(ASKED_WITHIN_S)
        # Its time, and the steady moment at which it was that.
        self._answers: dict[str, tuple[datetime, float]] = {}
        self._tried = TTLCache[str, bool](10, ASKED_EVERY_S, timer=steady)
        self._is_known = False  # that it is wrong

    def compare(self, name: str, ask: Ask, *, clock: Callable[[], datetime] = utc_now) -> None:
        """Compare `clock` with the other one called `name`.

        `ask` returns what that shows, or has it noted; it may raise a BotError.
        """
        self._asked[name], self._clocks[name] = ask, clock

    def note(self, name: str, now: datetime) -> None:
        self._answers[name] = now, self._steady()

    def note_date(self, name: str, date: str) -> None:
        """Note the `Date` header of an answer: RFC 9110, section 6.6.1."""
        try:
            now = parsedate_to_datetime(date)
        except ValueError:
            return
        if now.tzinfo:
            self.note(name, now)

    async def is_right(self) -> bool:
        """Return whether the clock agrees with all others; ask those that answered long ago.

        All of them while it does not: a machine that was suspended has lost count.
        """
        for name, ask in self._asked.items():
            is_old = self._age_s(name) > ASKED_EVERY_S and name not in self._tried
            if is_old or self._wrong():
                self._tried[name] = True
                await self._ask_one(name, ask)
        wrong = self._wrong()
        if wrong and not self._is_known:
            logger.error("the clock of this machine is wrong: nothing is due or deleted", **wrong)
        elif self._is_known and not wrong:
            logger.info("the clock of this machine is right again")
        self._is_known = bool(wrong)
        return not wrong

    async def require(self) -> None:
        if not await self.is_right():
            raise ClockWrongError("the clock of this machine is wrong")

    async def _ask_one(self, name: str, ask: Ask) -> None:
        try:
            if now := await self._patience.wait(ask()):
                self.note(name, now)
        except (BotError, TimeoutError) as error:
            logger.info("a clock could not be asked", whose=name, error=repr(error))

    def _age_s(self, name: str) -> float:
        return self._steady() - self._answers[name][1] if name in self._answers else math.inf

    def _wrong(self) -> dict[str, float]:
        """Return by how many seconds the clock is ahead of each other that it disagrees with."""
        ahead = {
            f"ahead_of_{name}_s": round(
                (self._clocks[name]() - theirs).total_seconds() - self._age_s(name), 1
            )
            for name, (theirs, _) in self._answers.items()
        }
        return {name: off_s for name, off_s in ahead.items() if abs(off_s) > MAX_OFF_S}
