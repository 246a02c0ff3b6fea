"""Accounts, their domains, and the names that these may have.

Keys as the API Keys page makes them: service document, sections 2.1, 3 and 5.
"""

import re
from typing import Any

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


def test_a_key_is_52_characters_and_starts_with_the_prefix(acme: Account) -> None:
    value = acme.create_key("bot")

    assert re.fullmatch(r"service_sk_[A-Za-z0-9_-]{41}", value)
    assert len(value) == 52


def test_of_a_value_only_the_last_four_characters_can_be_read_again(acme: Account) -> None:
    value = acme.create_key("bot")

    [record] = acme.keys
    assert record.last4 == value[-4:]
    assert value not in repr(vars(record))
    assert value[11:-4] not in repr(vars(acme))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"name": "  "}, id="blank-name"),
        pytest.param({"scopes": ()}, id="no-scope"),
        pytest.param({"scopes": ("read_domain",)}, id="unknown-scope"),
        pytest.param({"days": 31}, id="other-days"),
        pytest.param({"ips": ("office",)}, id="no-address"),
    ],
)
def test_a_form_with_a_mistake_makes_no_key(acme: Account, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the type is the contract, the words are not
        acme.create_key(**{"name": "bot"} | wrong)

    assert acme.keys == []


@pytest.mark.parametrize(
    ("ips", "address", "is_allowed"),
    [
        pytest.param((), "198.51.100.1", True, id="no-restriction"),
        pytest.param(("203.0.113.7",), "203.0.113.7", True, id="the-address"),
        pytest.param(("203.0.113.7",), "203.0.113.8", False, id="another-address"),
        pytest.param(("192.0.2.1", "203.0.113.0/28"), "203.0.113.9", True, id="in-a-network"),
        pytest.param(("2001:db8::/32",), "2001:db8::5", True, id="ipv6-network"),
        pytest.param(("2001:db8::1",), "203.0.113.7", False, id="other-family"),
    ],
)
def test_addresses_are_compared(
    acme: Account, ips: tuple[str, ...], address: str, is_allowed: bool
) -> None:
    acme.create_key("bot", ips=ips)

    assert acme.keys[0].ips == ips
    assert acme.keys[0].allows_address(address) is is_allowed
