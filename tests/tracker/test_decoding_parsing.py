import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tracker.decoding import MAX_DEPTH, NotJsonError, parse_json
from tests.loops import loop_over


@loop_over(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'[{"domain": "a.ex', id="truncated"),
        pytest.param(b"<html>", id="html"),
        pytest.param(b"[1] [2]", id="two"),
        pytest.param(b"[NaN]", id="no-number"),
        pytest.param(b"[1e999]", id="beyond-floats"),
        pytest.param(b"[" + b"9" * 5000 + b"]", id="beyond-ints"),
        pytest.param(rb'["a\ud800b"]', id="half-a-pair"),
        pytest.param(b'["\xff"]', id="not-utf-8"),
        pytest.param(b"[" * 100_000, id="open-and-deep"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="deep"),
        pytest.param(b'{"a":' * 5_000 + b"NaN" + b"}" * 5_000, id="deep-and-odd"),
        pytest.param(b"[" * 201 + b"]" * 201, id="just-too-deep"),
    ],
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(NotJsonError) as caught:
        parse_json(body)

    assert caught.value.__context__ is None, "it would hold the body"


def test_the_deepest_allowed_value_and_a_wide_one_are_read() -> None:
    parse_json(b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH)

    assert parse_json(b"[" + b"[]," * MAX_DEPTH + b"{}]") == [[]] * MAX_DEPTH + [{}]


@settings(deadline=None)
@given(st.binary())
def test_any_bytes_are_a_value_or_refused(body: bytes) -> None:
    try:
        parse_json(body)
    except NotJsonError:
        return
