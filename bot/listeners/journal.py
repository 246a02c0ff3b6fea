"""What this process works on for people who wait: noted in the store beside the work.

Were the process killed, the others would find it there: see `listeners/interrupted.py`.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

import structlog

from bot.listeners.conversation import Conversation
from bot.pending import Pending, PendingAnswers, Place
from bot.redaction import holds_secret
from bot.store.errors import StoreError
from bot.tasks import Tasks

logger = structlog.get_logger()

# What is known of the way back changes while the work goes on: a window opens, a form is drawn
# anew, what was said meanwhile can be replaced.
LOOK_AGAIN_S = 1.0
# Those who write in the journal wait for each other, so that the store has time for the answers.
# Whoever has theirs before it was their turn is not written down at all.
AT_ONCE = 4
STRUCK_OFF_WITHIN_S = 2.0


class Entry:
    """Somebody who waits. `close` once they need not be told any more."""

    def __init__(self, place: Place, conversation: Conversation, since: datetime) -> None:
        self.place = place
        self.conversation = conversation
        self.since = since
        self.may_be_stored = False
        self._closed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether they have their answer, or what they asked for was done."""
        return self._closed.is_set() or self.conversation.is_answered

    def close(self) -> None:
        """Let it be struck off, soon; nobody needs to wait for that."""
        self._closed.set()

    async def wait(self, timeout_s: float) -> None:
        """Return when it is closed, or after that time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._closed.wait()


class Journal:
    """Notes who waits, and strikes them off. A store that fails is logged, and no more."""

    def __init__(
        self,
        answers: PendingAnswers,
        tasks: Tasks,
        *,
        process_id: str,
        clock: Callable[[], datetime],
        look_again_s: float = LOOK_AGAIN_S,
    ) -> None:
        self._answers = answers
        self._tasks = tasks
        self._process_id = process_id
        self._clock = clock
        self._look_again_s = look_again_s
        self._numbers = itertools.count(1)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._open: set[Entry] = set()

    def note(
        self, conversation: Conversation, what: str, request: str, *, form_waits: bool = False
    ) -> Entry:
        """Begin to note that somebody waits for `what`; never waits for the store.

        `request` is its reference in the log. `form_waits`: the form before them says "please
        wait" until it is drawn anew.
        """
        place = Place(conversation.workspace, self._process_id, next(self._numbers))
        entry = Entry(place, conversation, self._clock())
        self._open.add(entry)
        describe = partial(_described, conversation, what, request, form_waits=form_waits)
        self._tasks.start(self._keep(entry, describe))
        return entry

    async def strike_off(self) -> None:
        """Strike off whoever has an answer, after the tasks were cancelled; at most 2 s."""
        over = [entry for entry in self._open if entry.is_over]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STRUCK_OFF_WITHIN_S):
                await asyncio.gather(*map(self._strike, over))

    async def _keep(self, entry: Entry, describe: Callable[[], Pending]) -> None:
        """One after the other, so that no note is written after it was struck off."""
        noted = None
        while not entry.is_over:
            if (now := describe()) != noted:
                noted = now
                await self._write(entry, now)
            await entry.wait(self._look_again_s)
        await self._strike(entry)

    async def _write(self, entry: Entry, now: Pending) -> None:
        async with self._turns:
            if not entry.is_over:
                entry.may_be_stored = True
                await _try(self._answers.keep(entry.place, now, since=entry.since))

    async def _strike(self, entry: Entry) -> None:
        if entry.may_be_stored:
            async with self._turns:
                await _try(self._answers.forget(entry.place))
        self._open.discard(entry)


def _described(
    conversation: Conversation, what: str, request: str, *, form_waits: bool
) -> Pending:
    """Return everything that is needed to answer in the place of this process."""
    origin, line = conversation.origin, conversation.command_line
    window = None if form_waits else conversation.window
    return Pending(
        user_id=origin.user_id,
        what=what,
        request=request,
        channel_id=origin.channel_id,
        response_url=origin.response_url,
        is_message=origin.is_message,
        is_home=origin.is_home,
        takes_place=conversation.takes_place,
        command_line=line if line and not holds_secret(line) else None,
        view_id=window.view_id if window else conversation.view_id,
        view_hash=None if window else conversation.view_hash,
        form_waits=form_waits,
        messages_url=window.messages_url if window else None,
    )


async def _try(noting: Awaitable[None]) -> None:
    try:
        await noting
    except StoreError as error:
        logger.warning("who waits is not noted", error=repr(error))
