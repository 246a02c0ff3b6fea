"""The few NiceGUI elements that everything drawn is made of."""

from collections.abc import Callable
from typing import Any, TypeVar

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.html import Html
from nicegui.events import GenericEventArguments

ElementT = TypeVar("ElementT", bound=Element)


def box(css_class: str = "", *, tag: str = "div", **attributes: Any) -> Element:
    """Make an element that others are drawn into; see `put` for the attributes."""
    return _dressed(ui.element(tag), css_class, attributes)


def put(html_text: str, css_class: str = "", *, tag: str = "div", **attributes: Any) -> Html:
    """Draw finished HTML: the caller has escaped all that comes from outside.

    Attributes that are None are left out; their underscores stand for dashes.
    """
    return _dressed(ui.html(html_text, sanitize=False, tag=tag), css_class, attributes)


def _dressed(element: ElementT, css_class: str, attributes: dict[str, Any]) -> ElementT:
    element.classes(css_class)
    for name, value in attributes.items():
        if value is not None:
            element.props[name.replace("_", "-")] = value
    return element


def on_click(element: Element, handler: Callable[[], Any]) -> None:
    """Call `handler` when it is pressed."""

    def pressed(_event: GenericEventArguments) -> Any:
        return handler()

    element.on("click", pressed, [])
