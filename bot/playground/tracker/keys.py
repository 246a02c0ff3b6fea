"""API keys of the local Domain Tracker: made, checked, counted, ended. Knows no HTTP.

Rules: service document, sections 2.1, 3, 5 and 8.
"""

import hashlib
import ipaddress
import re
import secrets
import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

KEY_PREFIX = "service_sk_"
KEY_CHARS = 52
KEY_ALPHABET = string.ascii_letters + string.digits + "-_"
KEY_PATTERN = re.compile(rf"{KEY_PREFIX}[A-Za-z0-9_-]{{{KEY_CHARS - len(KEY_PREFIX)}}}")
LIFETIMES_DAYS = (30, 90, 365)
SCOPES = (
    "read_domains",
    "write_domains",
    "read_reports",
    "write_reports",
    "read_alerts",
    "write_alerts",
    "admin",
)


def new_key_value() -> str:
    count = KEY_CHARS - len(KEY_PREFIX)
    return KEY_PREFIX + "".join(secrets.choice(KEY_ALPHABET) for _ in range(count))


def key_digest(value: str) -> str:
    """Return what is kept of a key. A plain hash is enough: the value is 246 random bits."""
    return hashlib.sha256(value.encode()).hexdigest()


@dataclass(eq=False)
class KeyRecord:
    """What the API Keys page knows of a key: everything but its value.

    `expires_at` None: never; no `ips`: from everywhere.
    """

    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    ips: tuple[str, ...]
    last4: str
    digest: str = field(repr=False)
    last_used_at: datetime | None = None
    is_revoked: bool = False
    is_deleted: bool = False
    _hour: datetime | None = field(default=None, repr=False)
    _used_in_hour: int = field(default=0, repr=False)

    def condition(self, now: datetime) -> str:
        """Return "deleted", "revoked", "expired" or "valid"."""
        if self.is_deleted:
            return "deleted"
        if self.is_revoked:
            return "revoked"
        if self.expires_at is not None and now >= self.expires_at:
            return "expired"
        return "valid"

    def allows_address(self, address: str) -> bool:
        """Say whether a caller at this IP address may use the key."""
        if not self.ips:
            return True
        caller = ipaddress.ip_address(address)
        return any(caller in ipaddress.ip_network(entry, strict=False) for entry in self.ips)

    def grants(self, scopes: Iterable[str]) -> bool:
        """Say whether the key holds every one of these scopes; `admin` stands for all."""
        return "admin" in self.scopes or set(scopes) <= set(self.scopes)

    def remaining(self, now: datetime, limit: int) -> int:
        """Return how many requests the key has left in the clock hour of `now`."""
        used = self._used_in_hour if self._hour == _clock_hour(now) else 0
        return max(0, limit - used)

    def count_request(self, now: datetime, limit: int) -> bool:
        """Use up one request of this clock hour; return False when none was left."""
        if self.remaining(now, limit) == 0:
            return False
        if self._hour != _clock_hour(now):
            self._hour, self._used_in_hour = _clock_hour(now), 0
        self._used_in_hour += 1
        return True


def new_key(
    name: str,
    scopes: Iterable[str],
    now: datetime,
    *,
    days: int | None = None,
    ips: Iterable[str] = (),
) -> tuple[str, KeyRecord]:
    """Return a new key's value and its record. The value exists nowhere else.

    `days` None: it works for ever. Raises: ValueError.
    """
    wanted = tuple(scopes)
    _check_form(name, wanted, days)
    addresses = tuple(_address_or_network(entry) for entry in ips)
    value = new_key_value()
    record = KeyRecord(
        name=name.strip(),
        scopes=wanted,
        created_at=now,
        expires_at=None if days is None else now + timedelta(days=days),
        ips=addresses,
        last4=value[-4:],
        digest=key_digest(value),
    )
    return value, record


def _check_form(name: str, scopes: tuple[str, ...], days: int | None) -> None:
    if not name.strip():
        raise ValueError("a key needs a name")
    if not scopes:
        raise ValueError("a key needs at least one scope")
    if unknown := sorted(set(scopes) - set(SCOPES)):
        raise ValueError(f"unknown scopes: {', '.join(unknown)}")
    if days is not None and days not in LIFETIMES_DAYS:
        raise ValueError(f"{days} days: choose 30, 90 or 365")


def _address_or_network(entry: str) -> str:
    network = ipaddress.ip_network(entry, strict=False)
    return str(network.network_address if network.num_addresses == 1 else network)


def _clock_hour(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
