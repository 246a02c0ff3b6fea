"""What the pages share: the look, light and dark, and a list that draws only its changes."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from nicegui import ui
from nicegui.element import Element
from starlette.requests import Request

_COOKIE = "playground_dark"
_A_YEAR_S = 365 * 24 * 3600
LOOK = Path(__file__).with_name("look.css").read_text(encoding="utf-8")
MARKUP = yaml.safe_load(Path(__file__).with_name("markup.yaml").read_text(encoding="utf-8"))


def is_dark(request: Request) -> bool:
    """Tell whether a page shall be dark: `?dark=1` or `?dark=0`, else what was chosen last."""
    asked = request.query_params.get("dark", request.cookies.get(_COOKIE, "0"))
    return asked in ("1", "true")


def draw_switch(*, is_dark: bool, changed: Callable[[], None]) -> None:
    """Draw the switch between both, which acts and is remembered, then calls `changed`."""
    mode = ui.dark_mode(value=is_dark)

    def turn() -> None:
        mode.value = not mode.value
        button.props(f"icon={_icon(is_dark=bool(mode.value))}")
        value = int(bool(mode.value))
        cookie = f"{_COOKIE}={value}; path=/; max-age={_A_YEAR_S}; SameSite=Lax"
        ui.run_javascript(f"document.cookie = '{cookie}'")
        changed()

    button = ui.button(icon=_icon(is_dark=is_dark), on_click=turn, color=None)
    button.props('flat dense round aria-label="Light or dark" title="Light or dark"')


def _icon(*, is_dark: bool) -> str:
    return "light_mode" if is_dark else "dark_mode"


@dataclass(frozen=True)
class Item:
    """One entry: `key` names it, `look` changes whenever it must be drawn again."""

    key: str
    look: Hashable
    draw: Callable[[], None]


class KeptItem(Element, component="kept_item.js"):
    """Holds one entry; whatever happens elsewhere on the page, the browser leaves it alone."""

    def __init__(self) -> None:
        super().__init__()
        self._props["version"] = 0

    def draw(self, draw: Callable[[], None]) -> None:
        """Draw the content again. It must not get further children in any other way."""
        self._props["version"] += 1
        self.clear()
        with self:
            draw()


class LiveList:
    """Keeps the children of an element in step with a sequence of items."""

    def __init__(self, parent: Element) -> None:
        self._parent = parent
        self._order: list[str] = []
        self._drawn: dict[str, tuple[Hashable, KeptItem]] = {}

    def show(self, items: Sequence[Item]) -> None:
        """Show these items in this order; the others go. Keys must differ."""
        wanted = {item.key for item in items}
        for key in [key for key in self._order if key not in wanted]:
            self._drawn.pop(key)[1].delete()
            self._order.remove(key)
        for index, item in enumerate(items):
            self._put(index, item)

    def _put(self, index: int, item: Item) -> None:
        if item.key not in self._drawn:
            with self._parent:
                slot = KeptItem()
            self._order.append(item.key)
            slot.draw(item.draw)
            self._drawn[item.key] = item.look, slot
        look, slot = self._drawn[item.key]
        if self._order[index] != item.key:
            self._order.remove(item.key)
            self._order.insert(index, item.key)
            slot.move(target_index=index)
        if look != item.look:
            slot.draw(item.draw)
            self._drawn[item.key] = item.look, slot
