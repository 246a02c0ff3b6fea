"""The local Domain Tracker as a whole: its answers, accounts, settings, faults and request log."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from bot.playground.tracker.accounts import Account
from bot.playground.tracker.keys import KEY_PATTERN, KEY_PREFIX, KeyRecord, key_digest


class RefusedError(Exception):
    """A request is refused with this message; `kind` names the rule that it broke."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


# The four errors of section 7.
MESSAGES: Final[Mapping[str, str]] = {
    "invalid_key": "Invalid API key",
    "permissions": "Insufficient permissions",
    "ip": "IP address not allowed",
    "rate_limit": "Rate limit exceeded",
}
# Mistakes that the document does not mention; their statuses are those of HTTP.
MISTAKE_STATUS: Final[Mapping[str, int]] = {
    "bad_request": 400,
    "not_found": 404,
    "method_not_allowed": 405,
    "duplicate": 409,
    "too_large": 413,
    "media_type": 415,
}
STATUS: Final[Mapping[str, int]] = dict(
    MISTAKE_STATUS, invalid_key=401, permissions=403, ip=403, rate_limit=429
)


def documented_refusal(kind: str) -> RefusedError:
    """Return one of the four errors. Raises KeyError for any other kind."""
    return RefusedError(kind, MESSAGES[kind])


@dataclass
class Request:
    """One request, noted on arrival.

    `account` and `key_name` say whose known key came with it. `status` is None until the answer
    begins, and where there is none.
    """

    method: str
    path: str
    at: datetime
    endpoint: str | None = None
    account: str | None = None
    key_name: str | None = None
    status: int | None = None
    body: object = None


def without_keys(text: str) -> str:
    """Return the text with every key replaced by its prefix and an ellipsis."""
    return KEY_PATTERN.sub(f"{KEY_PREFIX}…", text)


def body_for_log(raw: bytes) -> object:
    """Return what a request's body said, without keys: decoded JSON, else text, None if empty."""
    text = without_keys(raw.decode(errors="replace"))
    if not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


ENDPOINTS: Final = ("list", "add", "scan")
# These answer in place of the service: the request is not acted upon, the key not even looked at.
INSTEAD: Final = frozenset(
    {
        *MESSAGES,
        "500", "503", "html_500", "empty_200", "html_200", "foreign_json",
        "drop", "huge", "redirect",
    }
)  # fmt: skip
# These spoil the service's own answer, after it has acted.
AFTERWARDS: Final = frozenset({"drop_after", "truncated", "cut_off"})


@dataclass(frozen=True)
class RawAnswer:
    """Any answer, byte for byte."""

    status: int
    body: bytes


@dataclass
class Planned:
    """A fault, by kind or as a raw answer, for one endpoint (None: any), so many times."""

    what: str | RawAnswer
    on: str | None
    times: int

    @property
    def spoils(self) -> bool:
        """Whether the service acts first, and only its answer is spoiled."""
        return isinstance(self.what, str) and self.what in AFTERWARDS


@dataclass
class FaultPlan:
    """Faults in the order in which they were planned; each request takes the first that fits."""

    _planned: list[Planned] = field(default_factory=list)

    def plan(self, what: str | RawAnswer, times: int = 1, on: str | None = None) -> None:
        """Plan a fault, for one endpoint or for any. Raises: ValueError: there is none such."""
        if isinstance(what, str) and what not in INSTEAD | AFTERWARDS:
            raise ValueError(f"{what!r}: choose one of {', '.join(sorted(INSTEAD | AFTERWARDS))}")
        if on not in (None, *ENDPOINTS):
            raise ValueError(f"{on!r}: choose one of {', '.join(ENDPOINTS)}")
        self._planned.append(Planned(what, on, times))

    def take(self, endpoint: str) -> Planned | None:
        """Use up and return the next fault for this endpoint, or None."""
        for planned in self._planned:
            if planned.on in (None, endpoint):
                planned.times -= 1
                if planned.times < 1:
                    self._planned.remove(planned)
                return planned
        return None

    def clear(self) -> None:
        self._planned.clear()


# Longer than the busiest machine takes to deliver a request; a test that waits so long has failed.
HOLD_LIMIT_S = 60.0


class Hold:
    """Stops every request that arrives while it holds."""

    def __init__(self) -> None:
        self._count = 0
        self._arrival = asyncio.Event()
        self._released = asyncio.Event()

    def release(self) -> None:
        """Let every waiting request go on, and every later one pass."""
        self._released.set()

    async def waiting(self, count: int = 1) -> None:
        """Return when so many requests have arrived in all. Raises TimeoutError after 60 s."""
        async with asyncio.timeout(HOLD_LIMIT_S):
            while self._count < count:
                self._arrival.clear()
                await self._arrival.wait()

    async def wait(self) -> None:
        self._count += 1
        self._arrival.set()
        await self._released.wait()


DEFAULT_HOURLY_LIMIT = 1000  # service document, section 8


def utc_now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


@dataclass
class Tracker:
    """The service. Every attribute below `requests` is a setting and may be changed at any time.

    What the service document leaves open is a setting: `retry_after_s`.
    """

    clock: Callable[[], datetime] = utc_now
    url: str = ""
    accounts: dict[str, Account] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    hourly_limit: int = DEFAULT_HOURLY_LIMIT
    latency_s: float = 0.0
    scan_latency_s: float = 0.0
    retry_after_s: int | None = None
    faults: FaultPlan = field(default_factory=FaultPlan)
    hold: Hold | None = None
    hold_of_all: Hold | None = None

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
        """Let the next requests (to one endpoint, or to any) fail; see INSTEAD and AFTERWARDS.

        Raises: ValueError: an unknown kind or endpoint.
        """
        self.faults.plan(kind, times, on)

    def answer_next(self, status: int = 200, *, body: bytes, on: str) -> None:
        """Let the next request to an endpoint be answered with exactly this.

        Raises: ValueError: an unknown endpoint.
        """
        self.faults.plan(RawAnswer(status, body), 1, on)
