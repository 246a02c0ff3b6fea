"""Requests for tests."""

from typing import Any, cast

from slack_sdk.web.async_client import AsyncWebClient

from bot.dispatch.answer import Answer
from bot.dispatch.request import Request
from bot.process.workspace import WorkspaceId
from bot.slack.replies import Origin, Replies

NO_CLIENT, NO_REPLIES = cast(AsyncWebClient, None), cast(Replies, None)


def a_request(
    workspace: WorkspaceId = WorkspaceId("T1"),  # noqa: B008  # frozen
    origin: Origin = Origin("U1", "C1"),  # noqa: B008  # frozen
    client: AsyncWebClient = NO_CLIENT,
    replies: Replies = NO_REPLIES,
    *,
    view_id: str | None = None,
    retry_line: str | None = None,
    **came: Any,
) -> Request:
    """Return a request; without `client` and `replies` nothing can be asked or answered."""
    answer = Answer(
        origin=origin, client=client, replies=replies, view_id=view_id, retry_line=retry_line
    )
    return Request(workspace=workspace, origin=origin, client=client, answer=answer, **came)
