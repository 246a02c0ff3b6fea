"""What people are told without having asked."""

from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.keys import KeyRecord
from bot.message import Message
from bot.slack.calls import send_direct
from bot.slack.errors import SlackError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()


class RefusalNotices:
    """Tells whoever set a key that the service refuses it, in a direct message."""

    def __init__(
        self,
        client: AsyncWebClient,
        notice: Callable[[KeyRecord], Message],
        start: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._client = client
        self._notice = notice
        self._start = start

    async def __call__(self, workspace: WorkspaceId, record: KeyRecord) -> None:
        """See `TellsOfRefusal`. Returns at once: whoever ran into the refusal need not wait."""
        self._start(self._tell(workspace, record))

    async def _tell(self, workspace: WorkspaceId, record: KeyRecord) -> None:
        try:
            await send_direct(self._client, record.set_by, self._notice(record).as_args())
        except SlackError as error:
            logger.warning(
                "could not tell of a refused key", workspace=str(workspace), error=repr(error)
            )
