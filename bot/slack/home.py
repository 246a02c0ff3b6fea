"""The Home tab of a person: published whole, each time."""

from collections.abc import Mapping
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.calls import slack_errors
from bot.slack.errors import SlackRefusedError

logger = structlog.get_logger()

# How Slack refuses what is in a view: https://docs.slack.dev/reference/methods/views.publish#errors
_VIEW_REFUSED = frozenset(
    {"invalid_arguments", "invalid_blocks", "invalid_view", "view_too_large"}
)


async def publish_home(
    client: AsyncWebClient,
    user_id: str,
    view: Mapping[str, Any],
    twin: Mapping[str, Any] | None,
    *,
    view_hash: str | None = None,
) -> str | None:
    """Show `view` on somebody's Home tab; return its hash, `None` if Slack does not say.

    A view that Slack refuses gives way to its plain `twin`, once; `None`: it is plain already.

    Raises:
        FormChangedError: the tab is no longer that of `view_hash`; `None` takes it as it is.
        SlackError: Slack refused or did not answer.
    """
    try:
        return await _publish(client, user_id, view, view_hash)
    except SlackRefusedError as error:
        if error.code not in _VIEW_REFUSED or twin is None:
            raise
        logger.warning("blocks refused", code=error.code, has_twin=True)
        return await _publish(client, user_id, twin, view_hash)


async def _publish(
    client: AsyncWebClient, user_id: str, view: Mapping[str, Any], view_hash: str | None
) -> str | None:
    async with slack_errors():
        answer = await client.views_publish(user_id=user_id, view=dict(view), hash=view_hash)
    published: Mapping[str, Any] = answer.get("view") or {}
    return published.get("hash")
