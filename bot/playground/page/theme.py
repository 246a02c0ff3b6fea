"""What the pages share: the look, light and dark, and a list that draws only its changes."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from nicegui import ui
from nicegui.element import Element
from starlette.requests import Request

LOOK = Path(__file__).with_name("look.css").read_text(encoding="utf-8")
MARKUP = yaml.safe_load(Path(__file__).with_name("markup.yaml").read_text(encoding="utf-8"))


def draw_colors(request: Request) -> bool:
    """Make a page dark where its address has `dark=1`, and return whether it has."""
    is_dark = request.query_params.get("dark") == "1"
    ui.dark_mode(value=is_dark)
    return is_dark


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
