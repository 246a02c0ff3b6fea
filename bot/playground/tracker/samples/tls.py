"""The certificate that a domain shows, and the protocols that its server speaks."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from bot.playground.tracker.samples import dates
from bot.playground.tracker.samples.facts import Facts

POOR_SCORE = 50  # below it something is always amiss with the certificate


@dataclass(frozen=True)
class Issuer:
    """A certificate authority: how long its certificates live and how its dates are written."""

    organization: str
    intermediate: str
    root: str
    home: str
    lifetime_days: int
    renewed_every_days: int
    write: dates.Writer


ISSUERS = (
    Issuer("Lantern CA", "Lantern E5", "Lantern Root X1", "lantern.example", 90, 60, dates.iso),
    Issuer("Lantern CA", "Lantern R11", "Lantern Root X1", "lantern.example", 90, 60, dates.iso),
    Issuer(
        "Granite Trust Inc", "Granite TLS RSA 2025", "Granite Root G3",
        "granitetrust.example", 199, 170, dates.openssl,
    ),
    Issuer(
        "Fjord Certificates AS", "Fjord DV G2", "Fjord Global Root",
        "fjordcert.example", 199, 160, dates.epoch_ms,
    ),
)  # fmt: skip


def issuer(facts: Facts) -> Issuer:
    """Return the authority of the domain's certificate."""
    return facts.stream("issuer").choice(ISSUERS)


def certificate_ends(facts: Facts) -> date:
    """Return the last day of the certificate; past for a bad score, near for a middling one."""
    if facts.fails("certificate expired", rarity=2.5):
        return facts.in_days(-1 - facts.days_since("expired", every_days=20))
    if facts.score < POOR_SCORE or facts.fails("certificate renewal", rarity=1.5):
        return facts.in_days(14 - facts.days_since("renewal", every_days=12))
    authority = issuer(facts)
    age_days = facts.days_since("certificate", authority.renewed_every_days)
    return facts.in_days(authority.lifetime_days - age_days)


def speaks_old_tls(facts: Facts) -> bool:
    """Say whether the server still accepts TLS 1.0 and 1.1."""
    return facts.fails("old tls", rarity=1.2)


def ssl_section(facts: Facts) -> dict[str, Any]:
    """Return the certificate, its chain and the protocols."""
    authority, ends = issuer(facts), certificate_ends(facts)
    starts = ends - timedelta(days=authority.lifetime_days)
    pick = facts.stream(f"serial {ends}")
    old = speaks_old_tls(facts)
    return {
        "subject": {"commonName": facts.domain},
        "issuer": {"commonName": authority.intermediate, "organization": authority.organization},
        "subjectAltNames": [facts.domain, f"www.{facts.domain}"],
        "notBefore": authority.write(dates.moment_on(starts)),
        "notAfter": authority.write(dates.moment_on(ends)),
        "daysRemaining": (ends - facts.today).days,
        "valid": ends >= facts.today,
        "serialNumber": f"{pick.getrandbits(128):032X}",
        "fingerprintSha256": f"{pick.getrandbits(256):064x}",
        "key": facts.stream("key").choice(
            ({"type": "EC", "bits": 256}, {"type": "RSA", "bits": 2048})
        ),
        "chain": [
            {"commonName": facts.domain, "issuedBy": authority.intermediate},
            {"commonName": authority.intermediate, "issuedBy": authority.root},
            {"commonName": authority.root, "issuedBy": authority.root},
        ],
        "protocols": {"TLS 1.3": True, "TLS 1.2": True, "TLS 1.1": old, "TLS 1.0": old},
        "grade": _grade(facts),
    }


def _grade(facts: Facts) -> str:
    if certificate_ends(facts) < facts.today:
        return "T"
    if speaks_old_tls(facts):
        return "B"
    return "A+" if facts.score >= 90 else "A"
