"""What somebody sees of the Slack page and does to it, in NiceGUI's own simulation."""

import asyncio
import html
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx
from nicegui import events
from nicegui.element import Element
from nicegui.testing import User

from tests.fakes import TIME_LIMIT_S

T = TypeVar("T")

_TAG = re.compile(r"<[^>]*>")


class Screen:
    """One open page."""

    def __init__(self, visitor: User) -> None:
        self._visitor = visitor

    @property
    def headers(self) -> httpx.Headers:
        """What the browser sends with every request."""
        return self._visitor.http_client.headers

    async def open(self, address: str) -> None:
        await self._visitor.open(address)

    @property
    def text(self) -> str:
        """Everything readable on the page, a line for each element."""
        assert self._visitor.client
        return "\n".join(_texts(self._visitor.client.layout))

    @property
    def messages(self) -> list[str]:
        """The text of each message, oldest first."""
        return ["\n".join(_texts(article)) for article in self.all("article")]

    @property
    def complaints(self) -> list[str]:
        """What was said at the top of the page, and goes away by itself."""
        return self._visitor.notify.messages

    async def downloaded(self) -> bytes:
        """The bytes of the last file that the page gave to the browser."""
        [*_, response] = await self.until(lambda: self._visitor.download.http_responses)
        return response.content

    def everything(self) -> list[Element]:
        """Every visible element, in the order of the page."""
        assert self._visitor.client
        return list(_visible(self._visitor.client.layout))

    def all(self, role: str) -> list[Element]:
        """Every visible element of a role, in the order of the page."""
        return [each for each in self.everything() if each.props.get("role") == role]

    def named(self, name: str) -> Element:
        """The visible element that a screen reader calls so, or that shows just these words."""
        elements = self.everything()
        for element in elements:
            if name in (element.props.get("aria-label"), element.props.get("label")):
                return element
        for element in reversed(elements):  # the innermost one
            if "\n".join(_texts(element)) == name:
                return element
        raise AssertionError(f"nothing called {name!r} in:\n{self.text}")

    def do(self, element: Element, event: str, **args: Any) -> None:
        """Let an event happen to an element."""
        assert self._visitor.client
        with self._visitor.client:
            for listener in list(element._event_listeners.values()):
                if listener.type == event:
                    text = events.GenericEventArguments(
                        sender=element, client=self._visitor.client, args=args
                    )
                    events.handle_event(listener.handler, text)

    def click(self, name: str) -> None:
        self.do(self.named(name), "click")

    def write(self, typed: str, field: str = "Message") -> None:
        """Type into a field, without sending it."""
        element: Any = self.named(field)
        assert self._visitor.client
        with self._visitor.client:
            element.value = typed

    def key(self, key: str, field: str = "Message") -> None:
        element: Any = self.named(field)
        self.do(element, "keydown", key=key, typed=element.value)

    def send(self, line: str, field: str = "Message") -> None:
        self.write(line, field)
        self.key("Enter", field)

    async def until(self, look: Callable[[], T]) -> T:
        """Wait until `look` finds something; the page follows Slack a little later."""
        async with asyncio.timeout(TIME_LIMIT_S):
            while not (found := look()):  # noqa: ASYNC110  no one is notified when NiceGUI has drawn
                await asyncio.sleep(0.005)
            return found

    async def sees(self, words: str) -> None:
        try:
            await self.until(lambda: words in self.text)
        except TimeoutError:
            raise AssertionError(f"{words!r} is not in:\n{self.text}") from None


def _visible(element: Element) -> Iterator[Element]:
    if element.visible:
        yield element
        for slot in element.slots.values():
            for child in slot.children:
                yield from _visible(child)


def _texts(element: Element) -> Iterator[str]:
    for inner in _visible(element):
        for words in (getattr(inner, "text", None), inner.props.get("label")):
            if words:
                yield str(words)
        if "innerHTML" in inner.props:
            yield html.unescape(_TAG.sub("", str(inner.props["innerHTML"])))
