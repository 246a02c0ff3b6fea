import re
from datetime import timedelta
from typing import Any

import pytest

from bot.playground.tracker.samples import (
    HOSTILE_TEXTS,
    sample_scan,
)
from bot.playground.tracker.samples.facts import SAMPLE_DAY


def plain_scan(domain: str, **facts: Any) -> dict[str, Any]:
    return sample_scan(domain, quirk="none", **facts)


def test_the_sections_agree_with_each_other() -> None:
    scan = plain_scan("shop.example", health=41)
    texts = [record["value"] for record in scan["dns"]["records"] if record["type"] == "TXT"]

    assert scan["whois"]["name_servers"] == scan["dns"]["nameServers"]
    assert scan["security"]["spf"]["record"] in texts
    assert scan["ssl"]["daysRemaining"] == 13
    assert scan["security"]["issues"][0]["title"] == "The certificate expires in 13 days"


@pytest.mark.parametrize("health", [38, 40, 42])
@pytest.mark.parametrize("days", range(0, 60, 7))
def test_the_shop_of_northwind_has_three_grave_issues_on_any_day(health: int, days: int) -> None:
    today = SAMPLE_DAY + timedelta(days=days)
    issues = plain_scan("shop.northwind.example", today=today, health=health)["security"]["issues"]

    text = [(issue["severity"], re.sub(r"\d+ day", "N day", issue["title"])) for issue in issues]
    assert text[:3] == [
        ("critical", "Listed on a mail blacklist"),
        ("high", "The certificate expires in N days"),
        ("high", "The registration ends in N days"),
    ]


def test_registrars_write_dates_and_labels_in_their_own_ways() -> None:
    labels: set[str] = set()
    kinds: set[type] = set()
    for domain in (f"d{number}.example" for number in range(40)):
        whois = plain_scan(domain)["whois"]
        expiry = next(label for label in whois if label.lower().startswith("expiry"))
        labels.add(expiry)
        kinds.add(type(whois[expiry]))

    assert labels == {"expiryDate", "expiry_date", "Expiry Date"}
    assert kinds == {str, int}


def test_a_worse_score_means_more_findings() -> None:
    counts = [
        len(plain_scan("shop.example", health=health)["security"]["issues"])
        for health in (100, 70, 41, 0)
    ]

    assert counts[0] == 0
    assert counts == sorted(counts)
    assert counts[-1] > 8


@pytest.mark.parametrize("health", [None, "41", float("nan"), -1, 101, True])
def test_a_value_that_is_no_score_means_the_score_from_the_name(health: object) -> None:
    assert plain_scan("shop.example", health=health) == plain_scan("shop.example")


def test_a_section_can_be_missing() -> None:
    assert len(sample_scan("shop.example", quirk="missing")) == 3


def test_sections_and_values_can_be_null() -> None:
    scan = sample_scan("shop.example", quirk="nulls")

    assert list(scan.values()).count(None) == 1
    assert all(None in section.values() for section in scan.values() if section)


def test_hostile_text_stands_where_strangers_write() -> None:
    scan = sample_scan("shop.example", quirk="hostile")

    values = {record["value"] for record in scan["dns"]["records"]}
    assert set(HOSTILE_TEXTS) <= values
    assert "<!everyone>" in scan["whois"]["registrar"]
