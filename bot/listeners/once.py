"""Buttons in messages that do something once, however often they are pressed."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.listeners.conversation import Conversation
from bot.message import Message
from bot.seen import RecentlySeen, Seen


@dataclass(frozen=True, slots=True)
class Once:
    """The answers to a second press: after the first one was done, and while it still runs."""

    done: Message
    running: Message


def place_of(body: Mapping[str, Any]) -> str:
    """Return what names the message, form or tab in which something was pressed.

    https://docs.slack.dev/reference/interaction-payloads/block_actions-payload#fields
    """
    if view_id := (body.get("view") or {}).get("id"):
        return str(view_id)
    container = body.get("container") or {}
    return f"{container.get('channel_id')}/{container.get('message_ts')}"


class PressFailedError(Exception):
    """What was to be done once was not, and the person knows why: they may press again."""


class Repeats:
    """Remembers which buttons were pressed, in whichever process: `seen` is what all know.

    A process that dies in the middle leaves its button saying that it still runs, until that is
    forgotten: how far it came nobody knows.
    """

    def __init__(self, seen: Seen | None = None) -> None:
        self._seen = seen or RecentlySeen(clock=time.monotonic)

    async def do_once(
        self,
        place: str,
        once: Once | None,
        conversation: Conversation,
        work: Callable[[], Awaitable[None]],
    ) -> None:
        """Do the `work` of the button at `place`, unless that was done; it raises what that does.

        After a failure the same button works again; without `once` it always does.
        """
        if once is None:
            await work()
            return
        pressed, running = f"press/{place}", f"running/{place}"
        if not await self._seen.is_new(running):
            await conversation.reply(once.running)
            return
        try:
            if is_first := await self._seen.is_new(pressed):
                await self._do(pressed, work)
        finally:
            await self._seen.forget(running)
        if not is_first:
            await conversation.reply(once.done)

    async def _do(self, pressed: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except PressFailedError:
            await self._seen.forget(pressed)
        except BaseException:
            await self._seen.forget(pressed)
            raise
