"""Digests that are posted as soon as something gets worse, and the buttons of their posts."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.blocks.text import moment_text
from bot.playground.slack import Message, Person, View
from tests.whole.digests import headline, make, move_to, open_list, score, until_listed
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")

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
    """Return whether a message is a card, by its title."""
    title = headline(message)
    return bool(title) and "Health digest" not in title and not message.is_ephemeral


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


async def test_a_fall_is_posted_once_and_someone_takes_it(ready: Harness) -> None:
    await make(ready, ALERT)
    await next_look(ready)
    score(ready, "www.example", 60)
    post = await next_alert(ready, ready.bob)

    presses = (each.press(post, "I'm on it") for each in (ready.ada, ready.bob))
    await asyncio.gather(*presses)
    taken = await redrawn(ready.bob, "is on it since")
    is_ada = f"<@{ready.ada.id}> is on it" in taken.everything
    first, other = (ready.ada, ready.bob) if is_ada else (ready.bob, ready.ada)
    answer = await other.next_message(where=lambda each: "is on it. " in each.everything)
    score(ready, "shop.example", 20)
    second = await next_alert(ready, ready.bob, about="shop.example")

    assert "www.example" in post.everything
    assert "97 good to" in post.text
    assert f"<@{first.id}> is on it since" in taken.everything
    assert taken.ts == post.ts
    assert "I'm on it" not in taken.buttons
    assert "Manage" in taken.buttons
    assert f"<@{first.id}> is on it. Press `Take over`" in answer.everything
    assert "www.example" not in second.everything
    assert len(alerts(ready)) == 2


async def test_an_alerts_preview_shows_it_or_that_nothing_got_worse(ready: Harness) -> None:
    await make(ready, ALERT)
    await next_look(ready)
    await ready.bob.press(await open_list(ready, ready.bob), "Preview")
    quiet = await preview(ready)
    score(ready, "www.example", 60)
    ready.clock.ahead += timedelta(minutes=2)
    await ready.bob.press(await open_list(ready, ready.bob), "Preview")
    real = await preview(ready)

    assert "Nothing got worse since the last check." in quiet.everything
    assert "www.example fell to 60" in real.everything
    assert "*www.example* health" in real.everything
    assert "I'm on it" not in real.buttons
    assert alerts(ready) == []


@pytest.mark.transports("http")
async def test_strangers_and_guests_cannot_use_an_alerts_buttons(ready: Harness) -> None:
    await make(ready, ALERT, channel="shared")
    await next_look(ready, "shared")
    score(ready, "www.example", 60)
    zoe = ready.slack.person("zoe")
    post = await next_alert(ready, zoe, "shared")
    presses = (zoe.press(post, "I'm on it"), zoe.choose(post, "Snooze", "7 days"))
    for pressed in presses:
        await pressed
        refused = await zoe.next_message("shared", where=lambda each: each.is_ephemeral)
        assert "workspace" in refused.everything

    [there] = alerts(ready, "shared")
    assert "I'm on it" in there.buttons
    assert "is on it" not in there.everything
    assert "snoozed" not in there.everything
