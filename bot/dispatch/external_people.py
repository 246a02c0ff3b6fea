"""Check that a person belongs to the workspace, and say who else reads what they share."""

from collections.abc import Callable

import structlog
from cachetools import LRUCache, TTLCache

from bot.dispatch.request import Request
from bot.dispatch.usage import READ_OUTSIDE
from bot.process.clock import seconds_now
from bot.process.errors import ExternalUserError
from bot.process.workspace import WorkspaceId
from bot.slack.channels import fetch_channel
from bot.slack.errors import SlackError, SlackRefusedError

logger = structlog.get_logger()
# People do not leave a workspace while they work.
KNOWN_FOR_S = 600
MAX_KNOWN = 20_000
NOT_VISIBLE = "user_not_visible"  # https://docs.slack.dev/reference/methods/users.info#errors


class ExternalUserGuard:
    """Rejects people of other workspaces; remembers for ten minutes who is no such person."""

    def __init__(self, *, clock: Callable[[], float] = seconds_now) -> None:
        self._known: TTLCache[tuple[WorkspaceId, str], bool] = TTLCache(
            MAX_KNOWN, KNOWN_FOR_S, timer=clock
        )

    async def check(self, request: Request) -> None:
        """Return if the person belongs to the workspace, or to its organisation.

        Raise ExternalUserError if not, or if the bot cannot see them; SlackError if the request
        names another workspace and Slack does not say who they are.
        """
        who = (request.workspace, request.origin.user_id)
        if who in self._known and not request.is_from_elsewhere:
            return
        try:
            member = await request.fetch_member()
        except SlackError as error:
            if isinstance(error, SlackRefusedError) and error.code == NOT_VISIBLE:
                raise ExternalUserError("a person whom the bot cannot see") from error
            if request.is_from_elsewhere:
                raise
            # Slack hardly lets others type a command: without its answer the person may go on.
            logger.warning("Slack does not say who asks", error=repr(error))
            return
        if member.is_stranger:
            raise ExternalUserError("a person of another workspace")
        self._known[who] = True


class SharedChannelNotice:
    """Tells each person once for each channel that other companies read what they share there.

    In memory: after a restart it is said once more.
    """

    def __init__(self) -> None:
        self._checked: LRUCache[tuple[WorkspaceId, str, str], bool] = LRUCache(MAX_KNOWN)

    async def send(self, request: Request) -> None:
        """Answer what was shared in a channel of several companies; a failure is only logged.

        Slack tells the bot nothing about a private channel that it is not in.
        """
        channel_id, person = request.origin.channel_id or "", request.origin.user_id
        checked = (request.workspace, person, channel_id)
        if checked in self._checked:
            return
        self._checked[checked] = True  # now: the next one may come during the check
        try:
            if (await fetch_channel(request.client, channel_id)).is_shared:
                await request.reply(READ_OUTSIDE)
        except SlackError as error:
            del self._checked[checked]
            logger.warning("who reads along is unknown", error=repr(error))
