"""Scans in the dialects of three tools: the same facts in other shapes, and what goes wrong there.

The service's documentation does not show the inside of a scan, so a bot must read more than one.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from bot.playground.tracker.samples.facts import DATA, Facts, stream
from bot.playground.tracker.samples.scan import moment_on, own_scan, registration

OWN: Final = "own"
CHECKLIST: Final = "checklist"
SCANNER: Final = "scanner"
MIXED: Final = "mixed"  # each domain's scans in one of the three

Scan = dict[str, Any]

_TEXTS = DATA["hostile_texts"]
HOSTILE_TEXTS = (*_TEXTS[:10], "v=long " + "0123456789abcdef" * 500, *_TEXTS[10:])

# Of these domains it is written down what their scans are like: a dialect and what is odd.
_WRITTEN_DOWN: dict[str, tuple[str, str]] = {
    domain: (dialect, quirk) for domain, *_, dialect, quirk in DATA["northwind"]
}


def dialect_of(domain: str) -> str:
    """Return the dialect of a domain's scans in a mixed portfolio."""
    if domain in _WRITTEN_DOWN:
        return _WRITTEN_DOWN[domain][0]
    return stream(domain, "dialect").choice((OWN, CHECKLIST, SCANNER))


def sample_scan(facts: Facts, dialect: str = OWN, quirk: str | None = None) -> Scan:
    """Return whois, dns, ssl and security, the same for the same facts in every run.

    `quirk` is "none" or one of the dialect's QUIRKS; None lets the domain's name decide.
    """
    if dialect == MIXED:
        dialect = dialect_of(facts.domain)
    scan = _TRANSLATIONS[dialect](facts, own_scan(facts))
    name = _quirk_of(facts.domain, dialect) if quirk is None else quirk
    if name != "none":
        QUIRKS[dialect][name](scan)
    return scan


def _quirk_of(domain: str, dialect: str) -> str:
    known, quirk = _WRITTEN_DOWN.get(domain, ("", ""))
    if known == dialect:
        return quirk
    pick = stream(domain, "quirk")
    is_odd = pick.randrange(ODD_IS_ONE_IN[dialect]) == 0
    return pick.choice(sorted(QUIRKS[dialect])) if is_odd else "none"


def _checklist(facts: Facts, own: Scan) -> Scan:
    """Return a scan that ticks off what it has checked."""
    created, _updated, expires = registration(facts)
    security, ssl, dns = own["security"], own["ssl"], own["dns"]
    headers = DATA["checked_headers"].items()
    return {
        "whois": {
            "registrar": own["whois"]["registrar"],
            "registered": created.isoformat(),
            "renewalDate": expires.isoformat(),
            "nameServers": ", ".join(dns["nameServers"]),
        },
        "dns": {
            "resolves": True,
            "dnssec": dns["dnssec"],
            "records": [f"{each['type']} {each['value']}" for each in dns["records"]],
        },
        "ssl": {
            "valid": ssl["valid"],
            "daysRemaining": ssl["daysRemaining"],
            "issuer": ssl["issuer"]["commonName"],
            "hostnameMatches": True,
        },
        "security": {
            "spf": security["spf"]["present"],
            "dmarc": security["dmarc"]["present"],
            "https": ssl["valid"],
            **{short: security["headers"][header] is not None for short, header in headers},
            "blacklisted": bool(security["blacklists"]["listedOn"]),
            "oldTls": ssl["protocols"]["TLS 1.0"],
            "ftp": 21 in security["openPorts"],
        },
    }


def _scanner(facts: Facts, own: Scan) -> Scan:
    """Return a scan of RDAP, DNS over HTTPS, a list of certificates and a list of findings."""
    security = own["security"]
    return {
        "whois": _rdap(facts, own),
        "dns": {
            "Status": 0,
            "Answer": [
                {"name": each["name"], "type": each["type"], "data": each["value"]}
                for each in own["dns"]["records"]
            ],
        },
        "ssl": {"certificates": _certificates(facts, own), "protocols": own["ssl"]["protocols"]},
        "security": {
            "target": facts.domain,
            "engine": {"name": "Outlook Scan", "version": "4.2.0"},
            "posture": DATA["postures"][security["grade"]],
            "exposedServices": security["openPorts"],
            "findings": [
                {
                    "severity": DATA["scanner_severities"][issue["severity"]],
                    "title": issue["title"],
                    "remediation": issue["recommendation"],
                    "state": "open",
                }
                for issue in security["issues"]
            ],
        },
    }


def _rdap(facts: Facts, own: Scan) -> Scan:
    whois = own["whois"]
    days = zip(("registration", "last changed", "expiration"), registration(facts), strict=True)
    return {
        "objectClassName": "domain",
        "unicodeName": facts.domain,
        "status": [status.split()[0] for status in whois["status"]],
        "events": [
            {"eventAction": action, "eventDate": f"{moment_on(day):%Y-%m-%dT%H:%M:%SZ}"}
            for action, day in days
        ],
        "entities": [
            {
                "objectClassName": "entity",
                "roles": ["registrar"],
                "vcardArray": ["vcard", [["fn", {}, "text", whois["registrar"]]]],
            }
        ],
        "nameservers": [
            {"objectClassName": "nameserver", "ldhName": server} for server in whois["nameServers"]
        ],
        "secureDNS": {"delegationSigned": whois["dnssec"] == "signedDelegation"},
    }


def _certificates(facts: Facts, own: Scan) -> list[dict[str, Any]]:
    """Return the certificate in use and the one that it has replaced."""
    ssl = own["ssl"]
    ends = facts.in_days(ssl["daysRemaining"])
    lives = timedelta(days=facts.stream("lifetime").choice((90, 199)))
    return [
        {
            "subject": {"CN": facts.domain},
            "issuer": {"CN": ssl["issuer"]["commonName"]},
            "validity": {
                "not_before": f"{moment_on(last - lives):%Y-%m-%d %H:%M:%S}",
                "not_after": f"{moment_on(last):%Y-%m-%d %H:%M:%S}",
            },
        }
        for last in (ends, ends - lives)
    ]


_TRANSLATIONS: dict[str, Callable[[Facts, Scan], Scan]] = {
    OWN: lambda _facts, own: own,
    CHECKLIST: _checklist,
    SCANNER: _scanner,
}


def _poison(scan: Scan) -> None:
    """Put hostile text where text of strangers stands: DNS records, names, labels, issues."""
    whois, dns, security = scan["whois"], scan["dns"], scan["security"]
    whois.update({"registrar": "*Registrar* <!everyone>", "<!here> `label`": "a label of theirs"})
    dns["records"] += [{"type": "TXT", "value": text, "ttl": 300} for text in HOSTILE_TEXTS]
    security["issues"].insert(0, {"severity": "<!channel>", "title": "<@U1> | *must* `act`"})


def _limit_whois(scan: Scan) -> None:
    texts = ["Rate limit exceeded, try again later"]
    scan["whois"] = {"errorCode": 429, "title": "Too Many Requests", "description": texts}


def _time_out_dns(scan: Scan) -> None:
    scan["dns"] = {"Answer": None, "error": "The DNS operation timed out after 5 s"}


ODD_IS_ONE_IN = {OWN: 12, CHECKLIST: 12, SCANNER: 3}  # names
# What is odd about some scans of a dialect.
QUIRKS: dict[str, dict[str, Callable[[Scan], object]]] = {
    OWN: {"missing": lambda scan: scan.pop("security"), "hostile": _poison},
    CHECKLIST: {"missing": lambda scan: scan.pop("whois")},
    SCANNER: {
        "whois limited": _limit_whois,
        "dns timed out": _time_out_dns,
        "ssl of nulls": lambda scan: scan["ssl"].update(dict.fromkeys(scan["ssl"])),
        "no findings": lambda scan: scan["security"].pop("findings"),
    },
}
