"""The names of a bulk scan."""

from bot.listeners.bulk_scan import named
from bot.views.bulk_scan import MAX_UNKNOWN
from tests.builders import a_domain, a_snapshot


def test_only_names_that_are_shown_are_compared_with_the_portfolio() -> None:
    known = a_snapshot(a_domain("shop.example"))
    names = " ".join(f"shop{number}.example" for number in range(MAX_UNKNOWN + 5))

    found, unknown = named(known, f"shop.example, {names}")

    assert [each.domain for each in found] == ["shop.example"]
    assert [bool(near) for _name, near in unknown] == [True] * MAX_UNKNOWN + [False] * 5
