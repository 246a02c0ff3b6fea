"""Many small cases in one test: all are tried, and a failure names each that failed.

A parametrised test is collected, set up and reported once for each case, in every process that
runs tests: more work than such a case itself. `@loop_over` takes what `@pytest.mark.parametrize`
takes. Its cases share the test's fixtures, so it is for tests of pure things; what needs a fresh
world for each case stays parametrised.
"""

import functools
import inspect
import reprlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

Test = Callable[..., Any]
Case = tuple[str, Mapping[str, Any]]


def loop_over(
    names: str | Sequence[str],
    values: Iterable[Any],
    *,
    ids: Iterable[str] | Callable[[Any], str] | None = None,
) -> Callable[[Test], Test]:
    """Return a decorator that calls a test once for each of `values`; see `parametrize`."""
    fields = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(_cases(fields, list(values), ids))
    assert cases, "a loop over nothing would never fail"

    def decorate(test: Test) -> Test:
        make = _async_loop if inspect.iscoroutinefunction(test) else _loop
        loop = functools.update_wrapper(make(test, cases), test)
        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in fields]
        assert len(fixtures) == len(signature.parameters) - len(fields), f"it takes {fields}"
        loop.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]  # of inspect
        return loop

    return decorate


def _loop(test: Test, cases: Sequence[Case]) -> Test:
    def loop(**fixtures: Any) -> None:
        failed: list[BaseException] = []
        for name, arguments in cases:
            with _gathered(name, failed):
                test(**fixtures, **arguments)
        _tell(failed, len(cases))

    return loop


def _async_loop(test: Callable[..., Awaitable[None]], cases: Sequence[Case]) -> Test:
    async def loop(**fixtures: Any) -> None:
        failed: list[BaseException] = []
        for name, arguments in cases:
            with _gathered(name, failed):
                await test(**fixtures, **arguments)
        _tell(failed, len(cases))

    return loop


@contextmanager
def _gathered(name: str, failed: list[BaseException]) -> Iterator[None]:
    try:
        yield
    # pytest's own kind is what `pytest.raises` and `pytest.fail` fail with, and no `Exception`.
    except (Exception, pytest.fail.Exception, BaseExceptionGroup) as error:  # noqa: BLE001  # told below
        error.add_note(f"in the case: {name}")
        failed.append(error)


def _tell(failed: Sequence[BaseException], count: int) -> None:
    if failed:
        names = ", ".join(error.__notes__[-1].removeprefix("in the case: ") for error in failed)
        raise BaseExceptionGroup(f"{len(failed)} of {count} cases failed: {names}", failed)


def _cases(
    fields: Sequence[str],
    values: Sequence[Any],
    ids: Iterable[str] | Callable[[Any], str] | None,
) -> Iterator[Case]:
    names: Sequence[Any] = [None] * len(values) if ids is None or callable(ids) else list(ids)
    for value, name in zip(values, names, strict=True):
        param = value if isinstance(value, _Param) else pytest.param(*_parts(fields, value))
        said = (
            param.id or name or "-".join(map(ids if callable(ids) else reprlib.repr, param.values))
        )
        yield str(said), dict(zip(fields, param.values, strict=True))


def _parts(fields: Sequence[str], value: Any) -> Sequence[Any]:
    return value if len(fields) > 1 else [value]


_Param = type(pytest.param())
