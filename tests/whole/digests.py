"""How people in the harness make digests, and how its clock comes to their slots."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from bot.playground.slack import Message, Person, View
from tests.fakes import TIME_LIMIT_S
from tests.virtual_time.loop import VirtualLoop
from tests.whole.harness import Harness

DAY = timedelta(days=1)
EVERY_DAY = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
PROPOSED = {"Days": EVERY_DAY, "Time": "09:00", "Time zone": "UTC"}
SHORT_FIELDS = {"Channel", "Repeat", "Days", "Time", "Time zone", "Filter", "Post"}
NO_FIELDS: Mapping[str, Any] = {}
HEADLINE = "Health digest"


async def open_list(app: Harness, person: Person, channel: str = "general") -> View:
    """Type `/domaindigest` and return the form once it is no longer loading."""
    await person.type("/domaindigest", channel=channel)
    return await settled(person)


async def until_listed(
    app: Harness, words: str, person: Person | None = None, channel: str = "general"
) -> View:
    """Open the list again and again, until it says that; return it."""
    async with asyncio.timeout(TIME_LIMIT_S):
        form = await open_list(app, person or app.bob, channel)
        while words not in form.everything:
            # Each look asks users.info, which Slack limits; virtual seconds cost nothing.
            is_virtual = isinstance(asyncio.get_running_loop(), VirtualLoop)
            await asyncio.sleep(5 if is_virtual else 0.05)
            form = await open_list(app, person or app.bob, channel)
    return form


async def settled(person: Person) -> View:
    """Return the next form that says more than "please wait"."""
    while "⏳" in (form := await person.next_form()).everything:
        pass
    return form


async def press_in(person: Person, form: View, label: str, nth: int = 0) -> View:
    """Press a button of the form; return what stands there in the end."""
    await person.press(form, label, nth=nth)
    return await settled(person)


async def new_form(app: Harness, person: Person, channel: str = "general") -> View:
    """Open the form in which a digest is made."""
    return await press_in(person, await open_list(app, person, channel), "New")


async def make(
    app: Harness, fields: Mapping[str, Any] = NO_FIELDS, *, channel: str = "general"
) -> View:
    """Let bob make a digest, for nine o'clock UTC every day; return the list that says so."""
    form = await new_form(app, app.bob, channel)
    if not {*fields} <= SHORT_FIELDS:
        form = await press_in(app.bob, form, "More options")
    if "Heartbeat" in fields:  # which needs a `Post` that may be silent
        await app.bob.choose(form, "Post", fields["Post"])
        form = await settled(app.bob)
    delivery = await app.bob.submit(form, {**PROPOSED, **fields})
    assert not delivery.errors, delivery.errors
    saved = await settled(app.bob)
    assert "Saved" in saved.everything, saved.everything
    return saved


def nine(app: Harness, days: int = 0) -> datetime:
    """Return the next nine o'clock UTC by the harness's clock, or the one so many days later."""
    now = app.clock()
    today = now.replace(hour=9, minute=0, second=0, microsecond=0)
    return today + (DAY if today <= now else timedelta()) + days * DAY


def move_to(app: Harness, moment: datetime) -> None:
    """Move the harness's clock ahead."""
    app.clock.ahead += moment - app.clock()
    assert app.clock.ahead >= timedelta()


async def next_digest(
    app: Harness, person: Person | None = None, channel: str = "general"
) -> Message:
    return await (person or app.bob).next_message(
        channel, where=lambda message: HEADLINE in headline(message)
    )


async def at_nine(app: Harness, channel: str = "general") -> Message:
    """Let it be the next nine o'clock, and return the digest that comes."""
    move_to(app, nine(app))
    return await next_digest(app, channel=channel)


def score(app: Harness, domain: str, health: float) -> None:
    """Give a domain another health score."""
    [record] = [each for each in app.account.domains.values() if each.domain == domain]
    record.health = health


def headline(message: Message) -> str:
    """Return the header of a message, empty where there is none."""
    headers = [block for block in message.blocks if block["type"] == "header"]
    return str(headers[0]["text"]["text"]) if headers else ""


def digests(app: Harness, channel: str = "general") -> list[Message]:
    found = app.slack.world.workspace.channel_named(channel)
    assert found is not None
    return [message for message in found.messages if HEADLINE in headline(message)]


async def next_notice(app: Harness, person: Person | None = None) -> Message:
    return await (person or app.bob).next_message("dm")
