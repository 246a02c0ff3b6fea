"""The tables are documentation: each names its page, and they say what they were told to say."""

from collections.abc import Iterator

from bot.playground.blockkit.payload import ANY_BLOCK
from bot.playground.blockkit.schema import ListOf, Nullable, OneOf, Shape, Spec
from bot.playground.blockkit.surfaces import HOME, MODAL


def shapes_in(spec: Spec, seen: set[int]) -> Iterator[Shape]:
    """Yield every shape that can be reached from `spec`, once."""
    if id(spec) in seen:
        return
    seen.add(id(spec))
    parts: list[Spec] = []
    if isinstance(spec, Shape):
        yield spec
        parts = [*spec.required.values(), *spec.optional.values()]
    elif isinstance(spec, OneOf):
        parts = [*spec.shapes.values()]
    elif isinstance(spec, ListOf):
        parts = [spec.item]
    elif isinstance(spec, Nullable):
        parts = [spec.spec]
    for part in parts:
        yield from shapes_in(part, seen)


SEEN: set[int] = set()
SHAPES = [*shapes_in(OneOf(MODAL, HOME), SEEN), *shapes_in(ANY_BLOCK, SEEN)]


def test_a_table_names_the_page_it_was_written_from() -> None:
    for shape in SHAPES:
        assert shape.docs.startswith("https://docs.slack.dev/reference/"), shape.kind or shape.docs


def test_no_field_is_both_required_and_optional() -> None:
    for shape in SHAPES:
        assert not set(shape.required) & set(shape.optional), shape.kind or shape.docs


def test_every_block_may_have_an_id() -> None:
    for shape in ANY_BLOCK.shapes.values():
        assert "block_id" in shape.optional, shape.kind
