"""A person's hands on a drawn message, form or Home tab: every act goes to the local Slack."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.playground.slack import CommandFailed, FormError, Message, NothingToPress, Person, View

Json = dict[str, Any]

_TOLD = {
    "operation_timeout": "The app did not answer within 3 seconds",
    "dispatch_failed": "The app could not be reached",
}


@dataclass(frozen=True)
class Around:
    """What the page does for everything drawn on it.

    `complain` shows a sentence to the person; `follow` opens what a link into Slack leads to.
    """

    complain: Callable[[str], None]
    follow: Callable[[str], Awaitable[None]]


def told(code: str) -> str:
    """Return in words why the bot did not take something."""
    return f"{_TOLD.get(code, 'Something went wrong')} ({code})."


class SlackHands:
    """Implements the drawing's `Hands`."""

    def __init__(self, person: Person, where: Message | View, around: Around) -> None:
        self._person = person
        self._where = where
        self._complain, self._follow = around.complain, around.follow

    async def press(self, block_id: str, action_id: str) -> None:
        """Press a button whose question was answered with yes."""
        await self._try(self._person.by_id.press(self._where, block_id, action_id))

    async def follow(self, url: str) -> None:
        """Open what a link into Slack leads to."""
        await self._follow(url)

    async def choose(self, block_id: str, action_id: str, state: Json) -> None:
        """Note what an element holds now, and tell the bot where Slack does."""
        await self._try(self._person.by_id.choose(self._where, block_id, action_id, state))

    def note(self, block_id: str, action_id: str, state: Json) -> None:
        """Note what was typed so far; of something that is gone there is nothing to note."""
        with suppress(NothingToPress, FormError):
            self._person.by_id.note(self._where, block_id, action_id, state)

    async def suggest(self, block_id: str, action_id: str, query: str) -> list[Json]:
        """Return the options of an external select; none where the bot has no good answer."""
        asked = self._person.by_id.suggest(self._where, block_id, action_id, query)
        return await self._try(asked) or []

    async def _try(self, act: Awaitable[Any]) -> Any:
        try:
            return await act
        except CommandFailed as error:
            self._complain(told(error.code))
        except NothingToPress:
            self._complain("This message has changed in the meantime.")
        except FormError as error:
            self._complain(f"{error}.")
        return None
