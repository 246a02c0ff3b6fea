"""The two stand-ins side by side, filled, on loopback. The bot itself is not in here."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from bot.playground.manifest import AppInfo
from bot.playground.slack import LocalSlack, Message, View, running_slack
from bot.playground.slack.bell import PATIENCE_S
from bot.playground.town.clock import MovableClock, utc_now
from bot.playground.town.journal import Journal
from bot.playground.town.keys import ReadyKeys
from bot.playground.town.portfolios import PORTFOLIOS, fill
from bot.playground.tracker import Tracker, running_tracker

ADMIN = "ada"
WORKS = "works and is saved"


@dataclass
class Town:
    """Everything in the playground but the bot."""

    slack: LocalSlack
    tracker: Tracker
    clock: MovableClock
    keys: ReadyKeys
    journal: Journal

    async def connect(self, portfolio: str, timeout_s: float = PATIENCE_S) -> None:
        """Set a portfolio's demo key as ada would: by `/domainkey` and its form.

        What only she saw of it is gone afterwards, as after a reload of Slack.

        Raises:
            KeyError: no such portfolio.
            CommandFailed, FormError, NothingToPress, TimeoutError: the bot did not take it.
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
async def running_town(
    real_clock: Callable[[], datetime] = utc_now,
    portfolios: Iterable[str] = PORTFOLIOS,
    about: AppInfo | None = None,
) -> AsyncIterator[Town]:
    """Run a local Slack and a local Domain Tracker with sample portfolios until the block ends.

    `about` is what Slack knows of the app; `None` leaves it to the local Slack's own idea.
    """
    clock = MovableClock(real_clock)
    async with (
        _slack(clock, about) as slack,
        running_tracker(clock=clock) as tracker,
    ):
        journal = Journal(slack.outbox.carrier, clock.seconds)
        slack.outbox.carrier = journal
        town = Town(slack, tracker, clock, ReadyKeys(), journal)
        for name in portfolios:
            fill(tracker.account(name))
            town.keys.make(tracker.account(name), clock())
        yield town


def _slack(clock: MovableClock, about: AppInfo | None) -> AbstractAsyncContextManager[LocalSlack]:
    if about is None:
        return running_slack(clock=clock.seconds)
    return running_slack(
        clock=clock.seconds,
        commands=[entry.command for entry in about.commands],
        scopes=about.scopes,
        events=about.events,
        optional_scopes=about.optional_scopes,
        messages_tab=about.messages_tab,
        home_tab=about.home_tab,
    )
