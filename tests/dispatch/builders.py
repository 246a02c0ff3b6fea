"""Requests for tests."""

from typing import Any, cast

from slack_sdk.web.async_client import AsyncWebClient

from bot.dispatch.request import Request, request_from
from bot.process.workspace import WorkspaceId
from bot.slack.replies import Origin, Replies

NO_CLIENT, NO_REPLIES = cast(AsyncWebClient, None), cast(Replies, None)


def a_request(
    workspace: WorkspaceId = WorkspaceId("T1"),  # noqa: B008  # frozen
    origin: Origin = Origin("U1", "C1"),  # noqa: B008  # frozen
    client: AsyncWebClient = NO_CLIENT,
    replies: Replies = NO_REPLIES,
    **came: Any,
) -> Request:
    """Return a request; without `client` and `replies` nothing can be asked or answered."""
    return request_from(workspace, origin, client, replies, **came)
