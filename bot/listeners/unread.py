"""The answer to a request that no listener could take."""

import json
import secrets
from collections.abc import Mapping
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_bolt.response import BoltResponse

from bot.errors import BotError
from bot.slack.answers import FAILURES
from bot.store.errors import StoreError

logger = structlog.get_logger()


def register_unread(app: AsyncApp) -> None:
    """Attach the answer to failures before an ack; afterwards the boundary answers."""
    app.error(answer_unread)


async def answer_unread(
    error: Exception, body: Mapping[str, Any], respond: AsyncRespond
) -> BoltResponse:
    """Answer a command or a press with a sentence, anything else with 503.

    Slack shows the body of a 200 to whoever typed a command
    (https://docs.slack.dev/interactivity/implementing-slash-commands); whoever pressed something
    in a message reads below it. A form would close as if it had been taken: a 503 lets Slack say
    that it was not. 400 goes to what Slack would not send.
    """
    reference = secrets.token_hex(4)
    if not isinstance(error, BotError):
        logger.error("a request could not be read", request=reference, exc_info=error)
        return BoltResponse(status=400, body=f"the request cannot be read; reference {reference}")
    logger.warning("a request could not be taken", request=reference, error=repr(error))
    what = "my memory" if isinstance(error, StoreError) else "Slack properly"
    text = f"I cannot reach {what} right now. Please try again. Reference {reference}."
    if "command" not in body:
        is_told = body.get("type") == "block_actions" and await _is_told(respond, text)
        return BoltResponse(status=200 if is_told else 503, body="" if is_told else text)
    reply = json.dumps({"response_type": "ephemeral", "text": text})
    return BoltResponse(status=200, body=reply, headers={"content-type": ["application/json"]})


async def _is_told(respond: AsyncRespond, text: str) -> bool:
    """Tell whoever pressed; a press on a form or on Home has no response_url."""
    if respond.response_url is None:
        return False
    try:
        await respond(text, replace_original=False)
    except FAILURES as unreachable:
        logger.warning("nor could that be said", error=repr(unreachable))
        return False
    return True
