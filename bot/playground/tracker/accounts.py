"""The model of the local Domain Tracker: accounts, each with its keys and its portfolio.

Knows no HTTP, so that the API, the faults and the web pages can stand on it side by side.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import idna

from bot.playground.tracker.keys import KeyRecord, key_digest, new_key
from bot.playground.tracker.samples.dialects import OWN, sample_scan
from bot.playground.tracker.samples.facts import (
    Facts,
    health_after_scan,
    is_score,
    sample_health,
    sample_portfolio,
)

MAX_NAME_CHARS = 253  # RFC 1035, section 2.3.4, written without the trailing dot
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# Two labels at least, and a last one with a letter: neither `localhost` nor an IP address.
HOST_NAME = re.compile(rf"(?:{LABEL}\.)+(?=[a-z0-9-]*[a-z]){LABEL}")


def canonical_name(text: str) -> str:
    """Return the lower-case ASCII form of a domain name. Raises: ValueError: it is none."""
    name = text.lower() if text.isascii() else _ascii_form(text)
    if len(name) > MAX_NAME_CHARS or not HOST_NAME.fullmatch(name):
        raise ValueError("not a domain name")
    return name


def _ascii_form(text: str) -> str:
    try:
        return idna.encode(text, uts46=True).decode()
    except idna.IDNAError as error:
        raise ValueError("not a domain name") from error


OWNED: Final = "owned"
FROM_NAME: Final = object()  # a health score made from the domain's name
NO_SCORE: Final = object()  # the field healthScore is left out


@dataclass(eq=False)
class DomainRecord:
    """One monitored domain. `health` is any JSON value, or NO_SCORE.

    The next scan shows another registrar, or other name servers, for each move.
    """

    domain_id: str
    domain: str
    domain_type: str = OWNED
    tags: tuple[str, ...] = ()
    folder: str | None = None
    health: object = NO_SCORE
    scans: int = 0
    registrar_moves: int = 0
    dns_moves: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the domain object of section 2.2 of the service document."""
        fields: dict[str, object] = {
            "domainId": self.domain_id,
            "domain": self.domain,
            "domainType": self.domain_type,
            "tags": list(self.tags),
            "folder": self.folder,
        }
        if self.health is not NO_SCORE:
            fields["healthScore"] = self.health
        return fields


def sameness(domain: str) -> str:
    """Return what two spellings of one name have in common; a strange name stands for itself."""
    try:
        return canonical_name(domain)
    except ValueError:
        return domain


class DuplicateDomainError(ValueError):
    """The portfolio holds this domain already, perhaps in another spelling."""


class Account:
    """A customer of the service: a portfolio of domains and the keys that open it.

    Its scans are in a `dialect` of samples/dialects.py. `scan_results` are whole JSON bodies for
    domains that do not get a `sample_scan`. `keeps_scores`: no scan moves a score.
    """

    def __init__(self, name: str, clock: Callable[[], datetime]) -> None:
        self.name = name
        self.domains: dict[str, DomainRecord] = {}
        self.dialect = OWN
        self.scan_results: dict[str, object] = {}
        self.keeps_scores = False
        self._clock = clock
        self._keys: dict[str, KeyRecord] = {}

    @property
    def keys(self) -> list[KeyRecord]:
        """Every key ever made, oldest first, deleted ones included."""
        return list(self._keys.values())

    def create_key(
        self,
        name: str,
        scopes: Iterable[str] = ("read_domains", "write_domains"),
        *,
        days: int | None = 90,
        ips: Iterable[str] = (),
    ) -> str:
        """Make a key of `keys.new_key` and return its value: the only time that it can be read."""
        made, record = new_key(name, scopes, self._clock(), days=days, ips=ips)
        self._keys[record.digest] = record
        return made

    def key(self, which: str | KeyRecord) -> KeyRecord:
        """Return the record of a key, given the record or the value. Raises: KeyError."""
        record = self.find_key(which.digest if isinstance(which, KeyRecord) else key_digest(which))
        if record is None:
            raise KeyError(f"not a key of {self.name}")
        return record

    def find_key(self, digest: str) -> KeyRecord | None:
        return self._keys.get(digest)

    def revoke_key(self, which: str | KeyRecord) -> None:
        """End a key; it stays visible as revoked. Raises KeyError as `key` does."""
        self.key(which).is_revoked = True

    def delete_key(self, which: str | KeyRecord) -> None:
        """Delete a key, which revokes it. Raises KeyError as `key` does."""
        record = self.key(which)
        record.is_revoked = record.is_deleted = True

    def add(
        self,
        domain: str,
        *,
        health: object = FROM_NAME,
        domain_type: str = OWNED,
        tags: Iterable[str] = (),
        folder: str | None = None,
        domain_id: str | None = None,
    ) -> DomainRecord:
        """Put a domain into the portfolio, whatever its name looks like.

        Raises: DuplicateDomainError: it is there already.
        """
        if sameness(domain) in {sameness(known.domain) for known in self.domains.values()}:
            raise DuplicateDomainError(domain)
        return self._put(
            DomainRecord(
                domain_id=domain_id or self._id_of(domain),
                domain=domain,
                domain_type=domain_type,
                tags=tuple(tags),
                folder=folder,
                health=sample_health(domain) if health is FROM_NAME else health,
            )
        )

    def fill(self, count: int, seed: int = 1) -> list[DomainRecord]:
        """Put `count` plausible domains in; those that are there already stay as they are."""
        known = {sameness(record.domain) for record in self.domains.values()}
        return [
            self._put(DomainRecord(domain_id=self._id_of(fields["domain"]), **fields))
            for fields in sample_portfolio(count, seed)
            if sameness(fields["domain"]) not in known
        ]

    def scan(self, record: DomainRecord) -> object:
        """Scan a domain and return the body of the answer; its health score moves a little.

        While `keeps_scores` it does not.
        """
        if not self.keeps_scores:
            record.scans += 1
            old = None if record.health is NO_SCORE else record.health
            record.health = health_after_scan(record.domain, old, record.scans)
        if record.domain in self.scan_results:
            return self.scan_results[record.domain]
        score = record.health if is_score(record.health) else sample_health(record.domain)
        moves = (record.registrar_moves, record.dns_moves)
        facts = Facts(record.domain, self._clock().date(), score, *moves)
        return {"domainId": record.domain_id, **sample_scan(facts, self.dialect)}

    def _put(self, record: DomainRecord) -> DomainRecord:
        self.domains[record.domain_id] = record
        return record

    def _id_of(self, domain: str) -> str:
        # The same in every run, so that pictures and recorded output do not change.
        return "dom_" + hashlib.sha256(f"{self.name}/{domain}".encode()).hexdigest()[:12]
