"""What people are told without having asked."""

import asyncio
from collections.abc import Callable

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BotError
from bot.keys import KeyRecord, Keys, StoredKey
from bot.message import Message
from bot.slack.calls import send_direct
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# Whoever ran into the refusal waits for it: what they read says whether it was told.
TELL_WITHIN_S = 5.0


class RefusalNotices:
    """Tells whoever set a key that the service refuses it, in a direct message."""

    def __init__(
        self, client: AsyncWebClient, keys: Keys, notice: Callable[[KeyRecord], Message]
    ) -> None:
        self._client = client
        self._keys = keys
        self._notice = notice

    async def __call__(self, workspace: WorkspaceId, key: StoredKey) -> None:
        """See `TellsOfRefusal`. That it was told is noted only when Slack took the message."""
        try:
            async with asyncio.timeout(TELL_WITHIN_S):
                notice = self._notice(key.record).as_args()
                await send_direct(self._client, key.record.set_by, notice)
            await self._keys.note_told(workspace, key)
        except (BotError, TimeoutError) as error:
            logger.warning("could not tell of a refused key", error=repr(error))
