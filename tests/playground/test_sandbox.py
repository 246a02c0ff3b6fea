"""The town by its sockets, and connected by a real bot."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import aiohttp
import pytest

from bot.app import serve
from bot.playground.sandbox import (
    PORTFOLIOS,
    MovableClock,
    Sandbox,
    running_sandbox,
)
from tests.whole.harness import settings_for

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 3, 9, 12, 10, tzinfo=UTC)


@pytest.fixture
async def town() -> AsyncIterator[Sandbox]:
    async with running_sandbox(portfolios=("northwind", "harbor")) as town:
        yield town


async def listing(town: Sandbox, key: str) -> tuple[int, object]:
    """What the service answers to a list request with this key."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.get(f"{town.tracker.url}/api/tools/domain-tracker") as answer,
    ):
        return answer.status, await answer.json()


@pytest.mark.parametrize(("portfolio", "count"), PORTFOLIOS.items(), ids=PORTFOLIOS)
async def test_each_demo_key_lists_its_whole_portfolio(portfolio: str, count: int) -> None:
    async with running_sandbox(portfolios=[portfolio]) as town:
        status, domains = await listing(town, town.keys.demo(portfolio))

    assert status == 200
    assert isinstance(domains, list)
    assert len(domains) == count


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("Dashboard, read only", 200, None),
        ("Importer, write only", 403, "Insufficient permissions"),
        ("Reports", 403, "Insufficient permissions"),
        ("Office only", 403, "IP address not allowed"),
        ("Last year's bot", 401, "Invalid API key"),
        ("Administrator", 200, None),
    ],
    ids=lambda value: str(value),
)
async def test_there_is_a_ready_key_for_each_answer(
    town: Sandbox, name: str, status: int, message: str | None
) -> None:
    records = town.tracker.account("northwind").keys
    value = town.keys.take(next(record for record in records if record.name == name))

    answered, body = await listing(town, str(value))

    assert answered == status
    assert message is None or body == {"error": message}


async def test_moving_the_clock_moves_slack_and_the_service(town: Sandbox) -> None:
    town.clock.move(timedelta(days=91))

    status, _ = await listing(town, town.keys.demo("northwind"))

    assert status == 401  # the demo key lives for 90 days
    assert town.slack.world.workspace.clock() == pytest.approx(town.clock.seconds(), abs=5)
    assert town.clock.seconds() - datetime.now(UTC).timestamp() > 90 * 86_400


def test_the_clock_only_moves_ahead() -> None:
    clock = MovableClock(lambda: NOON)

    clock.move(timedelta(hours=1))
    clock.move(timedelta(days=1))

    assert clock() == NOON + timedelta(days=1, hours=1)
    assert clock.ahead == timedelta(days=1, hours=1)
    with pytest.raises(ValueError, match="only moves ahead"):
        clock.move(-timedelta(seconds=1))
    assert clock() == NOON + timedelta(days=1, hours=1)


def test_the_clock_stays_inside_the_calendar() -> None:
    clock = MovableClock(lambda: NOON)

    with pytest.raises(ValueError, match="calendar"):
        clock.move(timedelta(days=3_000_000))

    assert clock() == NOON


async def test_ada_connects_the_workspace_by_the_form(town: Sandbox, tmp_path: Path) -> None:
    stop = asyncio.Event()
    settings = settings_for(town.slack, town.tracker, tmp_path, "socket")
    bot = asyncio.create_task(serve(settings, stop, clock=town.clock))
    await town.slack.connected()

    await town.connect("harbor")
    await town.connect("northwind")  # the second time it is a replacement

    bob = town.slack.person("bob")
    await bob.type("/domains")
    answer = await bob.next_message(where=lambda message: "⏳" not in message.everything)
    assert "12 domains" in answer.everything
    stop.set()
    await bot


BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("now", "due"),
    [
        pytest.param("2026-11-20T08:59", "2026-11-20T09:00", id="Friday, a minute before"),
        pytest.param("2026-11-20T09:00", "2026-11-23T09:00", id="Friday, at nine"),
        pytest.param("2026-11-21T08:00", "2026-11-23T09:00", id="Saturday"),
        pytest.param("2026-11-22T23:59", "2026-11-23T09:00", id="Sunday"),
        pytest.param("2026-11-23T12:00", "2026-11-24T09:00", id="Monday"),
        pytest.param("2027-03-27T12:00", "2027-03-29T09:00", id="over the start of summer time"),
        pytest.param("2026-10-23T12:00", "2026-10-26T09:00", id="over its end"),
    ],
)
def test_the_next_weekday_begins_at_the_hour_of_its_zone(now: str, due: str) -> None:
    here, there = (datetime.fromisoformat(text).replace(tzinfo=BERLIN) for text in (now, due))
    clock = MovableClock(lambda: here.astimezone(UTC))

    clock.move(clock.until_next_weekday(time(9), BERLIN))

    assert clock() == there.astimezone(UTC)
