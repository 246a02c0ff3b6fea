"""Post messages at Slack's pace, each once, and say so when the outcome is unknown."""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta

from cachetools import LRUCache
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.message import Message
from bot.process.backoff import backoff
from bot.process.clock import seconds_now
from bot.process.workspace import WorkspaceId
from bot.slack import errors
from bot.slack.client import (
    Member,
    SentMessage,
    edit_message,
    fetch_admins,
    fetch_member,
    open_direct,
    post_message,
    send_with_fallback,
    slack_errors,
    upload_file,
)

# With more channels than that, the oldest ones may get a turn a little too soon.
MAX_REMEMBERED = 10_000
# "Generally one message per second per channel": https://docs.slack.dev/apis/web-api/rate-limits
BETWEEN_S = 1.1
LONGEST_LINE_S = 20.0
# For a post with its fallback. aiohttp alone would wait 300 s: the SDK 3.47 does not pass its
# `timeout` on to a session that it was given.
ANSWERED_WITHIN_S = 20.0
FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)
MAX_TRIES = 72


class Posting:
    """Posts into channels and direct messages of any workspace.

    `client_for` returns the client of a workspace. Its `retry_handlers` must be `[]`: the SDK's
    default ones repeat a post whose answer was lost, and Slack has no idempotency key:
    https://github.com/slackapi/slack-api-specs/issues/10. A channel gets a turn every 1.1 s,
    counted from the post before.
    """

    def __init__(
        self,
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
        *,
        clock: Callable[[], float] = seconds_now,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._client_for = client_for
        self._clock = clock
        self._sleep = sleep
        # Until when Slack asked this process to wait, with a 429.
        self._held_until: LRUCache[WorkspaceId, float] = LRUCache(MAX_REMEMBERED)
        # When the next turn of a channel is free.
        self._free_at: LRUCache[tuple[WorkspaceId, str], float] = LRUCache(MAX_REMEMBERED)

    async def require_token(self, workspace: WorkspaceId) -> None:
        """Raise TokenRefusedError if the app is not installed there, as far as is known."""
        await self._client(workspace)

    async def acquire_turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        """Wait until a channel may be posted to.

        Raise SlackRateLimitedError if Slack asked for a wait, or no turn is free within 20 s.
        """
        self._check_hold(workspace)
        await self._client(workspace)  # without a client there is no turn
        channel, latest = (workspace, channel_id), self._clock() + LONGEST_LINE_S
        while (free_at := self._free_at.get(channel, -math.inf)) > self._clock():
            if free_at > latest:
                raise errors.SlackRateLimitedError(free_at - self._clock())
            await self._sleep(free_at - self._clock())
        self._end_turn(workspace, channel_id)
        self._check_hold(workspace)  # it may have begun during the wait

    async def post(
        self,
        workspace: WorkspaceId,
        channel_id: str,
        message: Message,
        *,
        thread_ts: str | None = None,
    ) -> str:
        """Post a message without link previews, or into a thread; return its `ts`.

        Refused blocks are posted again as their plain fallback; nothing else is repeated. A 429
        delays all posts of the workspace. After a SlackError the message is not there, or, if
        `is_outcome_unknown`, may be there.
        """
        self._check_hold(workspace)
        thread = {"thread_ts": thread_ts} if thread_ts else {}
        async with self._answers(workspace) as client:
            try:
                return await send_with_fallback(
                    lambda each: post_message(client, channel_id, {**each.as_args(), **thread}),
                    message,
                )
            finally:
                self._end_turn(workspace, channel_id)

    async def send_dm(self, workspace: WorkspaceId, user_id: str, message: Message) -> SentMessage:
        """Send a person a direct message, after a turn of its channel; return where it is.

        Raise PersonUnreachableError, and as `acquire_turn` and `post` do.
        """
        self._check_hold(workspace)
        try:
            with _nothing_posted():  # it may be open now, but no message was sent
                async with self._answers(workspace) as client:
                    channel_id = await open_direct(client, user_id)
            await self.acquire_turn(workspace, channel_id)
            return SentMessage(channel_id, await self.post(workspace, channel_id, message))
        except errors.ChannelClosedError as error:
            raise errors.PersonUnreachableError(error.code) from error

    async def admins(self, workspace: WorkspaceId, limit: int) -> tuple[str, ...]:
        """Return the ids of some admins and owners of a workspace; raise SlackError."""
        async with self._answers(workspace) as client:
            return await fetch_admins(client, workspace, limit)

    async def send_file(
        self, workspace: WorkspaceId, channel_id: str, ts: str, name: str, content: bytes
    ) -> None:
        """Send a file into the thread of a message; raise SlackError."""
        async with self._answers(workspace) as client:
            await upload_file(client, channel_id, name, content, "", thread_ts=ts)

    async def member(self, workspace: WorkspaceId, user_id: str) -> Member:
        """Return a person as Slack describes them now; raise SlackError."""
        async with self._answers(workspace) as client:
            return await fetch_member(client, workspace, user_id)

    async def edit(self, workspace: WorkspaceId, sent: SentMessage, message: Message) -> None:
        """Replace the content of a message; raise SlackError, also as `acquire_turn`."""
        await self.acquire_turn(workspace, sent.channel_id)
        async with self._answers(workspace) as client:
            await edit_message(client, sent, message.as_args())

    @asynccontextmanager
    async def _answers(self, workspace: WorkspaceId) -> AsyncIterator[AsyncWebClient]:
        """Yield the client; limit the wait for Slack inside the block, and heed its rate limit."""
        client = await self._client(workspace)
        try:
            async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
                yield client
        except errors.SlackRateLimitedError as error:
            until = self._clock() + error.retry_after_s
            self._held_until[workspace] = max(until, self._held_until.get(workspace, until))
            raise

    async def _client(self, workspace: WorkspaceId) -> AsyncWebClient:
        with _nothing_posted():
            return await self._client_for(workspace)

    def _end_turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        self._free_at[workspace, channel_id] = self._clock() + BETWEEN_S

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


def retry_after(error: errors.SlackError, tries: int) -> timedelta | None:
    """Return how long to wait before sending again, `None`: never. What may be there: once."""
    if isinstance(error, errors.SlackRateLimitedError):
        return timedelta(seconds=max(1.0, error.retry_after_s))
    if tries >= MAX_TRIES:
        return None
    if isinstance(error, errors.TokenRefusedError):
        return LONGEST_RETRY
    if isinstance(error, errors.SlackRefusedError) or (error.is_outcome_unknown and tries):
        return None
    return backoff(FIRST_RETRY, tries, LONGEST_RETRY)
