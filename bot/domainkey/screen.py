"""Draw the forms about the key and its managers; reply where none can be drawn."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from bot.blocks.builders import plain_message
from bot.blocks.message import Block, Message
from bot.dispatch.failure import ExplainFailure, Facts, failure_message
from bot.dispatch.request import Request, draw_or_reply
from bot.dispatch.router import PressHandler
from bot.domainkey.form_views import key_paragraph
from bot.keys.errors import KEY_ERRORS, REFUSED_KEY
from bot.process.clock import Clock
from bot.process.errors import BotError
from bot.tracker.models import InvalidKeyError, RateLimitedError

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class KeyScreen:
    """Draws the forms about the key and its managers."""

    explain: ExplainFailure
    clock: Clock

    def in_form(self, draw: Callable[[Request, str], Awaitable[Block]]) -> PressHandler:
        """Return a listener that shows the form that `draw` returns, or why there is none."""

        async def listener(request: Request, value: str) -> None:
            try:
                form = await draw(request, value)
            except BotError as error:
                await self.show_failure(request, error, key_paragraph)
            else:
                await draw_or_reply(request, form, Message("That form is closed."))

        return listener

    async def show_failure(
        self, request: Request, error: BotError, draw: Callable[[str], Block]
    ) -> None:
        """Show an error in the form; `draw` returns a form with the sentence."""
        message = await self.explained(request, error)
        await draw_or_reply(request, draw(message.text), message)

    async def explained(self, request: Request, error: BotError) -> Message:
        """Return the message about an error, in a sentence of the bot's own."""
        logger.warning("not done", error=repr(error), cause=repr(error.__cause__))
        if isinstance(error, InvalidKeyError):
            return plain_message(REFUSED_KEY)
        if isinstance(error, RateLimitedError):  # of the entered key, not of the one in use
            facts = Facts(reference=request.reference, now=self.clock(), is_admin=True)
            return failure_message(error, facts, KEY_ERRORS)
        return await self.explain(error, request)
