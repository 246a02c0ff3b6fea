"""WHOIS as registrars really give it: the same facts under other names and in other date forms."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from bot.playground.tracker.samples import dates
from bot.playground.tracker.samples.facts import Facts

REDACTED = "REDACTED FOR PRIVACY"
COUNTRIES = ("DE", "FR", "US", "GB", "NL", "ES", "JP", "SE")
STATUSES = ("clientTransferProhibited", "clientUpdateProhibited", "clientDeleteProhibited")
RENEWAL_LEAD_DAYS = 30
ACRONYMS = ("dnssec", "iana", "id", "url")


def _camel(name: str) -> str:
    return name


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _label(name: str) -> str:
    words = _snake(name).split("_")
    return " ".join(word.upper() if word in ACRONYMS else word.title() for word in words)


@dataclass(frozen=True)
class Registrar:
    """A registrar with its way of naming the fields and of writing dates."""

    name: str
    iana_id: int
    home: str
    rename: Callable[[str], str]
    write: dates.Writer


# IANA sets the numbers 9994 to 9999 aside for tests and other special use:
# https://www.iana.org/assignments/registrar-ids
REGISTRARS = (
    Registrar("NameHarbor GmbH", 9994, "nameharbor.example", _camel, dates.iso),
    Registrar("Blue Pier Domains, Inc.", 9995, "bluepier.example", _label, dates.iso),
    Registrar("Registro Sur S.A.", 9996, "registrosur.example", _snake, dates.plain_day),
    Registrar("Aster Names Ltd", 9997, "asternames.example", _label, dates.british),
    Registrar("Kitefin Registrar K.K.", 9998, "kitefin.example", _camel, dates.slashes),
    Registrar("Quayside Registry AB", 9999, "quayside.example", _snake, dates.epoch_s),
)


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
    """Return the WHOIS record, in the dialect of the domain's registrar."""
    registrar = facts.stream("registrar").choice(REGISTRARS)
    created, updated, expires = map(dates.moment_on, registration(facts))
    fields: dict[str, object] = {
        "domainName": facts.domain,
        "registrar": registrar.name,
        "registrarIanaId": registrar.iana_id,
        "registrarUrl": f"https://{registrar.home}",
        "createdDate": registrar.write(created),
        "updatedDate": registrar.write(updated),
        "expiryDate": registrar.write(expires),
        "nameServers": name_servers(facts),
        "status": _statuses(facts),
        "dnssec": "unsigned" if facts.fails("dnssec", rarity=0.5) else "signedDelegation",
        "registrant": _contact(facts, registrar.rename),
        "technicalContact": {registrar.rename("email"): REDACTED},
        "abuseContactEmail": f"abuse@{registrar.home}",
    }
    return {registrar.rename(key): value for key, value in fields.items()}


def name_servers(facts: Facts) -> list[str]:
    """Return the host names of the domain's name servers."""
    provider = facts.stream("dns").choice(("harbordns", "anycastia", "quaydns", "polarns"))
    return [f"ns{number}.{provider}.example" for number in (1, 2)]


def _statuses(facts: Facts) -> list[str]:
    if facts.fails("transfer lock"):
        return ["ok https://icann.org/epp#ok"]
    count = facts.stream("status").randint(1, len(STATUSES))
    return [f"{status} https://icann.org/epp#{status}" for status in STATUSES[:count]]


def _contact(facts: Facts, rename: Callable[[str], str]) -> dict[str, object]:
    country = facts.stream("country").choice(COUNTRIES)
    contact = {"name": REDACTED, "organization": REDACTED, "country": country, "email": REDACTED}
    return {rename(key): value for key, value in contact.items()}
