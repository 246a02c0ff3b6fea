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
