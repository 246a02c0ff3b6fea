"""A fresh workspace watches its domains: by two presses after the first key, and at night."""

import asyncio
import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.playground.slack import Message
from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import DAY, move_to, next_digest
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")

HOUR = timedelta(hours=1)
# Where everybody lives.
BERLIN = ZoneInfo("Europe/Berlin")


def at(app: Harness, hour: int, *, on_weekday: bool = False) -> datetime:
    """Return when it is next so late in Berlin, by the harness's clock."""
    moment = app.clock().astimezone(BERLIN).replace(hour=hour, minute=0, second=0, microsecond=0)
    while moment <= app.clock() or (on_weekday and moment.weekday() > 4):
        moment += DAY
    return moment


def scans_of(app: Harness) -> list[datetime]:
    """Return when the service was asked for a scan."""
    return [sent.at for sent in app.tracker.requests if sent.method == "POST"]


async def offered(app: Harness, ends: datetime) -> Message:
    """Set the first key of a workspace with three domains; return what is offered then.

    The scan of one domain says that its certificate ends then, the others say nothing known.
    """
    for domain in ("shop.example", "www.example", "new.example"):
        app.account.add(domain, health=80)
        app.account.scan_results[domain] = {"whois": {"answer": "free text"}}
    app.account.scan_results["shop.example"] = {
        "whois": {"expiryDate": (ends + 400 * DAY).isoformat()},
        "ssl": {"notAfter": ends.isoformat()},
        "security": {"issues": []},
    }
    await app.connect()
    assert app.first_steps is not None
    return app.first_steps


async def test_two_presses_after_the_first_key_make_a_digest(app: Harness) -> None:
    due = at(app, 9, on_weekday=True)
    message = await offered(app, due + 7 * DAY + HOUR)

    await app.ada.press(message, "Scan all 3")
    await app.ada.next_message(
        "dm", where=lambda message: "3 domains scanned" in message.everything
    )
    await app.ada.press(message, "Digest here")
    made = await app.ada.next_message(where=lambda message: "Saved" in message.everything)
    move_to(app, due)
    posted = await next_digest(app)

    assert "It sees 3 domains" in message.text
    assert "Scan 3 domains? About 2 minutes and 4 of the" in message.text
    assert message.buttons == ["Scan all 3", "Digest here"]
    assert "✅ Saved. Next run" in made.everything
    assert made.buttons == ["Manage", "Delete"]
    assert posted.text.startswith("shop.example: certificate expires in 7 days")
    assert re.search(
        r"Expires within 30 days  ·  scanned \d+ hours ago", posted.everything.replace("*", "")
    )
    assert "Both dates known for 1 of 3 domains, issues for 1" in posted.everything


async def test_nightly_scans_begin_though_slack_fails_after_the_check(app: Harness) -> None:
    app.account.fill(3)
    key = app.account.create_key("bot", scopes=("read_domains", "write_domains"), days=90)
    hold = app.tracker.hold_requests()
    await app.ada.press(await app.ask(app.ada, "/domainkey"), "Set key")
    await app.ada.submit(await app.ada.next_form(), {"API key": key})
    await hold.waiting()
    app.slack.fail_next("users.info", "internal_error", times=9)
    hold.release()

    assert "It sees 3 domains" in (await app.next_first_steps()).everything


async def test_a_night_scans_within_a_quarter_of_the_allowance(app: Harness) -> None:
    app.tracker.hourly_limit = 40
    app.account.fill(12)
    await app.connect()
    app.tracker.requests.clear()

    move_to(app, at(app, 1) - HOUR / 2)
    async with asyncio.timeout(TIME_LIMIT_S):
        while len(scans_of(app)) < 12:
            app.clock.ahead += timedelta(seconds=60)
            await asyncio.sleep(0.05)

    begun = [sent.at for sent in app.tracker.requests]
    assert min(begun) >= at(app, 1) - DAY
    assert max(sum(one <= each < one + HOUR for each in begun) for one in begun) <= 10
    assert len({sent.path for sent in app.tracker.requests if sent.method == "POST"}) == 12
