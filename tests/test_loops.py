import pytest

from tests.loops import loop_over


@loop_over("number", [1, 2, pytest.param(3, id="three")])
def small(number: int) -> None:
    assert number < 2


@loop_over(("number", "word"), [(1, "one"), (2, "two")], ids=["first", "second"])
@loop_over("is_it", [True, False])
async def awaited(number: int, word: str, is_it: bool) -> None:
    if is_it and number == 2:
        pytest.fail(f"it is {word}")


def test_every_case_is_tried_and_each_that_failed_is_named() -> None:
    with pytest.raises(ExceptionGroup) as failure:
        small()

    assert failure.value.message == "2 of 3 cases failed: 2, three"
    assert [error.__notes__ for error in failure.value.exceptions] == [
        ["in the case: 2"],
        ["in the case: three"],
    ]


async def test_loops_within_loops_are_awaited_and_named() -> None:
    with pytest.raises(BaseExceptionGroup) as failure:
        await awaited()

    assert failure.value.message == "1 of 2 cases failed: second"
    [inner] = failure.value.exceptions
    assert str(inner) == "1 of 2 cases failed: True (1 sub-exception)"


@loop_over("text", ["a", "b"], ids=str.upper)
def test_fixtures_are_as_ever(request: pytest.FixtureRequest, text: str) -> None:
    assert request.node.name == "test_fixtures_are_as_ever"
    assert text in {"a", "b"}


def test_a_loop_over_nothing_or_with_another_name_is_refused() -> None:
    with pytest.raises(AssertionError, match="over nothing"):
        loop_over("text", [])
    with pytest.raises(AssertionError, match="it takes"):
        loop_over("words", ["a"])(lambda text: None)
