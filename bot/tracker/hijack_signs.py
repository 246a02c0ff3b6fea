"""Find what shows who controls a domain: a change there shows a hijack before a score does. Pure.

A sign is a text under its kind and its section, as WHOIS and DNS may differ:
`{"whois name servers": "ns1.a.example, ns2.a.example", "whois registrar lock": "on"}`.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice

from bot.tracker.names import NAMES, normalized

NAME_SERVERS, MAIL_SERVERS = "name servers", "mail servers"
REGISTRAR, LOCK = "registrar", "registrar lock"
DNSSEC, ISSUER = "DNSSEC", "certificate issuer"
# In the order in which they are said.
KINDS = (NAME_SERVERS, REGISTRAR, LOCK, MAIL_SERVERS, DNSSEC, ISSUER)
ON, OFF = "on", "off"
# All servers are kept: one more among many may be the hijack.
MAX_HOSTS = 100
MAX_SIGN_CHARS = 120
MAX_PAIRS = 12  # of a name such as that of an issuer
MAX_RECORDS = 5_000
_KINDS_OF = {
    "whois": (NAME_SERVERS, REGISTRAR, LOCK, DNSSEC),
    "dns": (NAME_SERVERS, MAIL_SERVERS, DNSSEC),
    "ssl": (ISSUER,),
}
_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z][a-z0-9-]*", re.IGNORECASE)
# https://www.iana.org/assignments/dns-parameters: numbers of record types in DNS over HTTPS
_RECORD_TYPES = {"ns": NAME_SERVERS, "2": NAME_SERVERS, "mx": MAIL_SERVERS, "15": MAIL_SERVERS}
_ORGANIZATION = re.compile(r"(?:^|[,/;+]\s*)O\s*=\s*(\"[^\"]+\"|[^,/;+]+)")
_COMMON_NAME = re.compile(r"(?:^|[,/;+]\s*)CN\s*=\s*(\"[^\"]+\"|[^,/;+]+)")
# Let's Encrypt takes its intermediates in turn: https://letsencrypt.org/certificates/
_IN_TURN = re.compile(r"[re]\d{1,2}")


def signs_of(sections: Mapping[str, object]) -> dict[str, str]:
    """Return the signs of a scan's sections; what is missing or cannot be read is left out."""
    signs: dict[str, str] = {}
    for section, kinds in _KINDS_OF.items():
        for kind, value in _found(sections.get(section)):
            is_withheld = NAMES.is_placeholder(value) or "redacted" in value.lower()
            if kind in kinds and value and not is_withheld:
                is_list = kind in {NAME_SERVERS, MAIL_SERVERS}
                signs.setdefault(f"{section} {kind}", value[: None if is_list else MAX_SIGN_CHARS])
    return signs


def registered_name(whois: object) -> str:
    """Return the name that WHOIS gives for the registration, "" if it gives none."""
    for by_name in islice(_records(whois), MAX_RECORDS):
        for value in _named("registered", by_name):
            if hosts := _hosts(value):
                return min(sorted(hosts), key=len)  # a set has another order in each process
    return ""


def is_same(sign: str, before: str, after: str) -> bool:
    """Return whether two values of a sign mean the same: `R10` and `R11` are one issuer."""
    texts = [normalized(each) for each in (before, after)]
    if kind_of(sign) == ISSUER:
        texts = ["letsencrypt" if _IN_TURN.fullmatch(text) else text for text in texts]
    return texts[0] == texts[1]


def kind_of(sign: str) -> str:
    """Return `name servers` of `whois name servers`."""
    return sign.partition(" ")[2]


def is_worse(sign: str, after: str) -> bool:
    """Return whether a sign's new value may be a hijack; to lock or to sign a domain is none."""
    return kind_of(sign) not in {LOCK, DNSSEC} or after == OFF


def _found(section: object) -> Iterator[tuple[str, str]]:
    """Yield kinds and values, those nearest to the top first."""
    typed: dict[str, set[str]] = {NAME_SERVERS: set(), MAIL_SERVERS: set()}
    states: list[str] = []
    for by_name in islice(_records(section), MAX_RECORDS):
        yield from _in_record(by_name)
        if of_type := _RECORD_TYPES.get(str(by_name.get("type")).lower()):
            typed[of_type].update(_hosts(by_name))
        states += (each for name in _named("states", by_name) for each in _texts(name))
    yield LOCK, _lock(states)
    for kind, hosts in typed.items():
        yield kind, _joined(hosts)


def _in_record(by_name: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for kind, group in ((NAME_SERVERS, "nameservers"), (MAIL_SERVERS, "mailservers")):
        for value in _named(group, by_name):
            yield kind, _joined(_hosts(value))
    for kind, group in ((REGISTRAR, "registrar"), (ISSUER, "issuer")):
        for value in _named(group, by_name):
            yield kind, _title(value)
    for kind, group in ((LOCK, "lock"), (DNSSEC, "dnssec")):
        for value in _named(group, by_name):
            yield kind, _switch(value)
    if "registrar" in _texts(by_name.get("roles")):  # RFC 9083, section 5.1
        yield REGISTRAR, _title_of_card(by_name.get("vcardarray"))


def _named(group: str, by_name: Mapping[str, object]) -> list[object]:
    return [value for name, value in by_name.items() if name in NAMES.signs[group]]


def _records(section: object) -> Iterator[dict[str, object]]:
    """Yield the records of any JSON, by normalized names, but those of other times and issuers."""
    skipped = NAMES.ends["issuers"] | NAMES.ends["chains"] | NAMES.ignored
    queue: deque[object] = deque([section])
    while queue:
        value = queue.popleft()
        if isinstance(value, Mapping):
            yield {normalized(str(key)): each for key, each in value.items()}
            queue.extend(
                each
                for key, each in value.items()
                if isinstance(each, Mapping | list)
                and (name := normalized(str(key))) not in skipped
                and not name.startswith("issuer")
            )
        elif isinstance(value, list):
            queue.extend(each for each in value if isinstance(each, Mapping | list))


def _hosts(value: object) -> set[str]:
    """Return the hosts of servers: texts such as `10 mx.a.example.`, records, or lists of them."""
    if isinstance(value, str):
        return {found.lower() for found in _HOST.findall(value)}
    if isinstance(value, list):
        return {host for each in value[:MAX_RECORDS] for host in _hosts(each)}
    if isinstance(value, Mapping):
        by_name = {normalized(str(key)): each for key, each in value.items()}
        ordered = (by_name[name] for name in NAMES.texts["host"] if name in by_name)
        texts = (each for each in ordered if isinstance(each, str | list))
        return next((hosts for each in texts if (hosts := _hosts(each))), set())
    return set()


def _joined(hosts: set[str]) -> str:
    return ", ".join(sorted(hosts)[:MAX_HOSTS])


def _lock(states: list[str]) -> str:
    """Return whether EPP states lock the domain, "" if they are none."""
    # ICANN's form is `clientTransferProhibited https://icann.org/epp#clientTransferProhibited`.
    said = {normalized(state.split(" http")[0]) for each in states for state in each.split(",")}
    is_unlocked = said & NAMES.signs["unlocked"]
    return ON if said & NAMES.signs["locked"] else OFF if is_unlocked else ""


def _switch(value: object) -> str:
    """Return `on` or `off` for a boolean or its text, also below a name of its own."""
    if isinstance(value, Mapping):
        value = next((each for each in value.values() if isinstance(each, bool)), None)
    said = normalized(str(value)) if isinstance(value, str | int) else ""
    is_off = said in NAMES.signs["off"]
    return ON if said in NAMES.signs["on"] else OFF if is_off else ""


def _title(value: object) -> str:
    """Return the organization, or else the name, that a registrar's or issuer's value gives."""
    if isinstance(value, str):
        found = _ORGANIZATION.search(value) or _COMMON_NAME.search(value)
        return (found[1] if found else value).strip().strip('"')
    given = dict(_pairs(value))
    for group in ("organizations", "titles"):
        if texts := [given[name] for name in given if name in NAMES.signs[group]]:
            return texts[0].strip()
    return ""


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    """Yield names and texts of a record, or of nested pairs: `[[["organizationName", "A"]]]`."""
    match value:
        case [str(name), str(text)]:
            yield normalized(name), text
        case list():
            for each in value[:MAX_PAIRS]:
                yield from _pairs(each)
        case {"name": str(name), "value": str(text)}:
            yield normalized(name), text
        case Mapping():
            for key, each in value.items():
                text = each[0] if isinstance(each, list) and each else each
                if isinstance(text, str):
                    yield normalized(str(key)), text


def _title_of_card(card: object) -> str:
    """Return the name in a jCard (RFC 7095), "" if there is none."""
    match card:
        case [_, [*fields]]:
            for field in fields:
                match field:
                    case ["fn", _, _, str(name)]:
                        return name
    return ""


def _texts(value: object) -> list[str]:
    given = value if isinstance(value, list) else [value]
    return [each for each in given if isinstance(each, str)]
