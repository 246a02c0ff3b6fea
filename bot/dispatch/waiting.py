"""Answer the requests that wait for an answer when the process stops."""

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from bot.dispatch.answer import Sent
from bot.dispatch.request import Request, draw_or_reply
from bot.dispatch.usage import interrupted_form, interrupted_message
from bot.process.errors import BotError, log_and_suppress
from bot.process.redaction import holds_secret

# A stop must not wait for a slow Slack.
TELL_WITHIN_S = 5.0


@dataclass(slots=True, eq=False)
class WaitingRequest:
    """A request that waits for its answer. `form_waits`: their form says "please wait"."""

    request: Request
    form_waits: bool

    async def tell(self) -> None:
        """Tell the person that the work is cut off; a failure is only logged."""
        with log_and_suppress("person does not know of the stop", BotError):
            if on_stop := self.request.answer.on_stop:
                await self.request.reply(on_stop())
            else:
                await self._interrupt()

    async def _interrupt(self) -> None:
        request, answer = self.request, self.request.answer
        line = answer.retry_line
        shown = line if line and not holds_secret(line) else None
        message = interrupted_message(shown)
        if answer.view_id and (self.form_waits or answer.window is None):
            await draw_or_reply(request, interrupted_form(shown), message)
        else:
            await request.reply(message)


async def tell_all(requests: Iterable[WaitingRequest]) -> int:
    """Tell those who still wait, after the tasks were cancelled; return how many they are."""
    waiting = [each for each in requests if each.request.answer.sent is not Sent.ANSWER]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TELL_WITHIN_S):
            await asyncio.gather(*(each.tell() for each in waiting), return_exceptions=True)
    return len(waiting)
