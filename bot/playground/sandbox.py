"""A local Slack and a local Domain Tracker with sample data, and one clock for both."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from bot.playground.manifest import AppInfo, read_manifest
from bot.playground.slack import LocalSlack, Message, View, running_slack
from bot.playground.slack.change_event import PATIENCE_S
from bot.playground.tracker import Account, KeyRecord, Tracker, running_tracker
from bot.playground.tracker.samples.facts import DATA

_FRIDAY = 4
_LAST_DAYS = timedelta(days=7)  # not reached, so that looking a few days ahead never fails


def utc_now() -> datetime:
    return datetime.now(UTC)


class MovableClock:
    """A clock that is called for the moment, an aware datetime in UTC."""

    def __init__(self, real: Callable[[], datetime] = utc_now) -> None:
        self._real = real
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return self._real() + self._ahead

    @property
    def ahead(self) -> timedelta:
        """How far this clock is ahead of the real one."""
        return self._ahead

    def seconds(self) -> float:
        return self().timestamp()

    def move(self, by: timedelta) -> None:
        """Move ahead. There is no way back: what has happened carries its time.

        Raises: ValueError: `by` is negative, or leads to the end of the calendar.
        """
        if by < timedelta():
            raise ValueError("the playground's clock only moves ahead")
        try:
            self() + by + _LAST_DAYS
        except OverflowError as error:
            raise ValueError("that is beyond the last day of the calendar") from error
        self._ahead += by

    def until_next_weekday(self, at: time, zone: tzinfo) -> timedelta:
        """Return how long it is until it is `at` in that zone on a day from Monday to Friday."""
        here = self().astimezone(zone)
        due = datetime.combine(here, at, zone)
        while due <= here or due.weekday() > _FRIDAY:
            due = datetime.combine(due + timedelta(days=1), at, zone)
        return due.astimezone(UTC) - self()

    def until_next_hour(self) -> timedelta:
        """Return how long it is to the next full hour; a whole one at a full hour."""
        now = self()
        full = now.replace(minute=0, second=0, microsecond=0)
        return full + timedelta(hours=1) - now


DEMO_KEY_NAME = "Domain Tracker for Slack"
DEMO_SCOPES = ("read_domains", "write_domains")
# RFC 5737: addresses for documentation, from which no one calls.
OFFICE = "198.51.100.0/24"


class ReadyKeys:
    """Values of ready-made keys: each is shown once, but a portfolio's demo key always."""

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


# name -> how many domains it holds
PORTFOLIOS = {"northwind": 12, "harbor": 150, "atlas": 10_000}
SEEDS = {"harbor": 2, "atlas": 3}


def fill_account(account: Account) -> None:
    """Put the sample domains of this name into an account. Raises: KeyError."""
    if account.name in SEEDS:
        account.fill(PORTFOLIOS[account.name], SEEDS[account.name])
        return
    for domain, health, domain_type, folder, tags in DATA["northwind"]:
        account.add(domain, health=health, domain_type=domain_type, folder=folder, tags=tags)


ADMIN = "ada"
WORKS = "works and is saved"


@dataclass
class Sandbox:
    """Everything in the playground but the bot."""

    slack: LocalSlack
    tracker: Tracker
    clock: MovableClock
    keys: ReadyKeys

    async def connect(self, portfolio: str, timeout_s: float = PATIENCE_S) -> None:
        """Set a portfolio's demo key as ada would: by `/domainkey` and its form.

        What only she saw of it is gone afterwards, as after a reload of Slack. Raises: KeyError.
        """
        ada, key = self.slack.person(ADMIN), self.keys.demo(portfolio)
        await ada.type("/domainkey", channel="dm")
        state = await ada.next_message("dm", timeout_s, lambda message: bool(message.buttons))
        await ada.press(state, "Set key" if "Set key" in state.buttons else "Replace key")
        form = await ada.next_form(timeout_s)
        await ada.submit(form, {"API key": key})
        await ada.close(await self._saved_form(timeout_s))
        self._forget(state)

    async def _saved_form(self, timeout_s: float) -> View:
        ada = self.slack.person(ADMIN)
        while WORKS not in (form := await ada.next_form(timeout_s)).everything:
            pass  # it says first that the key is being checked
        return form

    def _forget(self, message: Message) -> None:
        place = self.slack.world.workspace.channels[message.channel_id]
        for seen in [seen for seen in place.messages if seen.seen_by is not None]:
            self.slack.world.posting.remove(seen)


@asynccontextmanager
async def running_sandbox(
    real_clock: Callable[[], datetime] = utc_now,
    portfolios: Iterable[str] = PORTFOLIOS,
    about: AppInfo | None = None,
) -> AsyncIterator[Sandbox]:
    """Run a local Slack and a local Domain Tracker with sample portfolios until the block ends."""
    clock, settings = MovableClock(real_clock), (about or read_manifest()).settings
    async with (
        running_slack(clock=clock.seconds, **settings) as slack,
        running_tracker(clock=clock) as tracker,
    ):
        sandbox = Sandbox(slack, tracker, clock, ReadyKeys())
        for name in portfolios:
            fill_account(tracker.account(name))
            sandbox.keys.make(tracker.account(name), clock())
        yield sandbox
