"""Scans in the dialects of several tools: what is known is named, nothing else is called well."""

import pytest

from bot.playground.tracker.samples.dialects import CHECKLIST, MIXED, OWN, SCANNER
from bot.playground.tracker.samples.facts import DATA
from tests.loops import loop_over
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")

ALL_IS_WELL = ("No issues", "✅")
# The same three problems on any day.
SHOP = {
    OWN: ("Critical: Listed on a mail blacklist", "Certificate expires", "Registration expires"),
    CHECKLIST: ("Security › Blacklisted: yes", "Certificate expires", "Registration expires"),
    SCANNER: ("Critical: Listed on a mail blacklist", "Certificate expires", "Registration exp"),
}
ODD = {
    "checkout.northwind.example": ("WHOIS could not be checked (Too Many", "Registration: no end"),
    "münchen.northwind.example": ("DNS could not be checked (The DNS operation timed out after",),
    "summer-sale.example": ("SSL could not be checked", "Certificate: no end date"),
    "status.northwind.example": ("can't tell from this scan whether there are issues",),
    "jobs.northwind.example": ("Issues are unknown: Security could not be checked",),
}


@pytest.fixture
async def northwind(app: Harness) -> Harness:
    """A workspace with the playground's smallest portfolio."""
    app.account.dialect = MIXED
    for domain, health, *_ in DATA["northwind"]:
        app.account.add(domain, health=health)
    await app.connect()
    return app


async def first_screen(app: Harness, domain: str) -> str:
    """Scan a domain; return what is read before a section is opened."""
    answer = await app.ask(app.bob, f"/scan {domain}")
    return answer.everything.partition("\nWHOIS\n")[0]


@loop_over(("dialect", "said"), SHOP.items())
async def test_the_problems_of_a_domain_are_named_in_each_dialect(
    northwind: Harness, dialect: str, said: tuple[str, ...]
) -> None:
    northwind.account.dialect = dialect

    screen = await first_screen(northwind, "shop.northwind.example")

    assert [each for each in said if each not in screen] == []
    assert not any(each in screen for each in ALL_IS_WELL)


@loop_over(("domain", "said"), ODD.items())
async def test_an_unread_part_is_not_called_well(
    northwind: Harness, domain: str, said: tuple[str, ...]
) -> None:
    screen = await first_screen(northwind, domain)

    assert [each for each in said if each not in screen] == []
    assert not any(each in screen for each in ALL_IS_WELL)


async def test_an_unread_value_leaves_an_empty_list_open(northwind: Harness) -> None:
    northwind.account.dialect = SCANNER
    screens = {
        record.domain: await first_screen(northwind, record.domain)
        for record in northwind.account.domains.values()
    }

    assert not [name for name, screen in screens.items() if "No issues reported" in screen]


async def test_an_unread_checklist_is_not_called_well(northwind: Harness) -> None:
    northwind.account.dialect = CHECKLIST

    screen = await first_screen(northwind, "northwind.example")

    assert not any(each in screen for each in ALL_IS_WELL)


async def test_other_name_servers_and_another_registrar_are_changes(northwind: Harness) -> None:
    record = next(
        each for each in northwind.account.domains.values() if each.domain == "www.example.com"
    )
    await first_screen(northwind, record.domain)

    record.dns_moves += 1
    record.registrar_moves += 1
    screen = await first_screen(northwind, record.domain)

    assert "registrar Kitefin Registrar K.K. → Quayside Registry AB" in screen
    assert "🚨 name servers ns1.polarns.example" in screen
    assert "→ ns1.harbordns.example, ns2.harbordns.example" in screen
