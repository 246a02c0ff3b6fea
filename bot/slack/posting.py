"""Post messages at Slack's pace, each once, and say so when the outcome is unknown."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from cachetools import LRUCache
from slack_sdk.web.async_client import AsyncWebClient

from bot.backoff import backoff
from bot.message import Message
from bot.slack import errors
from bot.slack.client import (
    SentMessage,
    edit_message,
    open_direct,
    post_message,
    send_with_fallback,
    slack_errors,
)
from bot.workspace import WorkspaceId

Place = tuple[WorkspaceId, str]  # a channel
# With more channels than that, the oldest ones may get a turn a little too soon.
MAX_REMEMBERED = 10_000


@dataclass(slots=True)
class _Line:
    """When the next turn of a channel is free, and when its next use; `in_use` wakes in order."""

    next_at: float = -math.inf
    free_at: float = -math.inf
    in_use: asyncio.Lock = field(default_factory=asyncio.Lock)


class Pacer:
    """Gives one turn per channel every `between_s` seconds, first come, first served.

    A turn is taken first and used later, possibly after turns that were taken later: `used` keeps
    the uses apart. The turns are those of this process.
    """

    def __init__(
        self,
        between_s: float,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self._between_s = between_s
        self._clock = clock
        self._sleep = sleep
        self._lines: LRUCache[Place, _Line] = LRUCache(MAX_REMEMBERED)

    def wait_s(self, key: Place) -> float:
        """Return the wait of a new turn, if each use is quick."""
        return max(0.0, self._line(key).next_at - self._clock())

    async def take(self, key: Place) -> None:
        """Take the next turn and wait for it, and for the end of the use before it."""
        line = self._line(key)
        at = max(self._clock(), line.next_at)
        line.next_at = at + self._between_s
        while (left_s := at - self._clock()) > 0:
            await self._sleep(left_s)
        async with line.in_use:
            await self._rest(line)

    @asynccontextmanager
    async def used(self, key: Place) -> AsyncIterator[None]:
        """Use a turn inside the block: alone, and `between_s` after the end of the last use."""
        line = self._line(key)
        async with line.in_use:
            await self._rest(line)
            try:
                yield
            finally:
                line.free_at = self._clock() + self._between_s
                line.next_at = max(line.next_at, line.free_at)

    async def _rest(self, line: _Line) -> None:
        while (left_s := line.free_at - self._clock()) > 0:
            await self._sleep(left_s)

    def _line(self, key: Place) -> _Line:
        return self._lines.setdefault(key, _Line())


# "Generally one message per second per channel": https://docs.slack.dev/apis/web-api/rate-limits
BETWEEN_S = 1.1
LONGEST_LINE_S = 20.0
# For a post with its fallback. aiohttp alone would wait 300 s: the SDK 3.47 does not pass its
# `timeout` on to a session that it was given.
ANSWERED_WITHIN_S = 20.0


class Posting:
    """Posts into channels and direct messages of any workspace.

    `client_for` returns the client of a workspace. Its `retry_handlers` must be `[]`: the SDK's
    default ones repeat a post whose answer was lost, and Slack has no idempotency key:
    https://github.com/slackapi/slack-api-specs/issues/10. A post to a channel is sent at
    least `between_s` after the answer to the previous one.
    """

    def __init__(
        self,
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
        *,
        between_s: float = BETWEEN_S,
        answered_within_s: float = ANSWERED_WITHIN_S,
        longest_line_s: float = LONGEST_LINE_S,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._client_for = client_for
        self._answered_within_s = answered_within_s
        self._between_s = between_s
        self._longest_line_s = longest_line_s
        self._clock = clock
        # Until when Slack asked this process to wait, with a 429.
        self._held_until: LRUCache[WorkspaceId, float] = LRUCache(MAX_REMEMBERED)
        self._turns = Pacer(between_s, clock=clock, sleep=sleep)

    async def acquire_turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        """Wait until a channel may be posted to.

        Raise SlackRateLimitedError if Slack asked for a wait, or the line is over 20 s long.
        """
        self._check_hold(workspace)
        await self._client(workspace)  # without a client there is no turn
        key = (workspace, channel_id)
        if (wait_s := self._turns.wait_s(key)) > self._longest_line_s:
            raise errors.SlackRateLimitedError(wait_s)
        async with self._in_line(key):
            await self._turns.take(key)
        self._check_hold(workspace)  # it may have begun during the wait

    async def post(self, workspace: WorkspaceId, channel_id: str, message: Message) -> str:
        """Post a message without link previews; return its `ts`.

        Refused blocks are posted again as their plain fallback; nothing else is repeated. A 429
        delays all posts of the workspace. After a SlackError the message is not there, or, if
        `is_outcome_unknown`, may be there.
        """
        self._check_hold(workspace)
        client = await self._client(workspace)
        async with self._alone((workspace, channel_id)):  # its turn may be a while ago
            self._check_hold(workspace)
            try:
                async with self._answers():
                    return await send_with_fallback(
                        lambda each: post_message(client, channel_id, each.as_args()), message
                    )
            except errors.SlackRateLimitedError as error:
                self._hold(workspace, error.retry_after_s)
                raise

    async def send_dm(self, workspace: WorkspaceId, user_id: str, message: Message) -> SentMessage:
        """Send a person a direct message, after a turn of its channel; return its place.

        Raise PersonUnreachableError, and as `acquire_turn` and `post` do.
        """
        self._check_hold(workspace)
        try:
            client = await self._client(workspace)
            with _nothing_posted():  # it may be open now, but no message was sent
                async with self._answers():
                    channel_id = await open_direct(client, user_id)
            await self.acquire_turn(workspace, channel_id)
            return SentMessage(channel_id, await self.post(workspace, channel_id, message))
        except errors.ChannelClosedError as error:
            raise errors.PersonUnreachableError(error.code) from error

    async def edit_dm(self, workspace: WorkspaceId, sent: SentMessage, message: Message) -> None:
        """Replace the content of a direct message; raise SlackError, also as `acquire_turn`."""
        await self.acquire_turn(workspace, sent.channel_id)
        client = await self._client(workspace)
        try:
            async with self._answers():
                await edit_message(client, sent, message.as_args())
        except errors.SlackRateLimitedError as error:
            self._hold(workspace, error.retry_after_s)
            raise

    @asynccontextmanager
    async def _answers(self) -> AsyncIterator[None]:
        """Limit the wait for Slack inside the block."""
        async with slack_errors(), asyncio.timeout(self._answered_within_s):
            yield

    async def _client(self, workspace: WorkspaceId) -> AsyncWebClient:
        with _nothing_posted():
            return await self._client_for(workspace)

    @asynccontextmanager
    async def _alone(self, key: Place) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            async with self._in_line(key):
                await stack.enter_async_context(self._turns.used(key))
            yield

    @asynccontextmanager
    async def _in_line(self, key: Place) -> AsyncIterator[None]:
        """Limit the wait inside the block, in case Slack is slow to answer earlier posts."""
        try:
            async with asyncio.timeout(self._longest_line_s):
                yield
        except TimeoutError as error:
            raise errors.SlackRateLimitedError(
                self._turns.wait_s(key) or self._between_s
            ) from error

    def _hold(self, workspace: WorkspaceId, seconds: float) -> None:
        """Delay a workspace's posts, unless they are delayed for longer already."""
        until = self._clock() + seconds
        self._held_until[workspace] = max(until, self._held_until.get(workspace, until))

    def _check_hold(self, workspace: WorkspaceId) -> None:
        if (left_s := self._held_until.get(workspace, -math.inf) - self._clock()) > 0:
            raise errors.SlackRateLimitedError(left_s)


@contextmanager
def _nothing_posted() -> Iterator[None]:
    """Turn an unknown outcome before the post into SlackUnreachableError."""
    try:
        yield
    except errors.SlackUnavailableError as error:
        if not error.is_outcome_unknown:
            raise
        raise errors.SlackUnreachableError(str(error)) from error


FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)
MAX_TRIES = 72


class DirectMessages(Protocol):
    """Sends and edits direct messages; see `Posting`."""

    async def send_dm(self, workspace: WorkspaceId, user_id: str, message: Message) -> SentMessage:
        """Send one; raise SlackError."""

    async def edit_dm(self, workspace: WorkspaceId, sent: SentMessage, message: Message) -> None:
        """Replace the content of one; raise SlackError."""


def retry_after(
    error: errors.SlackError, tries: int, *, is_repeatable: bool = False
) -> timedelta | None:
    """Return how long to wait before sending a message again, `None`: never.

    A message that may have arrived is sent again once, unless the call `is_repeatable`.
    """
    if isinstance(error, errors.SlackRateLimitedError):
        return timedelta(seconds=max(1.0, error.retry_after_s))
    if tries >= MAX_TRIES:
        return None
    if isinstance(error, errors.TokenRefusedError | errors.WorkspaceHeldError):
        return LONGEST_RETRY
    is_lost = error.is_outcome_unknown and tries and not is_repeatable
    if isinstance(error, errors.SlackRefusedError) or is_lost:
        return None
    return backoff(FIRST_RETRY, tries, LONGEST_RETRY)
