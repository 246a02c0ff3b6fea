"""A list of blocks as a whole: each block by its table, then what holds between them.

https://docs.slack.dev/reference/block-kit/blocks
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.playground.blockkit.schema import ListOf, OneOf, Place, Problem, Surface, all_different
from bot.playground.blockkit.tables import BLOCKS

# The keys whose strings a person gets to read, in any block.
# fmt: off
_SHOWN = frozenset((
    "text", "alt_text", "title", "caption", "label", "name", "fallback", "categories",
    "x_label", "y_label",
))
# fmt: on


def text_chars(value: object) -> int:
    """Return the characters of shown text anywhere inside `value`.

    Any JSON value will do; it is walked without recursion, so its depth does not matter.
    """
    total = 0
    waiting: list[tuple[object, object]] = [("", value)]
    while waiting:
        key, part = waiting.pop()
        if isinstance(part, str) and key in _SHOWN:
            total += len(part)
        elif isinstance(part, list):
            waiting.extend((key, item) for item in part)
        elif isinstance(part, dict):
            waiting.extend(part.items())
    return total


# A block or an element, and where it stands.
Part = tuple[Mapping[str, Any], Place]

ANY_BLOCK = OneOf(*BLOCKS)
MAX_BLOCKS: Mapping[Surface, int] = {"message": 50, "modal": 100, "home": 100}

# What all blocks of a kind in a payload may hold together, and where they hold it. For data tables
# the newer page says 20 000.
_MAX_CHARS = {
    "markdown": (12_000, "text"),
    "table": (10_000, "rows"),
    "data_table": (10_000, "rows"),
}
# How many blocks of a kind a message may hold, and the code for one more.
_MAX_COUNT = {"table": (1, "only_one_table_allowed"), "data_visualization": (2, "too_many")}


def check_blocks(
    blocks: object, *, surface: Surface = "message", root: str = "/blocks"
) -> list[Problem]:
    """Return everything Slack would refuse in these blocks, in the order it was found.

    Any JSON value may be given. Pointers begin with `root`. What concerns a whole view, such as
    its submit button, is `check_view`'s.
    """
    place = Place(root, surface)
    BlockList().check(blocks, place)
    return place.problems


class BlockList:
    """The `blocks` of a message (may be empty) or of a view (may not)."""

    def check(self, value: object, place: Place) -> None:
        """See `Spec.check`."""
        most = MAX_BLOCKS[place.surface]
        least = 0 if place.surface == "message" else 1
        ListOf(item=ANY_BLOCK, least=least, most=most).check(value, place)
        if isinstance(value, list):
            found = list(every_block(value[:most], place))
            all_different(_ids(found, "block_id"), "block_id")
            for block, spot in found:
                all_different(_ids(every_element(block, spot), "action_id"), "action_id")
            _check_counts(found)
            _check_sizes(found)


def every_block(blocks: object, place: Place) -> Iterator[Part]:
    """Yield each block that is an object, also those inside containers and carousels."""
    for block, spot in _objects(blocks, place):
        yield block, spot
        kind = block.get("type")
        if kind == "container":
            yield from _objects(block.get("child_blocks"), spot / "child_blocks")
        elif kind == "carousel":
            yield from _objects(block.get("elements"), spot / "elements")


def every_element(block: Mapping[str, Any], place: Place) -> Iterator[Part]:
    """Yield each element that is an object and stands directly in this block."""
    for name in ("accessory", "element"):
        yield from _objects([block.get(name)], place, name)
    for name in ("elements", "actions"):
        yield from _objects(block.get(name), place / name)
    if block.get("type") == "data_table":
        yield from _cell_elements(block.get("rows"), place / "rows")


def _cell_elements(rows: object, place: Place) -> Iterator[Part]:
    for index, row in enumerate(rows if isinstance(rows, list) else ()):
        for column, cell in enumerate(row if isinstance(row, list) else ()):
            # Most cells are text: only for the others is a place made.
            if isinstance(cell, dict) and isinstance(element := cell.get("element"), dict):
                yield element, place / index / column / "element"


def _objects(values: object, place: Place, name: str | None = None) -> Iterator[Part]:
    if isinstance(values, list):
        for index, value in enumerate(values):
            if isinstance(value, dict):
                yield value, place / (index if name is None else name)


def _ids(found: Iterable[Part], name: str) -> Iterator[Any]:
    for value, place in found:
        if isinstance(value.get(name), str):
            yield value[name], place / name


def _check_counts(found: list[Part]) -> None:
    seen: Counter[str] = Counter()
    for block, place in found:
        kind = _kind(block)
        seen[kind] += 1
        if place.surface == "message" and kind in _MAX_COUNT:
            most, code = _MAX_COUNT[kind]
            if seen[kind] > most:
                place.refuse(code, f"no more than {most} `{kind}` blocks allowed in a message")


def _check_sizes(found: list[Part]) -> None:
    used: Counter[str] = Counter()
    for block, place in found:
        kind = _kind(block)
        if kind in _MAX_CHARS:
            most, name = _MAX_CHARS[kind]
            fitted_before = used[kind] <= most
            used[kind] += text_chars({name: block.get(name)})
            if fitted_before and used[kind] > most:
                spot = place / name
                spot.refuse("too_long", f"must be less than {most + 1} characters together")


def _kind(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""
