"""Answer a person by `response_url`, ephemeral message or direct message."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.message import Message
from bot.slack import errors
from bot.slack.client import open_direct, post_message, send_with_fallback, slack_errors

logger = structlog.get_logger()
ANSWERED_WITHIN_S = 15.0
AGAIN_AFTER_S = 2.0
# Of one `response_url`, within 30 minutes: see `Origin`.
RESPONSES = 5
# To slack.com, and as many to hooks.slack.com, where answers wait without delaying other calls.
LINES_PER_HOST = 100
_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request came from, and so where its answer goes.

    `response_url` works five times within 30 minutes, also where the bot is not a member:
    https://docs.slack.dev/interactivity/handling-user-interaction#message_responses.
    `is_message`: it belongs to a message with a button, and replaces only that message.
    `is_home`: the Home tab, or a form that was opened from it.
    `thread_ts`: what is shared goes to that thread. `is_in_thread`: answers to the person too.
    Without a `channel_id` it is a thread of the direct message.
    """

    user_id: str
    channel_id: str | None = None
    response_url: str | None = field(default=None, repr=False)
    is_message: bool = False
    is_home: bool = False
    thread_ts: str | None = None
    is_in_thread: bool = False

    def thread(self, *, to_channel: bool) -> dict[str, str]:
        """Return the argument that names the thread of an answer, if it goes to one.

        Ephemeral ones need replies: https://docs.slack.dev/reference/methods/chat.postEphemeral.
        """
        if self.thread_ts and (to_channel or self.is_in_thread):
            return {"thread_ts": self.thread_ts}
        return {}


class Replies:
    """Sends answers. The caller owns `http` and closes it."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http
        # The wait for a free connection does not count: an answer that left the line to go another
        # way would double the load of a Slack that is slow already.
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=ANSWERED_WITHIN_S, sock_read=ANSWERED_WITHIN_S
        )

    async def send(
        self,
        client: AsyncWebClient,
        origin: Origin,
        message: Message,
        *,
        replace: bool = False,
        to_channel: bool = False,
        is_progress: bool = False,
    ) -> None:
        """Answer a request, to the person alone unless `to_channel`; raise SlackError.

        Without a `response_url` only what belongs to a thread can go to the channel.
        `replace` replaces the earlier answer. Refused blocks are sent again as their plain
        fallback. If the `response_url` fails, an answer to the person alone goes to the channel,
        then to the direct message, there twice if Slack fails. `is_progress`: by `response_url`
        only, as nothing could replace it elsewhere.
        """
        replaces = replace and not to_channel
        how = {
            "response_type": "in_channel" if to_channel else "ephemeral",
            "replace_original": replaces,
            "unfurl_links": False,
            "unfurl_media": False,
            **({} if replaces else origin.thread(to_channel=to_channel)),
        }
        await send_with_fallback(
            lambda each: self._send(
                client, origin, each, how, to_channel=to_channel, is_progress=is_progress
            ),
            message,
        )

    async def _send(
        self,
        client: AsyncWebClient,
        origin: Origin,
        message: Message,
        how: Mapping[str, Any],
        *,
        to_channel: bool,
        is_progress: bool,
    ) -> None:
        args, thread = message.as_args(), origin.thread(to_channel=to_channel)
        if to_channel or is_progress:
            if origin.response_url:
                await self._respond(client, origin.response_url, {**args, **how})
            elif to_channel and origin.channel_id and thread:
                await post_message(client, origin.channel_id, {**args, **thread})
            else:
                raise errors.SlackRefusedError("no response_url")
            return
        if origin.response_url:
            with _logged("response_url"):
                await self._respond(client, origin.response_url, {**args, **how})
                return
        if origin.channel_id:
            thread_ts, thread = thread.get("thread_ts"), {}
            with _logged("channel"):
                async with slack_errors():
                    await client.chat_postEphemeral(
                        channel=origin.channel_id, user=origin.user_id, thread_ts=thread_ts, **args
                    )
                return
        direct = {**message.with_shares(None).as_args(), **thread}
        try:
            await post_message(client, await open_direct(client, origin.user_id), direct)
        except (errors.SlackUnavailableError, errors.SlackRateLimitedError):
            # No other way is left, and an answer twice is better than none.
            await asyncio.sleep(AGAIN_AFTER_S)
            await post_message(client, await open_direct(client, origin.user_id), direct)

    async def _respond(self, client: AsyncWebClient, url: str, body: Mapping[str, Any]) -> None:
        try:
            # The SDK has read the proxy of all other calls from the environment.
            async with self._http.post(
                url,
                data=msgspec.json.encode(body),
                headers=_JSON,
                timeout=self._timeout,
                proxy=client.proxy,
            ) as answer:
                text = (await answer.content.read(4096)).decode(errors="replace")
                if answer.status >= 500 or answer.status == 429:
                    raise errors.SlackUnavailableError(f"response_url answered {answer.status}")
                _check(answer.status, text)
        except (aiohttp.ClientError, OSError) as error:  # a TimeoutError is an OSError
            raise errors.SlackUnavailableError(type(error).__name__) from error


@contextmanager
def _logged(way: str) -> Iterator[None]:
    """Log a failure of one way to answer, for example that the bot is not in the channel."""
    try:
        yield
    except errors.BlocksRefusedError:
        raise
    except errors.SlackError as error:
        logger.warning("answer failed", way=way, error=repr(error))


def _check(status: int, body: str) -> None:
    """Raise the error in an answer: `ok`, or JSON with or without an error, or a bare code."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if isinstance(answer, dict) and answer.get("ok") is False:
        raise errors.slack_error(str(answer.get("error", "unknown")))
    if status >= 400:
        raise errors.slack_error(body.strip()[:60] or f"status {status}")
