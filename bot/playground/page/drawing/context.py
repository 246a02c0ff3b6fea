"""What drawing needs to know of its surroundings, and the few elements that it is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.html import Html
from nicegui.events import GenericEventArguments

from bot.playground.page.actions import SlackActions
from bot.playground.page.session import SlackNames
from bot.playground.slack.block_contents import STATES, state_of

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
    def pressed(_event: GenericEventArguments) -> Any:
        return handler()

    element.on("click", pressed, [])


Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RenderContext:
    """One message, form or Home tab while it is drawn.

    `errors` are shown under the inputs of their `block_id`; `values` hold what is filled in so
    far, by `block_id` and `action_id`.
    """

    actions: SlackActions
    names: SlackNames
    errors: Mapping[str, str]
    values: Mapping[tuple[str, str], Json]

    def held(self, block: Json, element: Json) -> Any:
        """Return what an element holds: what was filled in, else what it starts with."""
        typed = self.values.get(place_of(block, element))
        state = state_of(element, typed)
        return state.get(STATES[element["type"]][0])


def place_of(block: Json, element: Json) -> tuple[str, str]:
    """Return the ids that name an element; empty where the sender gave none."""
    return str(block.get("block_id", "")), str(element.get("action_id", ""))
