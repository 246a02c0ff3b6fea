"""What drawing needs to know of its surroundings, and the few elements that it is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar
from zoneinfo import ZoneInfo

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.html import Html
from nicegui.events import GenericEventArguments

from bot.playground.slack.block_contents import STATES, state_of
from bot.playground.slack.model import Channel

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


class Actions(Protocol):
    """What somebody does with what is drawn."""

    async def press(self, block_id: str, action_id: str) -> None:
        """A button was pressed, and its question answered with yes."""

    async def follow(self, url: str) -> None:
        """A link into Slack itself was pressed; the bot knows of it."""

    async def choose(self, block_id: str, action_id: str, state: Json) -> None:
        """Something was typed, picked or ticked; `state` is as in `view.state.values`."""

    def note(self, block_id: str, action_id: str, state: Json) -> None:
        """Something was typed that the bot does not know yet; `state` as for `choose`."""

    async def suggest(self, block_id: str, action_id: str, query: str) -> list[Json]:
        """Return the options of an external select for what was typed; groups are opened."""


class Names(Protocol):
    """Ids to what people read, for the person who looks."""

    def user(self, user_id: str) -> str | None:
        """Return the name of the person with that id, or None."""

    def channel(self, channel_id: str) -> str | None:
        """Return a channel's name without `#`, or None where the person sees none."""

    def user_group(self, group_id: str) -> str | None:
        """Return a user group's handle without `@`, or None where there is none."""

    def zone(self) -> ZoneInfo:
        """Return the person's time zone."""

    def now(self) -> datetime:
        """Return the present moment, aware; the playground's clock can be moved."""

    def people(self) -> Mapping[str, str]:
        """Return id and name of everybody whom a menu of people offers."""

    def conversations(self) -> Mapping[str, Channel]:
        """Return everything that a menu of channels or conversations offers, by its name."""


@dataclass(frozen=True, slots=True)
class RenderContext:
    """One message, form or Home tab while it is drawn.

    `errors` are shown under the inputs of their `block_id`; `values` hold what is filled in so
    far, by `block_id` and `action_id`. `channel_id` is where the person was, None where that is
    not known.
    """

    actions: Actions
    names: Names
    errors: Mapping[str, str]
    values: Mapping[tuple[str, str], Json]
    channel_id: str | None = None

    def held(self, block: Json, element: Json) -> Any:
        """Return what an element holds: what was filled in, else what it starts with."""
        typed = self.values.get(place_of(block, element))
        state = state_of(element, typed, self.channel_id)
        return state.get(STATES[element["type"]][0])


def place_of(block: Json, element: Json) -> tuple[str, str]:
    """Return the ids that name an element; empty where the sender gave none."""
    return str(block.get("block_id", "")), str(element.get("action_id", ""))
