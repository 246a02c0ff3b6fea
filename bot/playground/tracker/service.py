"""The local Domain Tracker as a whole: its accounts, its settings, its faults and its log."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.playground.tracker.accounts import Account
from bot.playground.tracker.additions import ADD_STYLES
from bot.playground.tracker.faults import FaultPlan, RawAnswer
from bot.playground.tracker.holds import Hold
from bot.playground.tracker.keys import KeyRecord, key_digest
from bot.playground.tracker.refusals import DEFAULT_ERROR_STATUS, ERROR_STYLES
from bot.playground.tracker.requestlog import Request

DEFAULT_HOURLY_LIMIT = 1000  # service document, section 8


def utc_now() -> datetime:
    """Return the moment, aware, in UTC."""
    return datetime.now(UTC)


@dataclass
class Tracker:
    """The service. Every attribute below `requests` is a setting and may be changed at any time.

    What the service document leaves open is a setting here:
    `error_style`: one of ERROR_STYLES; `error_status`: one status for all four errors, or one
    each; `retry_after_s`: sent with rate-limit errors and 503, None for no such header;
    `add_style` (one of ADD_STYLES) and `add_status`; `extra_fields`: added to every domain
    object; `scan_scope`: the scope or scopes that a scan needs; `domain_types`: the values of
    domainType that are taken, None for any.

    `caller_ip`: the address from which every call seems to come, None for the real one.
    """

    clock: Callable[[], datetime] = utc_now
    url: str = ""
    accounts: dict[str, Account] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    hourly_limit: int = DEFAULT_HOURLY_LIMIT
    latency_s: float = 0.0
    scan_latency_s: float = 0.0
    drip_interval_s: float = 0.05
    huge_bytes: int = 100_000_000
    caller_ip: str | None = None
    error_style: str = "json"
    error_status: int | Mapping[str, int] = field(default_factory=lambda: DEFAULT_ERROR_STATUS)
    retry_after_s: int | None = None
    add_style: str = "domain"
    add_status: int = 201
    extra_fields: dict[str, object] = field(default_factory=dict)
    scan_scope: str | tuple[str, ...] = "write_domains"
    domain_types: frozenset[str] | None = None
    followed_redirects: int = 0
    faults: FaultPlan = field(default_factory=FaultPlan)
    hold: Hold | None = None
    hold_of_all: Hold | None = None

    def __setattr__(self, name: str, value: object) -> None:
        # A misspelt style would else surface as a 500 in the middle of someone's test.
        styles: Mapping[str, Mapping[str, object]] = {
            "error_style": ERROR_STYLES,
            "add_style": ADD_STYLES,
        }
        if name in styles and value not in styles[name]:
            raise ValueError(f"{name} {value!r}: choose one of {', '.join(styles[name])}")
        super().__setattr__(name, value)

    def account(self, name: str) -> Account:
        """Return an account, made when it is asked for the first time."""
        if name not in self.accounts:
            self.accounts[name] = Account(name, self.clock)
        return self.accounts[name]

    def holder(self, value: str) -> tuple[Account, KeyRecord] | None:
        """Return the account and record of a key, whatever its condition, or None if unknown."""
        digest = key_digest(value)
        for account in self.accounts.values():
            if (record := account.find_key(digest)) is not None:
                return account, record
        return None

    def hold_scans(self) -> Hold:
        """Make every scan wait until the returned hold is released."""
        self.hold = Hold()
        return self.hold

    def hold_requests(self) -> Hold:
        """Make every request, of whatever kind, wait until the returned hold is released."""
        self.hold_of_all = Hold()
        return self.hold_of_all

    def fail_next(self, kind: str, times: int = 1, on: str | None = None) -> None:
        """Let the next requests (to one endpoint, or to any) fail; see `faults.py` for the kinds.

        Raises:
            ValueError: an unknown kind or endpoint.
        """
        self.faults.fail_next(kind, times, on)

    def answer_next(
        self,
        status: int = 200,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        on: str | None = None,
        times: int = 1,
    ) -> None:
        """Let the next requests be answered with exactly this. Raises ValueError as above."""
        self.faults.answer_next(RawAnswer(status, body, dict(headers or {})), times, on)
