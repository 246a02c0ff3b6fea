"""The keys that every sample portfolio comes with: one for each thing that a key can lack."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.playground.tracker import Account, KeyRecord

DEMO_KEY_NAME = "Domain Tracker for Slack"
DEMO_SCOPES = ("read_domains", "write_domains")
# RFC 5737: addresses for documentation, from which nobody calls.
OFFICE = "198.51.100.0/24"


class ReadyKeys:
    """Values of keys that were made before anybody looked.

    A value is shown once, as in the service itself; but each portfolio's demo key is offered to
    every newcomer, so that the bot can be connected within a minute.
    """

    def __init__(self) -> None:
        self._demo: dict[str, str] = {}
        self._not_yet_shown: dict[str, str] = {}  # by the record's digest

    def make(self, account: Account, now: datetime) -> None:
        """Make the ready-made keys of an account, the demo key first."""
        self._demo[account.name] = account.create_key(DEMO_KEY_NAME, DEMO_SCOPES, days=90)
        self._add(account, "Dashboard, read only", ["read_domains"], days=365)
        self._add(account, "Importer, write only", ["write_domains"])
        self._add(account, "Office only", DEMO_SCOPES, ips=[OFFICE])
        self._add(account, "Reports", ["read_reports", "read_alerts"])
        self._add(account, "Administrator", ["admin"], days=30)
        last_week = (now - timedelta(days=7)).date()
        value = account.create_key("Last year's bot", DEMO_SCOPES, expires_on=last_week)
        record = account.key(value)
        record.created_at = now - timedelta(days=372)
        self._not_yet_shown[record.digest] = value

    def demo(self, portfolio: str) -> str:
        """Return the value of a portfolio's demo key. Raises: KeyError."""
        return self._demo[portfolio]

    def demo_of(self, account: Account) -> str | None:
        """Return an account's demo key, or None once it has been deleted there."""
        value = self._demo.get(account.name)
        return None if value is None or account.key(value).is_deleted else value

    def is_unseen(self, record: KeyRecord) -> bool:
        """Say whether the value of this key can still be shown."""
        return record.digest in self._not_yet_shown

    def take(self, record: KeyRecord) -> str | None:
        """Return the value of a ready-made key the first time, then None for ever."""
        return self._not_yet_shown.pop(record.digest, None)

    def _add(
        self,
        account: Account,
        name: str,
        scopes: Sequence[str],
        *,
        days: int = 90,
        ips: Sequence[str] = (),
    ) -> None:
        value = account.create_key(name, scopes, days=days, ips=ips)
        self._not_yet_shown[account.key(value).digest] = value
