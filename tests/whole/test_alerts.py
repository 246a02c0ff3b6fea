"""Digests that are posted as soon as something gets worse, and the buttons of their posts."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.blocks.text import moment_text
from bot.playground.slack import Message, Person, View
from tests.whole.digests import headline, make, move_to, open_list, score, until_listed
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket", "shared")]

LOOK = timedelta(minutes=15)
ALERT = {"Post": "Alert, every 15 minutes"}


def to_next_look(app: Harness) -> None:
    """Let it be the next quarter of an hour."""
    now = app.clock()
    move_to(app, now - (now - datetime(1970, 1, 1, tzinfo=UTC)) % LOOK + LOOK)


async def next_look(app: Harness, channel: str = "general") -> None:
    """Let the digest look, and find nothing."""
    to_next_look(app)
    await until_listed(app, f"Last run {moment_text(app.clock())}", channel=channel)


async def next_alert(
    app: Harness, person: Person, channel: str = "general", *, about: str = "www.example"
) -> Message:
    """Let the digest look, and return the alert that comes about a domain."""
    to_next_look(app)
    return await person.next_message(
        channel, where=lambda each: is_alert(each) and about in each.text
    )


def is_alert(message: Message) -> bool:
    """Return whether a message is an alert, by its title."""
    return headline(message).endswith(("got worse", "changed"))


async def redrawn(person: Person, words: str, channel: str = "general") -> Message:
    """Return the alert once it says that."""
    return await person.next_message(channel, where=lambda each: words in each.everything)


async def preview(app: Harness) -> View:
    """Return the form with the preview."""
    while "Preview:" not in (form := await app.bob.next_form()).everything:
        pass
    return form


def alerts(app: Harness, channel: str = "general") -> list[Message]:
    """Return every alert that stands in a channel."""
    found = app.slack.world.workspace.channel_named(channel)
    assert found is not None
    return [message for message in found.messages if is_alert(message)]


async def test_d23_what_gets_worse_is_posted_once_and_somebody_takes_it(ready: Harness) -> None:
    await make(ready, ALERT)
    await next_look(ready)
    score(ready, "www.example", 60)
    post = await next_alert(ready, ready.bob)

    await asyncio.gather(ready.ada.press(post, "Take it"), ready.bob.press(post, "Take it"))
    taken = await redrawn(ready.bob, "takes it")
    is_ada = f"<@{ready.ada.id}> takes it" in taken.everything
    first, other = (ready.ada, ready.bob) if is_ada else (ready.bob, ready.ada)
    answer = await other.next_message(where=lambda each: "already" in each.everything)
    score(ready, "shop.example", 20)
    second = await next_alert(ready, ready.bob, about="shop.example")

    assert "www.example" in post.everything
    assert "97 good to" in post.text
    assert f"<@{first.id}> takes it" in taken.everything
    assert taken.ts == post.ts
    assert "Take it" not in taken.buttons
    assert "Snooze 7 days" in taken.buttons
    assert "Manage" in taken.buttons
    assert f"<@{first.id}> has taken this" in answer.everything
    assert "www.example" not in second.everything
    assert len(alerts(ready)) == 2


async def test_a_score_that_wavers_across_a_rating_makes_no_alerts(ready: Harness) -> None:
    score(ready, "shop.example", 80)
    await make(ready, ALERT)
    await next_look(ready)
    for points in (79, 80, 79, 80, 79):
        score(ready, "shop.example", points)
        await next_look(ready)
    wavering = len(alerts(ready))
    settled = await next_alert(ready, ready.bob, about="shop.example")

    assert wavering == 0
    assert "80 good to" in settled.text


async def test_d23_a_snoozed_domain_is_quiet_for_seven_days(ready: Harness) -> None:
    await make(ready, ALERT)
    await next_look(ready)
    score(ready, "www.example", 60)
    post = await next_alert(ready, ready.bob)
    await ready.bob.press(post, "Snooze 7 days")
    snoozed = await redrawn(ready.bob, "snoozed these domains until")
    score(ready, "www.example", 30)
    await next_look(ready)
    quiet = len(alerts(ready))
    ready.clock.ahead += timedelta(days=7)
    again = await next_alert(ready, ready.bob, about="60 fair to")

    assert "Snooze 7 days" not in snoozed.buttons
    assert quiet == 1
    assert "60 fair to" in again.text


@pytest.mark.transports("socket")
async def test_d23_an_alert_that_looks_late_says_so(ready: Harness) -> None:
    await make(ready, ALERT)
    await next_look(ready)
    score(ready, "www.example", 60)
    now = ready.clock()
    move_to(ready, now - (now - datetime(1970, 1, 1, tzinfo=UTC)) % LOOK + LOOK + LOOK / 5)
    post = await ready.bob.next_message(where=lambda each: "got worse" in headline(each))

    assert "Late: due" in post.everything.replace("*", "")


@pytest.mark.transports("socket")
async def test_d23_its_preview_shows_an_alert_or_that_nothing_got_worse(ready: Harness) -> None:
    await make(ready, ALERT)
    await next_look(ready)
    await ready.bob.press(await open_list(ready, ready.bob), "Preview")
    quiet = await preview(ready)
    score(ready, "www.example", 60)
    ready.clock.ahead += timedelta(minutes=2)
    await ready.bob.press(await open_list(ready, ready.bob), "Preview")
    real = await preview(ready)

    assert "Nothing got worse since the last look." in quiet.everything
    assert "1 domain got worse" in real.everything
    assert "*www.example* health" in real.everything
    assert "Take it" not in real.buttons
    assert alerts(ready) == []


@pytest.mark.transports("shared")
async def test_d23_people_of_another_workspace_and_guests_press_in_vain(ready: Harness) -> None:
    await make(ready, ALERT, channel="shared")
    await next_look(ready, "shared")
    score(ready, "www.example", 60)
    zoe = ready.slack.person("zoe")
    post = await next_alert(ready, zoe, "shared")
    for button in ("Take it", "Snooze 7 days"):
        await zoe.press(post, button)
        refused = await zoe.next_message("shared", where=lambda each: each.is_ephemeral)
        assert "workspace" in refused.everything

    [there] = alerts(ready, "shared")
    assert {"Take it", "Snooze 7 days"} <= set(there.buttons)
    assert "takes it" not in there.everything
