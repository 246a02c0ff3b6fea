"""People of other companies, met in shared channels: the portfolio is not for them.

A payload does not always say whose a person is, and that of a command never does:
https://docs.slack.dev/apis/slack-connect. So Slack is asked.
"""

import time
from collections.abc import Callable

import structlog
from cachetools import TTLCache

from bot.errors import StrangerError
from bot.listeners.conversation import Conversation
from bot.slack.errors import SlackError, SlackRefusedError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# Whoever is no stranger does not become one while they work.
KNOWN_FOR_S = 600
MAX_KNOWN = 20_000
NOT_VISIBLE = "user_not_visible"  # https://docs.slack.dev/reference/methods/users.info#errors


class Strangers:
    """Keeps them out. Who belongs to the workspace is known for ten minutes."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._known: TTLCache[tuple[WorkspaceId, str], bool] = TTLCache(
            MAX_KNOWN, KNOWN_FOR_S, timer=clock
        )

    async def keep_out(self, conversation: Conversation) -> None:
        """Return if whoever asks is of the workspace, or of its organisation.

        Raises:
            StrangerError: they are not, or Slack lets the bot not even see them.
            SlackError: what they pressed says that they are from elsewhere, and Slack does not
                say who they are.
        """
        who = (conversation.workspace, conversation.origin.user_id)
        if who in self._known and not conversation.is_from_elsewhere:
            return
        try:
            member = await conversation.fetch_member()
        except SlackError as error:
            if isinstance(error, SlackRefusedError) and error.code == NOT_VISIBLE:
                raise StrangerError("somebody whom the bot cannot see") from error
            if conversation.is_from_elsewhere:
                raise
            # Slack itself hardly lets anybody else type a command: its silence stops nobody.
            logger.warning("Slack does not say who asks", error=repr(error))
            return
        if member.is_stranger:
            raise StrangerError("somebody of another workspace")
        self._known[who] = True
