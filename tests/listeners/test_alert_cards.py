"""Presses on an alert that come at the same moment."""

from dataclasses import replace

from bot.digests import alert_life as life
from bot.digests.alert_card import AlertCard, Fall
from bot.digests.alert_cards import AlertCards
from bot.digests.models import Snooze
from bot.digests.repository import DigestRepository
from bot.process.workspace import WorkspaceId
from bot.slack.client import SentMessage
from tests.builders import MOMENT
from tests.digests.builders import a_digest, a_schedule
from tests.fakes import FakeClock, FakePosts
from tests.memory import MemoryDocuments

ACME, NAME = WorkspaceId("T1"), "d1/r1"
FALL = Fall(host="www.example", at=MOMENT, told_at=MOMENT, before=90, low=30, now=30, told=30)
ALERT = AlertCard(channel_id="C0OPS", falls=(FALL,), due=MOMENT, ts="1.1")


class Busy(FakePosts):
    """While a card is drawn for the first time, another process snoozes its domains."""

    def __init__(self, alerts: DigestRepository) -> None:
        super().__init__()
        self.alerts, self.others = alerts, AlertCards(alerts, self, clock=FakeClock(MOMENT))

    async def edit(self, workspace: WorkspaceId, sent: SentMessage, message: object) -> None:
        is_first = not self.edited
        await super().edit(workspace, sent, message)  # type: ignore[arg-type]  # any message
        if is_first:
            await self.alerts.change_card(ACME, NAME, snoozed)
            await self.others.show(ACME, NAME)


def snoozed(alert: AlertCard) -> AlertCard:
    return life.touched(replace(alert, snooze=Snooze(by="U0BOB")), MOMENT)


def taken(alert: AlertCard) -> AlertCard:
    return life.take(alert, "U0ADA", MOMENT, takes_over=False)


async def test_one_process_draws_a_card_and_shows_in_the_end_what_both_have_pressed() -> None:
    alerts = DigestRepository(MemoryDocuments())
    await alerts.put(ACME, a_digest(schedule=replace(a_schedule(), every=15)))
    await alerts.keep_card(ACME, NAME, taken(ALERT))
    posts = Busy(alerts)

    await posts.others.show(ACME, NAME)
    stored = await alerts.card(ACME, NAME)
    await posts.others.show(ACME, NAME)

    drawn = [text for _, text in posts.edited]
    assert [("is on it" in text, "snoozed" in text) for text in drawn] == [
        (True, False),
        (True, True),
    ]
    assert (stored.claimed_by, stored.due > MOMENT) == ("", True)
