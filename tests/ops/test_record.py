"""What is recorded of answers holds names of fields and types, and nothing else."""

import json
from collections.abc import Iterator

from bot.ops.record import HIDDEN, TYPES, shape_of, texts_in
from tests.loops import loop_over
from tests.truth import Sample, samples


def words_in(shape: object) -> Iterator[str]:
    match shape:
        case str():
            yield shape
        case list():
            for each in shape:
                yield from words_in(each)
        case dict():
            for name, each in shape.items():
                yield name
                yield from words_in(each)


def numbers_in(value: object) -> Iterator[str]:
    match value:
        case bool() | None | str():
            return
        case dict():
            for child in value.values():
                yield from numbers_in(child)
        case list():
            for child in value:
                yield from numbers_in(child)
        case _:
            yield str(value)


def recorded(value: object) -> object:
    return shape_of(value, frozenset(texts_in(value)))


def test_an_answer_is_recorded_as_names_and_types() -> None:
    first = {"domain": "shop.example", "healthScore": 41, "tags": ["prod", "eu"], "folder": None}
    second = {**first, "domain": "www.example", "healthScore": 97, "tags": ["prod"]}

    assert recorded([first, second, {"domain": "new.example", "isNew": True}]) == [
        {"domain": "string", "healthScore": "integer", "tags": ["string"], "folder": "null"},
        {"domain": "string", "isNew": "boolean"},
    ]


def test_names_that_are_data_are_hidden() -> None:
    by_host = {"shop.example": {"ok": True}, "www.example": {"ok": False}, "203.0.113.7": 1.5}

    shape = recorded({"hosts": by_host, "tags": ["prod"], "counts": {"prod": 3}})

    assert shape == {
        "hosts": {HIDDEN: [{"ok": "boolean"}, "number"]},
        "tags": ["string"],
        "counts": {HIDDEN: ["integer"]},
    }


@loop_over("sample", samples(), ids=lambda sample: sample.name)
def test_no_value_of_an_answer_is_recorded(sample: Sample) -> None:
    words = set(words_in(recorded(sample.sections))) - {*TYPES.values(), HIDDEN}

    assert words.isdisjoint(texts_in(sample.sections))
    assert words.isdisjoint(numbers_in(sample.sections))
    written = json.dumps(recorded(sample.sections))
    assert not [text for text in texts_in(sample.sections) if "." in text and text in written]
