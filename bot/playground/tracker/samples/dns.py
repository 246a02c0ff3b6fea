"""DNS: the records of a domain, from the address ranges that are set aside for examples."""

from typing import Any

from bot.playground.tracker.samples.facts import Facts
from bot.playground.tracker.samples.mail import (
    dmarc_record,
    mail_provider,
    receives_mail,
    spf_record,
)
from bot.playground.tracker.samples.tls import issuer
from bot.playground.tracker.samples.whois import name_servers

# RFC 5737 and RFC 3849.
IPV4_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
TTLS_S = (300, 600, 3600, 14400)

Record = dict[str, object]


def dns_section(facts: Facts) -> dict[str, Any]:
    """Return every record found, and how long the name server took."""
    return {
        "nameServers": name_servers(facts),
        "records": [
            *_addresses(facts),
            *_mail_servers(facts),
            *_texts(facts),
            *_authority(facts),
        ],
        "dnssec": not facts.fails("dnssec", rarity=0.5),
        "responseTimeMs": facts.stream("latency").randint(8, 90),
    }


def has_caa(facts: Facts) -> bool:
    """Say whether the domain tells which authorities may issue certificates for it."""
    return not facts.fails("caa", rarity=0.6)


def _record(facts: Facts, kind: str, value: str, name: str = "", **more: object) -> Record:
    full = f"{name}.{facts.domain}" if name else facts.domain
    ttl = facts.stream(f"ttl {kind}").choice(TTLS_S)
    return {"type": kind, "name": full, "value": value, "ttl": ttl, **more}


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
    caa = [_record(facts, "CAA", f'0 issue "{issuer(facts).home}"')] if has_caa(facts) else []
    return [
        *(_record(facts, "NS", server) for server in servers),
        *caa,
        _record(facts, "SOA", soa),
    ]
