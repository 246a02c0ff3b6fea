"""Odd scans: missing sections, nulls, text meant to do harm, and JSON of awkward shapes."""

import copy
from typing import Any

from bot.playground.tracker.samples.facts import DATA, stream

EDGE_CASES = ("missing", "nulls", "hostile")
ONE_EDGE_CASE_IN = 12  # names

_TEXTS = DATA["hostile_texts"]
HOSTILE_TEXTS = (*_TEXTS[:10], "v=long " + "0123456789abcdef" * 500, *_TEXTS[10:])


def edge_case_of(domain: str) -> str:
    """Return what is odd about this domain's scans: one of QUIRKS, or "none" for most names."""
    pick = stream(domain, "quirk")
    return pick.choice(EDGE_CASES) if pick.randrange(ONE_EDGE_CASE_IN) == 0 else "none"


def with_edge_case(domain: str, scan: dict[str, Any], quirk: str) -> dict[str, Any]:
    """Return the scan with one of QUIRKS worked in, or as it is for "none"."""
    scan = copy.deepcopy(scan)
    match quirk:
        case "none":
            pass
        case "missing":
            del scan[stream(domain, "missing").choice(sorted(scan))]
        case "nulls":
            _empty(scan, stream(domain, "nulled").choice(sorted(scan)))
        case "hostile":
            _poison(scan)
        case _:
            raise ValueError(f"{quirk!r}: choose one of {', '.join(EDGE_CASES)} or none")
    return scan


def _empty(scan: dict[str, Any], section: str) -> None:
    """Make one section null, and half of the values of every other one."""
    for name, values in scan.items():
        values.update(dict.fromkeys(list(values)[::2]))
        scan[name] = None if name == section else values


def _poison(scan: dict[str, Any]) -> None:
    """Put hostile text where text of strangers stands: DNS records, names, labels, issues."""
    whois, dns, security = scan["whois"], scan["dns"], scan["security"]
    whois.update({"registrar": "*Registrar* <!everyone>", "<!here> `label`": "a label of theirs"})
    dns["records"] += [{"type": "TXT", "value": text, "ttl": 300} for text in HOSTILE_TEXTS]
    security["issues"].insert(0, {"severity": "<!channel>", "title": "<@U1> | *must* `act`"})
