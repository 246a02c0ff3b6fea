"""Direct messages to those who were made managers of a workspace's key."""

from collections.abc import Callable, Sequence

import structlog

from bot.admin.telling import TellsPeople
from bot.message import Message
from bot.slack.errors import SlackError
from bot.tasks import Tasks
from bot.workspace import WorkspaceId

logger = structlog.get_logger()


class Appointments:
    """Tells people, once and in the background; a message that fails is only logged.

    `words` makes the message of the id of whoever named them.
    """

    def __init__(self, people: TellsPeople, words: Callable[[str], Message], tasks: Tasks) -> None:
        self._people = people
        self._words = words
        self._tasks = tasks

    def tell(self, workspace: WorkspaceId, user_ids: Sequence[str], *, by: str) -> None:
        """Begin to tell those who were named just now, but not whoever named themselves."""
        if others := [user_id for user_id in user_ids if user_id != by]:
            self._tasks.start(self._tell(workspace, others, by))

    async def _tell(self, workspace: WorkspaceId, user_ids: Sequence[str], by: str) -> None:
        message = self._words(by)
        for user_id in user_ids:
            try:
                await self._people.tell(workspace, user_id, message)
            except SlackError as error:
                logger.warning("a new manager was not told", who=user_id, error=repr(error))
