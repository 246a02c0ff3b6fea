import re
from datetime import timedelta
from typing import Any

import pytest

from bot.playground.sandbox import PORTFOLIOS
from bot.playground.tracker.samples.dialects import (
    CHECKLIST,
    HOSTILE_TEXTS,
    MIXED,
    OWN,
    QUIRKS,
    SCANNER,
    dialect_of,
    sample_scan,
)
from bot.playground.tracker.samples.facts import DATA, SAMPLE_DAY, Facts, sample_portfolio

SHOP = Facts("shop.northwind.example", SAMPLE_DAY, 38)


def plain_scan(facts: Facts, dialect: str = OWN) -> dict[str, Any]:
    return sample_scan(facts, dialect, "none")


@pytest.mark.parametrize("health", [38, 40, 42])
@pytest.mark.parametrize("days", range(0, 60, 7))
def test_the_shop_of_northwind_has_three_grave_issues_on_any_day(health: int, days: int) -> None:
    facts = Facts(SHOP.domain, SAMPLE_DAY + timedelta(days=days), health)
    issues = plain_scan(facts)["security"]["issues"]

    text = [(issue["severity"], re.sub(r"\d+ day", "N day", issue["title"])) for issue in issues]
    assert text[:3] == [
        ("critical", "Listed on a mail blacklist"),
        ("high", "The certificate expires in N days"),
        ("high", "The registration ends in N days"),
    ]


def test_hostile_text_stands_where_strangers_write() -> None:
    scan = sample_scan(SHOP, OWN, "hostile")

    values = {record["value"] for record in scan["dns"]["records"]}
    assert set(HOSTILE_TEXTS) <= values
    assert "<!everyone>" in scan["whois"]["registrar"]


def test_each_dialect_tells_the_same_ends_and_problems() -> None:
    own, ticked, found = (plain_scan(SHOP, each) for each in (OWN, CHECKLIST, SCANNER))

    events = {each["eventAction"]: each["eventDate"][:10] for each in found["whois"]["events"]}
    assert ticked["whois"]["renewalDate"] == events["expiration"] == "2026-03-14"
    in_use = found["ssl"]["certificates"][0]["validity"]
    assert ticked["ssl"]["daysRemaining"] == own["ssl"]["daysRemaining"] == 3
    assert in_use["not_after"].startswith("2026-03-12")
    assert ticked["security"]["blacklisted"] is True
    titles = [each["title"] for each in own["security"]["issues"]]
    assert [each["title"] for each in found["security"]["findings"]] == titles


def test_a_mixed_portfolio_speaks_all_dialects_and_shows_everything_odd() -> None:
    rows = {row[0]: tuple(row[-2:]) for row in DATA["northwind"]}

    assert len(rows) == PORTFOLIOS["northwind"]
    assert {dialect for dialect, _quirk in rows.values()} == {OWN, CHECKLIST, SCANNER}
    assert {quirk for dialect, quirk in rows.values() if dialect == SCANNER} == {
        "none",
        *QUIRKS[SCANNER],
    }
    for domain, (dialect, quirk) in rows.items():
        facts = Facts(domain, SAMPLE_DAY, 80)
        assert sample_scan(facts, MIXED) == sample_scan(facts, dialect, quirk)
    others = [dialect_of(each["domain"]) for each in sample_portfolio(150)]
    assert min(others.count(each) for each in (OWN, CHECKLIST, SCANNER)) > 30
