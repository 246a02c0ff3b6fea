"""The answer to a request that no listener could take."""

import json
import secrets

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.errors import BotError

logger = structlog.get_logger()


def register_unread(app: AsyncApp) -> None:
    """Attach the answer to failures before an ack; afterwards the boundary answers."""
    app.error(answer_unread)


async def answer_unread(error: Exception) -> BoltResponse:
    """Answer 200 with a sentence for whoever typed, or 400 to what Slack would not send.

    Slack shows people nothing but the body of a 200:
    https://docs.slack.dev/interactivity/implementing-slash-commands
    """
    reference = secrets.token_hex(4)
    if not isinstance(error, BotError):
        logger.error("a request could not be read", request=reference, exc_info=error)
        return BoltResponse(status=400, body=f"the request cannot be read; reference {reference}")
    logger.warning("a request could not be taken", request=reference, error=repr(error))
    text = f"I cannot reach Slack properly right now. Please try again. Reference {reference}."
    body = json.dumps({"response_type": "ephemeral", "text": text})
    return BoltResponse(status=200, body=body, headers={"content-type": ["application/json"]})
