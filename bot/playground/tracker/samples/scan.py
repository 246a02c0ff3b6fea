"""The answer of a full scan, its inner structure invented: the service document shows none."""

from datetime import date
from typing import Any

from bot.playground.tracker.samples.dns import dns_section
from bot.playground.tracker.samples.facts import SAMPLE_DAY, Facts, is_score, sample_health
from bot.playground.tracker.samples.quirks import quirk_of, with_quirk
from bot.playground.tracker.samples.security import security_section
from bot.playground.tracker.samples.tls import ssl_section
from bot.playground.tracker.samples.whois import whois_section


def sample_scan(
    domain: str,
    *,
    today: date = SAMPLE_DAY,
    health: object = None,
    quirk: str | None = None,
) -> dict[str, Any]:
    """Return whois, dns, ssl and security of an invented domain, the same in every run.

    The findings fit the `health` score; a value that is no score means the one made from the
    name. `quirk` is "none" or one of `quirks.QUIRKS`; None lets the name decide.

    Raises:
        ValueError: an unknown quirk.
    """
    score = health if is_score(health) else sample_health(domain)
    facts = Facts(domain, today, score)
    scan: dict[str, Any] = {
        "whois": whois_section(facts),
        "dns": dns_section(facts),
        "ssl": ssl_section(facts),
        "security": security_section(facts),
    }
    return with_quirk(domain, scan, quirk_of(domain) if quirk is None else quirk)
