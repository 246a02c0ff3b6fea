"""Where the forms about the key are drawn, and where people read why they were not."""

from collections.abc import Callable

import structlog

from bot.errors import BotError
from bot.listeners.conversation import Conversation
from bot.listeners.failures import Failures
from bot.message import Block, Message
from bot.slack.errors import SlackError
from bot.slack.forms import put_form
from bot.views.failure import failure_message
from bot.views.key_trouble import draft_trouble

logger = structlog.get_logger()


class KeyScreen:
    """Puts things where the person waits, which is a form that they may have closed."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures

    async def show(self, conversation: Conversation, form: Block, otherwise: Message) -> None:
        """Put `form` in the place of the open one; where that cannot be, say `otherwise`."""
        try:
            await put_form(conversation.client, conversation.view_id or "", form)
        except SlackError as error:
            logger.info("not in the form", error=repr(error))
            await conversation.reply(otherwise)

    async def show_failure(
        self, conversation: Conversation, error: BotError, draw: Callable[[str], Block]
    ) -> None:
        """Say in the form why something was not done; `draw` makes a form of a sentence."""
        message = await self.explained(conversation, error)
        await self.show(conversation, draw(message.text), message)

    async def explained(self, conversation: Conversation, error: BotError) -> Message:
        """Return what to tell the person; one of our own sentences for each error."""
        logger.warning("not done", error=repr(error), cause=repr(error.__cause__))
        facts = await self._failures.facts(error, conversation, conversation.reference)
        trouble = draft_trouble(error, facts)
        return Message(trouble) if trouble else failure_message(error, facts)
