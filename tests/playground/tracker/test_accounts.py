"""Accounts, their domains, and the names that these may have."""

import pytest

from bot.playground.tracker import Account
from bot.playground.tracker.accounts import DuplicateDomainError, canonical_name
from tests.playground.tracker.conftest import Clock


@pytest.fixture
def acme(clock: Clock) -> Account:
    return Account("acme", clock)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("shop.example", "SHOP.example", id="case"),
        pytest.param("münchen.example", "xn--mnchen-3ya.example", id="punycode"),
        pytest.param("<!channel>", "<!channel>", id="no-domain-name"),
    ],
)
def test_two_spellings_of_one_name_are_a_duplicate(acme: Account, first: str, second: str) -> None:
    acme.add(first)

    with pytest.raises(DuplicateDomainError):
        acme.add(second)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "localhost", "shop.example.", ".example", "shop..example", "-a.example",
        "a-.example", "192.0.2.1", "[2001:db8::1]", "https://shop.example", "shop.example/",
        "shop.example:443", "a b.example", "a_b.example", "shop.example\n", "🙂.example",
        "a" * 64 + ".example", "ü" * 64 + ".example", "a." * 125 + "test", "\u202eshop.example",
    ],
)  # fmt: skip
def test_anything_else_is_no_domain_name(text: str) -> None:
    with pytest.raises(ValueError, match="not a domain name"):
        canonical_name(text)
