"""Buttons in messages that do something once, however often they are pressed."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.listeners.conversation import Conversation
from bot.message import Message
from bot.seen import Seen


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
    """Remembers which buttons were pressed."""

    def __init__(self) -> None:
        self._pressed = Seen(clock=time.monotonic)
        self._running: set[str] = set()

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
        if not self._pressed.is_new(place):
            await conversation.reply(once.running if place in self._running else once.done)
            return
        self._running.add(place)
        try:
            await work()
        except PressFailedError:
            self._pressed.forget(place)
        except BaseException:
            self._pressed.forget(place)
            raise
        finally:
            self._running.discard(place)
