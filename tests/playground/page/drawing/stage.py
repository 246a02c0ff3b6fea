"""NiceGUI without a browser: what is drawn."""

from collections.abc import Callable
from typing import Any

from nicegui.element import Element
from nicegui.testing.user import User

from bot.playground.page.actions import SlackActions
from bot.playground.page.drawing import draw_blocks
from tests.playground.page.drawing.people import Berlin

Json = Any


class Stage:
    """One NiceGUI for all tests of this module, as starting it costs a third of a second."""

    def __init__(self) -> None:
        self.user: User
        self.draw: Callable[[], None] = lambda: None

    async def blocks(self, actions: SlackActions, *blocks: Json, **more: Any) -> User:
        self.draw = lambda: draw_blocks(list(blocks), actions=actions, names=Berlin(), **more)
        await self.user.open("/")
        return self.user


def elements(user: User) -> list[Element]:
    assert user.client
    return list(user.client.elements.values())


def everything(user: User) -> str:
    return " ".join(str(element.props.get("innerHTML", "")) for element in elements(user))


def of(user: User, name: str, value: str | None = None) -> list[Element]:
    return [e for e in elements(user) if name in e.props and value in (None, e.props[name])]
