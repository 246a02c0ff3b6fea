"""What moves house is told apart and counted."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.ops.move import MoveManifest, compared, kind_of, moves
from bot.store.documents import Document

DUE = datetime(2030, 3, 1, 9, 0, tzinfo=UTC)
DIGEST = Document("-.T1/digest/d1", {"text": "é \0 \ud800", "n": [1, None]}, 7, DUE)


def cargo_of(*documents: Document) -> MoveManifest:
    cargo = MoveManifest()
    cargo.add(documents)
    return cargo


@pytest.mark.parametrize(
    "key",
    [
        "meta/check",
        "meta/process/0a1b",
        "meta/traces",
        "meta/traces/wiping",
        "meta/move",
        "-.T1/pending/0a1b-1",
    ],
)
def test_what_belongs_to_a_process_or_a_place_stays(key: str) -> None:
    assert not moves(key)


@pytest.mark.parametrize(
    "key",
    [
        *("meta/key-check", "-.T1/key", "E1.T1/digest/d1", "-.T1/kept/U1/a", "E1.*/installation"),
        "-.T1/pendings",
        "meta/whatever-comes-later",
    ],
)
def test_all_else_comes_along(key: str) -> None:
    assert moves(key)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(DIGEST, key="-.T1/digest/d2"), id="key"),
        pytest.param(replace(DIGEST, rev=8), id="revision"),
        pytest.param(replace(DIGEST, due_at=None), id="never due"),
        pytest.param(replace(DIGEST, due_at=DUE + timedelta(microseconds=1)), id="due later"),
        pytest.param(replace(DIGEST, value={**DIGEST.value, "n": [1, 0]}), id="value"),
    ],
)
def test_any_difference_changes_the_fingerprint(other: Document) -> None:
    assert cargo_of(DIGEST).fingerprint == cargo_of(replace(DIGEST)).fingerprint
    assert cargo_of(DIGEST).fingerprint != cargo_of(other).fingerprint


def test_pages_make_no_difference() -> None:
    other, cargo = replace(DIGEST, key="-.T2/key"), MoveManifest()
    cargo.add([DIGEST])
    cargo.add([other])

    assert cargo.fingerprint == cargo_of(DIGEST, other).fingerprint


def test_both_sides_are_shown_kind_by_kind() -> None:
    here = cargo_of(
        DIGEST, replace(DIGEST, key="E1.T1/digest/d1"), replace(DIGEST, key="-.T1/key")
    )
    there = cargo_of(DIGEST, replace(DIGEST, key="meta/key-check"))

    lines = list(compared(here, there))
    assert len({len(line) for line in lines}) == 1
    assert [line.split() for line in lines] == [
        ["here", "there"],
        ["documents", "3", "2"],
        ["digest", "2", "1"],
        ["key", "1", "0"],
        ["meta", "0", "1"],
    ]


@pytest.mark.parametrize("key", ["nowhere", "nowhere/key", "-.T1"])
def test_a_key_of_no_kind_is_told_as_such(key: str) -> None:
    assert kind_of(key) == "unknown"
