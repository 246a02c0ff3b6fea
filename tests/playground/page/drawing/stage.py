"""NiceGUI without a browser: what is drawn, and what happens when somebody touches it."""

import asyncio
from collections.abc import Callable
from typing import Any

from nicegui.element import Element
from nicegui.testing.user import User

from bot.playground.page.drawing import draw_blocks
from tests.playground.page.drawing.people import Berlin, Recorder

Json = Any


class Stage:
    """One NiceGUI for all tests of this module, as starting it costs a third of a second."""

    def __init__(self) -> None:
        self.user: User
        self.draw: Callable[[], None] = lambda: None

    async def show(self, draw: Callable[[], None]) -> User:
        self.draw = draw
        await self.user.open("/")
        return self.user

    async def blocks(self, hands: Recorder, *blocks: Json, **more: Any) -> User:
        return await self.show(
            lambda: draw_blocks(list(blocks), actions=hands, names=Berlin(), **more)
        )


def elements(user: User) -> list[Element]:
    assert user.client
    return list(user.client.elements.values())


def everything(user: User) -> str:
    return " ".join(str(element.props.get("innerHTML", "")) for element in elements(user))


def of(user: User, name: str, value: str | None = None) -> list[Element]:
    return [e for e in elements(user) if name in e.props and value in (None, e.props[name])]


async def act(user: User, element: Element, event: str, args: Any = None) -> None:
    """Do what the browser would tell, and let everything that follows from it happen."""
    assert user.client
    keys = [key for key, each in element._event_listeners.items() if each.type == event]
    assert keys
    with user.client:
        for key in keys:
            element._handle_event({"listener_id": key, "args": args})
    for _ in range(10):
        await asyncio.sleep(0)
