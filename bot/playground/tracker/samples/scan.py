"""The sections of a full scan in the playground's own dialect, and the facts behind them."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from bot.playground.tracker.samples.facts import (
    DATA,
    Facts,
    dmarc_policy,
    dmarc_record,
    mail_provider,
    moved,
    receives_mail,
    spf_record,
)

# The ways in which registrars and certificate tools write a moment.
_WRITERS: dict[str, Callable[[datetime], object]] = {
    "iso": lambda moment: moment.isoformat().replace("+00:00", "Z"),
    "plain_day": lambda moment: moment.date().isoformat(),
    "british": lambda moment: f"{moment:%d-%b-%Y}",
    "slashes": lambda moment: f"{moment:%Y/%m/%d}",
    "openssl": lambda moment: f"{moment:%b} {moment.day:2d} {moment:%H:%M:%S %Y} GMT",
    "epoch_s": lambda moment: int(moment.timestamp()),
    "epoch_ms": lambda moment: int(moment.timestamp()) * 1000,
}


def moment_on(day: date) -> datetime:
    """Return a believable moment of a day, in UTC."""
    return datetime.combine(day, time(day.day % 24, day.month * 4, day.day), UTC)


DNS_PROVIDERS = ("harbordns", "anycastia", "quaydns", "polarns")
STATUSES = ("clientTransferProhibited", "clientUpdateProhibited", "clientDeleteProhibited")
RENEWAL_LEAD_DAYS = 30


def registration(facts: Facts) -> tuple[date, date, date]:
    """Return when the domain was created, last updated, and when its registration ends."""
    pick = facts.stream("created")
    created = date(pick.randint(1998, 2023), pick.randint(1, 12), pick.randint(1, 28))
    expires = created.replace(year=facts.today.year)
    while expires <= facts.in_days(RENEWAL_LEAD_DAYS):
        expires = expires.replace(year=expires.year + 1)
    if facts.fails("registration", rarity=1.5):
        expires = facts.in_days(26 - facts.days_since("registration", every_days=25))
    updated = expires - timedelta(days=366 + RENEWAL_LEAD_DAYS)  # renewed ahead of its last end
    return created, max(created, updated), expires


def whois_section(facts: Facts) -> dict[str, Any]:
    """Return the WHOIS record; its dates are written as the domain's registrar writes them."""
    who = registrar(facts)
    write = _WRITERS[who["write"]]
    created, updated, expires = map(moment_on, registration(facts))
    return {
        "domainName": facts.domain,
        "registrar": who["name"],
        "createdDate": write(created),
        "updatedDate": write(updated),
        "expiryDate": write(expires),
        "nameServers": name_servers(facts),
        "status": _statuses(facts),
        "dnssec": "unsigned" if facts.fails("dnssec", rarity=0.5) else "signedDelegation",
    }


def registrar(facts: Facts) -> dict[str, Any]:
    return moved(facts, "registrar", DATA["registrars"], facts.registrar_moves)


def name_servers(facts: Facts) -> list[str]:
    provider = moved(facts, "dns", DNS_PROVIDERS, facts.dns_moves)
    return [f"ns{number}.{provider}.example" for number in (1, 2)]


def _statuses(facts: Facts) -> list[str]:
    if facts.fails("transfer lock"):
        return ["ok https://icann.org/epp#ok"]
    count = facts.stream("status").randint(1, len(STATUSES))
    return [f"{status} https://icann.org/epp#{status}" for status in STATUSES[:count]]


POOR_SCORE = 50  # below it something is always amiss with the certificate


def issuer(facts: Facts) -> dict[str, Any]:
    return facts.stream("issuer").choice(DATA["issuers"])


def certificate_ends(facts: Facts) -> date:
    """Return the last day of the certificate; past for a bad score, near for a middling one."""
    if facts.fails("certificate expired", rarity=2.5):
        return facts.in_days(-1 - facts.days_since("expired", every_days=20))
    if facts.score < POOR_SCORE or facts.fails("certificate renewal", rarity=1.5):
        return facts.in_days(14 - facts.days_since("renewal", every_days=12))
    authority = issuer(facts)
    age_days = facts.days_since("certificate", authority["renewed_every_days"])
    return facts.in_days(authority["lifetime_days"] - age_days)


def ssl_section(facts: Facts) -> dict[str, Any]:
    authority, ends = issuer(facts), certificate_ends(facts)
    starts = ends - timedelta(days=authority["lifetime_days"])
    old = facts.fails("old tls", rarity=1.2)
    return {
        "subject": {"commonName": facts.domain},
        "issuer": {"commonName": authority["name"], "organization": authority["organization"]},
        "notBefore": _WRITERS[authority["write"]](moment_on(starts)),
        "notAfter": _WRITERS[authority["write"]](moment_on(ends)),
        "daysRemaining": (ends - facts.today).days,
        "valid": ends >= facts.today,
        "serialNumber": f"{facts.stream(f'serial {ends}').getrandbits(128):032X}",
        "protocols": {"TLS 1.3": True, "TLS 1.2": True, "TLS 1.1": old, "TLS 1.0": old},
    }


# RFC 5737 and RFC 3849.
IPV4_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")

Record = dict[str, object]


def dns_section(facts: Facts) -> dict[str, Any]:
    """Return every record found, and how long the name server took."""
    return {
        "nameServers": name_servers(facts),
        "records": [*_addresses(facts), *_mail_servers(facts), *_texts(facts), *_authority(facts)],
        "dnssec": not facts.fails("dnssec", rarity=0.5),
        "responseTimeMs": facts.stream("latency").randint(8, 90),
    }


def _record(facts: Facts, kind: str, value: str, name: str = "", **more: object) -> Record:
    full = f"{name}.{facts.domain}" if name else facts.domain
    return {"type": kind, "name": full, "value": value, "ttl": 3600, **more}


def _addresses(facts: Facts) -> list[Record]:
    pick = facts.stream("addresses")
    network, host, count = pick.choice(IPV4_NETWORKS), pick.randint(4, 240), pick.randint(1, 2)
    records = [_record(facts, "A", f"{network}.{host + step}") for step in range(count)]
    if pick.random() < 0.6:
        records.append(_record(facts, "AAAA", f"2001:db8:{pick.randint(1, 0xFFFF):x}::{host:x}"))
    return [*records, _record(facts, "CNAME", facts.domain, name="www")]


def _mail_servers(facts: Facts) -> list[Record]:
    if not receives_mail(facts):
        return []
    host = f"{mail_provider(facts)}.example"
    return [
        _record(facts, "MX", f"mx{step}.{host}", priority=step * 10)
        for step in range(1, facts.stream("mx").randint(1, 2) + 1)
    ]


def _texts(facts: Facts) -> list[Record]:
    token = f"{facts.stream('token').getrandbits(96):024x}"
    spf, dmarc = spf_record(facts), dmarc_record(facts)
    return [
        *([_record(facts, "TXT", spf)] if spf else []),
        _record(facts, "TXT", f"site-verification={token}"),
        *([_record(facts, "TXT", dmarc, name="_dmarc")] if dmarc else []),
    ]


def _authority(facts: Facts) -> list[Record]:
    first, *_others = servers = name_servers(facts)
    serial = f"{facts.in_days(-facts.days_since('zone', every_days=45)):%Y%m%d}01"
    soa = f"{first} hostmaster.{facts.domain} {serial} 7200 3600 1209600 3600"
    return [*(_record(facts, "NS", server) for server in servers), _record(facts, "SOA", soa)]


SEVERITIES = ("critical", "high", "medium", "low")
BLACKLISTS_CHECKED = 64


def security_section(facts: Facts) -> dict[str, Any]:
    """Return response headers, mail policies, blacklists and the list of issues."""
    headers = {
        name: None if _lacks(facts, name) else value for name, value in DATA["headers"].items()
    }
    policy = dmarc_policy(facts)
    return {
        "grade": _grade(facts.score),
        "headers": headers,
        "spf": {"present": spf_record(facts) is not None, "record": spf_record(facts)},
        "dmarc": {"present": policy is not None, "policy": policy, "record": dmarc_record(facts)},
        "blacklists": {"checked": BLACKLISTS_CHECKED, "listedOn": _listed_on(facts)},
        "openPorts": [80, 443, *([21] if facts.fails("ftp", rarity=2) else [])],
        "issues": sorted(_issues(facts), key=lambda each: SEVERITIES.index(each["severity"])),
    }


def _lacks(facts: Facts, header: str) -> bool:
    return facts.fails(f"header {header}", rarity=0.9)


def _listed_on(facts: Facts) -> list[str]:
    return ["bl.mailwatch.example"] if facts.fails("blacklist", rarity=2.5) else []


def _issues(facts: Facts) -> list[dict[str, str]]:
    policy, days_left = dmarc_policy(facts), (certificate_ends(facts) - facts.today).days
    days = {"certificate": days_left, "registration": (registration(facts)[2] - facts.today).days}
    found = {
        "certificate expired": days_left < 0,
        "certificate expires": 0 <= days_left <= 14,
        "registration ends": days["registration"] <= 30,
        "blacklisted": bool(_listed_on(facts)),
        "no spf": spf_record(facts) is None,
        "no dmarc": policy is None,
        "dmarc watches": policy == "none",
        "old tls": facts.fails("old tls", rarity=1.2),
        "ftp": facts.fails("ftp", rarity=2),
    }
    issues = [DATA["issues"][name] for name, is_so in found.items() if is_so]
    issues += [
        ["low", f"Header {name} is missing", f"Send {name}: {value}"]
        for name, value in DATA["headers"].items()
        if _lacks(facts, name)
    ]
    return [
        {"severity": severity, "title": title.format(**days), "recommendation": advice}
        for severity, title, advice in issues
    ]


def _grade(score: float) -> str:
    for letter, least in (("A", 90), ("B", 75), ("C", 60), ("D", 45)):
        if score >= least:
            return letter
    return "F"


def own_scan(facts: Facts) -> dict[str, Any]:
    """Return whois, dns, ssl and security."""
    return {
        "whois": whois_section(facts),
        "dns": dns_section(facts),
        "ssl": ssl_section(facts),
        "security": security_section(facts),
    }
