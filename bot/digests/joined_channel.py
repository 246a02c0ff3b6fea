"""Greet in a channel to which the app was added, and resume the digests that waited for that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.digests.service import DigestService
from bot.digests.views.post import greeting_message
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.process.errors import BotError, log_and_suppress
from bot.slack.posting import Posting


@dataclass(frozen=True, slots=True)
class JoinedChannelListeners:
    """The listener of `member_joined_channel`, which comes with the scopes of channels.

    https://docs.slack.dev/reference/events/member_joined_channel: the app reads of everybody who
    joins a channel that it is in, and of itself.
    """

    digests: DigestService
    posting: Posting

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.event("member_joined_channel", self.greet)

    async def greet(self, request: Request, event: Mapping[str, Any]) -> None:
        """Post what the app does in this channel, and which digests go on."""
        if event["user"] != request.bot_user_id:
            return
        with log_and_suppress("not greeted", BotError):
            channel_id = event["channel"]
            resumed = await self.digests.resume_in(request.workspace, channel_id)
            await self.posting.post(request.workspace, channel_id, greeting_message(resumed))
