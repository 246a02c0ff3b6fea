import pytest

from bot.domains.lookup import (
    MAX_SUGGESTIONS,
    UnknownDomainError,
    host_of,
    index_by_host,
    nearest,
    suggestions,
)
from bot.tracker.hostnames import host_name
from tests.builders import a_domain, a_snapshot
from tests.loops import loop_over

SHOP = a_domain("Shop.Example.")
MUNICH = a_domain("xn--mnchen-3ya.example")
COLOGNE = a_domain("köln.example")
BLOG = a_domain("gardening.example")
DOMAINS = [SHOP, MUNICH, COLOGNE, BLOG]
INDEX = index_by_host(DOMAINS)


@loop_over(
    ("typed", "domain"),
    [
        ("shop.example", SHOP),
        ("<http://shop.example|shop.example>", SHOP),
        ("münchen.example", MUNICH),
        ("XN--MNCHEN-3YA.example", MUNICH),
        ("köln.example", COLOGNE),
        ("xn--kln-sna.example", COLOGNE),
    ],
)
def test_a_domain_is_found_however_it_is_written(typed: str, domain: object) -> None:
    assert a_snapshot(*DOMAINS).find(host_name(typed)) is domain


def test_no_match_names_what_comes_near_best_first() -> None:
    with pytest.raises(UnknownDomainError) as caught:
        a_snapshot(a_domain("shops.example"), SHOP, BLOG).find("shpo.example")

    assert caught.value.host == "shpo.example"
    assert caught.value.near == ["shop.example", "shops.example"]


def test_a_shared_ending_alone_is_not_near() -> None:
    assert nearest(INDEX, "something-else-entirely.example") == []
    assert nearest({}, "shop.example") == []


@loop_over("first_has_id", [True, False])
def test_of_two_entries_for_one_host_the_one_with_an_id_wins(first_has_id: bool) -> None:
    with_id, without = a_domain("shop.example", domain_id="d7"), a_domain("SHOP.example.")
    without = a_domain(without.domain, domain_id=None)
    both = [with_id, without] if first_has_id else [without, with_id]

    assert index_by_host(both) == {"shop.example": with_id}


@loop_over("name", ["localhost", "192.0.2.1", "*.Example", "<!channel>", "a b", "💩"])
def test_a_name_that_is_no_host_stays_as_the_service_wrote_it(name: str) -> None:
    assert host_of(a_domain(name)) == name.casefold()


@loop_over(
    ("typed", "hosts"),
    [
        ("g", ["gardening.example"]),
        (" SHOP ", ["shop.example"]),
        (
            "l",
            ["gardening.example", "xn--kln-sna.example", "xn--mnchen-3ya.example", "shop.example"],
        ),
        ("mün", ["xn--mnchen-3ya.example"]),
        ("KÖL", ["xn--kln-sna.example"]),
        ("shpo.example", ["shop.example"]),
        ("nothing like it", []),
    ],
)
def test_a_half_typed_name_offers_what_it_may_become(typed: str, hosts: list[str]) -> None:
    assert sorted(suggestions(INDEX, typed)) == sorted(hosts)


@loop_over("typed", ["", "example"])
def test_a_menu_takes_no_more_than_a_hundred(typed: str) -> None:
    index = index_by_host(a_domain(f"d{number}.example") for number in range(10_000))

    assert len(suggestions(index, typed)) == MAX_SUGGESTIONS
