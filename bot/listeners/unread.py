"""The answer to a request that no listener could take."""

import json
import secrets
from collections.abc import Mapping
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.errors import BotError

logger = structlog.get_logger()


def register_unread(app: AsyncApp) -> None:
    """Attach the answer to failures before an ack; afterwards the boundary answers."""
    app.error(answer_unread)


async def answer_unread(error: Exception, body: Mapping[str, Any]) -> BoltResponse:
    """Answer a command with a sentence, anything else with 503; 400 to what Slack would not send.

    Slack shows the body of a 200 to whoever typed a command
    (https://docs.slack.dev/interactivity/implementing-slash-commands). A form would close as if
    it had been taken: a 503 lets Slack say that it was not.
    """
    reference = secrets.token_hex(4)
    if not isinstance(error, BotError):
        logger.error("a request could not be read", request=reference, exc_info=error)
        return BoltResponse(status=400, body=f"the request cannot be read; reference {reference}")
    logger.warning("a request could not be taken", request=reference, error=repr(error))
    text = f"I cannot reach Slack properly right now. Please try again. Reference {reference}."
    if "command" not in body:
        return BoltResponse(status=503, body=text)
    reply = json.dumps({"response_type": "ephemeral", "text": text})
    return BoltResponse(status=200, body=reply, headers={"content-type": ["application/json"]})
