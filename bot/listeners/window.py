"""The small window in which people read the answer to what they pressed on the Home tab.

There is no message to answer below, and a direct message is not seen by whoever looks at Home.
"""

from dataclasses import dataclass

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.message import Message
from bot.slack.calls import open_form
from bot.slack.errors import SlackError, TriggerExpiredError
from bot.slack.forms import put_form
from bot.views.home.window import answer_window, fits_window, summary_window

logger = structlog.get_logger()


@dataclass(kw_only=True)
class AnswerWindow:
    """Opens when there is something to show, or shows it where it is open (`view_id`) already.

    `trigger_id` opens it, once, within 3 s of the press. `messages_url` leads to the direct
    messages with the bot; `metadata` comes back with what is pressed in the window.
    """

    client: AsyncWebClient
    trigger_id: str | None
    messages_url: str
    metadata: str
    view_id: str | None = None

    def holds(self, message: Message) -> bool:
        """Return whether all of a message, buttons included, can be shown in a window."""
        return fits_window(message)

    async def show(self, message: Message) -> None:
        """Show a message that it holds.

        Raises:
            TriggerExpiredError: nobody has just pressed anything, or that has opened a form.
            SlackError: the window was closed meanwhile, or Slack did not answer.
        """
        view = answer_window(message, self.metadata)
        if self.view_id:
            await put_form(self.client, self.view_id, view)
        elif self.trigger_id:
            self.view_id = await open_form(self.client, self.trigger_id, view)
        else:
            raise TriggerExpiredError("nobody pressed anything just now")

    async def show_summary(self, message: Message) -> None:
        """Show what a message says, and the way to the whole; nothing where there is no window."""
        summary = summary_window(message, self.messages_url)
        try:
            await self.show(summary)
        except SlackError as error:
            logger.info("no window to show it in", error=repr(error))
