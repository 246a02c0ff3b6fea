"""Forms that people have before them, redrawn also when Slack fails for a moment."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.calls import update_form
from bot.slack.errors import SlackRateLimitedError, SlackUnavailableError

logger = structlog.get_logger()

AGAIN_AFTER_S = (0.5, 2.0)
# Somebody sits before it: whoever is to wait longer is told elsewhere.
LONGEST_WAIT_S = 5.0


async def put_form(
    client: AsyncWebClient,
    view_id: str,
    form: Mapping[str, Any],
    *,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Put `form` in the place of an open one. A try whose answer is lost is harmless.

    Raises:
        SlackUnavailableError: Slack did not do it in three tries, or would not for long.
        SlackError: it refused; most often the person has closed the form.
    """
    for wait_s in AGAIN_AFTER_S:
        try:
            await update_form(client, view_id, form)
        except SlackUnavailableError as error:
            asked_s = error.retry_after_s if isinstance(error, SlackRateLimitedError) else 0
            if asked_s > LONGEST_WAIT_S:
                raise
            logger.info("the form is drawn again", error=repr(error))
            await sleep(max(wait_s, asked_s))
        else:
            return
    await update_form(client, view_id, form)
