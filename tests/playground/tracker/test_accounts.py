"""Accounts, their domains, and the names that these may have."""

import pytest

from bot.playground.tracker import NO_SCORE, Account
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


def test_a_scan_moves_the_score_a_little_and_always_the_same_way(
    acme: Account, clock: Clock
) -> None:
    twin = Account("acme", clock)
    scores = []
    for account in (acme, twin):
        record = account.add("shop.example", health=41)
        account.scan(record)
        scores.append(record.health)

    assert scores[0] == scores[1] != 41
    assert scores[0] in range(38, 45)


def test_a_domain_without_a_score_gets_one_by_its_first_scan(acme: Account) -> None:
    record = acme.add("shop.example", health=NO_SCORE)

    acme.scan(record)

    assert isinstance(record.health, int)


@pytest.mark.parametrize("health", ["41", -1, 101, True, {"score": 4}])
def test_a_score_that_is_none_is_left_alone_by_a_scan(acme: Account, health: object) -> None:
    record = acme.add("shop.example", health=health)

    acme.scan(record)

    assert record.health == health


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("shop.example", "shop.example", id="plain"),
        pytest.param("SHOP.Example", "shop.example", id="case"),
        pytest.param("münchen.example", "xn--mnchen-3ya.example", id="international"),
        pytest.param("r3---sn.example", "r3---sn.example", id="hyphens-inside"),
        pytest.param("1.example", "1.example", id="digits"),
        pytest.param("a." * 124 + "test", "a." * 124 + "test", id="252-characters"),
        pytest.param("a" * 63 + ".example", "a" * 63 + ".example", id="63-in-a-label"),
    ],
)
def test_a_domain_name_has_one_canonical_form(text: str, name: str) -> None:
    assert canonical_name(text) == name


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
