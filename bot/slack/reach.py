"""Whether addresses answer: Slack's, and the one at which Slack and browsers reach the bot."""

from dataclasses import dataclass

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.calls import slack_errors

MAX_BODY_BYTES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an address answers; `trouble` names why it does not, and is else empty."""

    status: int = 0
    body: str = ""
    trouble: str = ""


async def check_api(client: AsyncWebClient) -> None:
    """Return when Slack's Web API answers, which takes no token; raise SlackError.

    https://docs.slack.dev/reference/methods/api.test
    """
    async with slack_errors():
        await client.api_test()


async def fetch_answer(http: aiohttp.ClientSession, url: str, timeout_s: float) -> Answer:
    """Return what a GET of `url` is answered, redirects included; never raise for the network."""
    try:
        async with http.get(
            url, allow_redirects=False, timeout=aiohttp.ClientTimeout(total=timeout_s)
        ) as response:
            body = await response.content.read(MAX_BODY_BYTES)
            return Answer(status=response.status, body=body.decode(errors="replace"))
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        return Answer(trouble=type(error).__name__)
