"""Alerts with thresholds of their own, and alerts for one person alone."""

import asyncio

import pytest

from tests.whole.digests import headline, make, open_list, score, settled, until_listed
from tests.whole.harness import Harness
from tests.whole.test_alert_life import fallen
from tests.whole.test_alerts import ALERT, alerts, next_look, redrawn, to_next_look

pytestmark = pytest.mark.transports("socket")

OWN = '/domaindigest every 15 minutes UTC name:"Mine" me'


async def watched_alone(app: Harness) -> None:
    """Let bob have an alert of his own that has looked once."""
    await app.ask(app.bob, OWN)
    await next_look(app)


async def test_an_alert_falls_and_recovers_by_its_own_points(ready: Harness) -> None:
    await make(ready, {**ALERT, "Points of change": "15"})
    await next_look(ready)
    score(ready, "www.example", 87)  # 10 points
    await next_look(ready)
    quiet = len(alerts(ready))
    await fallen(ready, {"www.example": 81}, "fell to 81")
    score(ready, "www.example", 88)  # by the usual points it would be back at once
    to_next_look(ready)
    still = headline(await redrawn(ready.bob, "fell to 88"))
    recovered = await fallen(ready, {"www.example": 97}, "Recovered")

    assert quiet == 0
    assert still == "www.example fell to 88"
    assert headline(recovered).startswith("✅ Recovered: www.example 81 → 97")


async def test_an_alert_of_ones_own_is_a_card_in_ones_direct_messages(ready: Harness) -> None:
    await watched_alone(ready)
    card = await fallen(ready, {"www.example": 60}, "fell to 60", channel="dm")
    await ready.bob.press(card, "I'm on it")
    taken = await redrawn(ready.bob, "is on it since", "dm")
    await ready.bob.choose(await open_list(ready, ready.bob), "Snooze", "1 day")
    snoozed = await settled(ready.bob)
    of_ada = await open_list(ready, ready.ada)
    score(ready, "www.example", 97)
    to_next_look(ready)
    recovered = await ready.bob.next_message(
        "dm", where=lambda each: "Recovered" in headline(each)
    )

    assert taken.ts == recovered.ts == card.ts
    assert "snoozed all domains until" in snoozed.everything
    assert "End snooze" in snoozed.buttons
    assert "snoozed" not in of_ada.everything
    assert alerts(ready) == []


async def test_a_guest_reads_no_more_on_the_card_of_an_alert_of_their_own(
    ready: Harness,
) -> None:
    await watched_alone(ready)
    await fallen(ready, {"www.example": 60}, "fell to 60", channel="dm")
    bob = ready.slack.world.workspace.member_named("bob")
    before = [each.everything for each in ready.bob.messages("dm")]
    bob.is_restricted = True
    score(ready, "www.example", 20)
    to_next_look(ready)
    await asyncio.sleep(60)
    after = [each.everything for each in ready.bob.messages("dm")]
    bob.is_restricted = False
    listed = await until_listed(ready, "Paused")

    assert after == before
    assert "20 poor" not in str(after)
    assert "Mine" in listed.everything
