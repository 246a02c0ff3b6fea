"""A local Slack and a local Domain Tracker with sample data, and one clock for both."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, tzinfo

from bot.playground.manifest import AppInfo, read_manifest
from bot.playground.slack import LocalSlack, Message, View, running_slack
from bot.playground.slack.change_event import PATIENCE_S
from bot.playground.tracker import Account, Tracker, running_tracker
from bot.playground.tracker.samples.dialects import MIXED
from bot.playground.tracker.samples.facts import DATA
from bot.playground.tracker.service import utc_now

_FRIDAY = 4


class MovableClock:
    """A clock that is called for the moment, an aware datetime in UTC."""

    def __init__(self, real: Callable[[], datetime] = utc_now) -> None:
        self._real = real
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return self._real() + self._ahead

    def seconds(self) -> float:
        return self().timestamp()

    def move(self, by: timedelta) -> None:
        """Move ahead. There is no way back: what has happened carries its time."""
        self._ahead += by

    def until_next_weekday(self, at: time, zone: tzinfo) -> timedelta:
        """Return how long it is until it is `at` in that zone on a day from Monday to Friday."""
        here = self().astimezone(zone)
        due = datetime.combine(here, at, zone)
        while due <= here or due.weekday() > _FRIDAY:
            due = datetime.combine(due + timedelta(days=1), at, zone)
        return due.astimezone(UTC) - self()


DEMO_KEY_NAME = "Domain Tracker for Slack"

# name -> how many domains it holds
PORTFOLIOS = {"northwind": 12, "harbor": 150, "atlas": 10_000}
SEEDS = {"harbor": 2, "atlas": 3}


def fill_account(account: Account) -> None:
    """Put the sample domains of this name into an account. Raises: KeyError."""
    account.dialect = MIXED
    if account.name in SEEDS:
        account.fill(PORTFOLIOS[account.name], SEEDS[account.name])
        return
    for domain, health, domain_type, folder, tags, *_ in DATA["northwind"]:
        account.add(domain, health=health, domain_type=domain_type, folder=folder, tags=tags)


ADMIN = "ada"
WORKS = "works and is saved"
SCANNED = "domains scanned"


@dataclass
class Sandbox:
    """Everything in the playground but the bot."""

    slack: LocalSlack
    tracker: Tracker
    clock: MovableClock
    demo_keys: dict[str, str] = field(default_factory=dict)  # by the portfolio's name

    async def connect(self, portfolio: str, timeout_s: float = PATIENCE_S) -> None:
        """Set a portfolio's demo key as ada would: by `/domainkey` and its form.

        What only she saw of it is gone afterwards, as after a reload of Slack. Raises: KeyError.
        """
        ada, key = self.slack.person(ADMIN), self.demo_keys[portfolio]
        await ada.type("/domainkey", channel="dm")
        state = await ada.next_message("dm", timeout_s, lambda message: bool(message.buttons))
        await ada.press(state, "Set key" if "Set key" in state.buttons else "Replace key")
        form = await ada.next_form(timeout_s)
        await ada.submit(form, {"API key": key})
        await ada.close(await self._saved_form(timeout_s))
        self._forget(state)

    async def scan_all(self, portfolio: str, timeout_s: float = PATIENCE_S) -> None:
        """Scan every domain of the connected portfolio, as ada would in one bulk scan.

        Scores stay what they are, and nothing of it is left in her messages.
        """
        ada, account = self.slack.person(ADMIN), self.tracker.account(portfolio)
        account.keeps_scores = True
        await ada.type("/scan scanned:never", channel="dm")
        question = await ada.next_message("dm", timeout_s, lambda each: "Start" in each.buttons)
        await ada.press(question, "Start")
        summary = await ada.next_message("dm", timeout_s, lambda each: SCANNED in each.everything)
        account.keeps_scores = False
        place = self.slack.world.workspace.channels[summary.channel_id]
        for message in list(place.messages):
            self.slack.world.posting.remove(message)

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
        sandbox = Sandbox(slack, tracker, clock)
        for name in portfolios:
            account = tracker.account(name)
            fill_account(account)
            sandbox.demo_keys[name] = account.create_key(DEMO_KEY_NAME)
        yield sandbox
