import re
from datetime import timedelta
from typing import Any

import pytest

from bot.playground.tracker.samples.dialects import HOSTILE_TEXTS, sample_scan
from bot.playground.tracker.samples.facts import SAMPLE_DAY


def plain_scan(domain: str, **facts: Any) -> dict[str, Any]:
    return sample_scan(domain, quirk="none", **facts)


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


def test_hostile_text_stands_where_strangers_write() -> None:
    scan = sample_scan("shop.example", quirk="hostile")

    values = {record["value"] for record in scan["dns"]["records"]}
    assert set(HOSTILE_TEXTS) <= values
    assert "<!everyone>" in scan["whois"]["registrar"]
