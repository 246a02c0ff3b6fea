"""The local Slack and the local Domain Tracker together, with one clock."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import aiohttp
import pytest

from bot.playground.sandbox import MovableClock, Sandbox, running_sandbox

BERLIN = ZoneInfo("Europe/Berlin")


async def listing(sandbox: Sandbox) -> tuple[int, object]:
    """What the service answers to a list request with the demo key."""
    headers = {"Authorization": f"Bearer {sandbox.demo_keys['northwind']}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.get(f"{sandbox.tracker.url}/api/tools/domain-tracker") as answer,
    ):
        return answer.status, await answer.json()


async def test_moving_the_clock_moves_slack_and_the_service() -> None:
    async with running_sandbox(portfolios=["northwind"]) as sandbox:
        status, domains = await listing(sandbox)
        assert (status, len(str(domains).split("domainId"))) == (200, 12 + 1)

        sandbox.clock.move(timedelta(days=91))

        assert await listing(sandbox) == (401, {"error": "Invalid API key"})
        now = sandbox.slack.world.workspace.clock()
        assert now == pytest.approx(sandbox.clock.seconds(), abs=5)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        pytest.param("2026-11-20T08:59", "2026-11-20T09:00", id="Friday, a minute before"),
        pytest.param("2026-11-20T09:00", "2026-11-23T09:00", id="Friday, at nine"),
        pytest.param("2027-03-27T12:00", "2027-03-29T09:00", id="over the start of summer time"),
    ],
)
def test_the_next_weekday_begins_at_the_hour_of_its_zone(now: str, due: str) -> None:
    here, there = (datetime.fromisoformat(text).replace(tzinfo=BERLIN) for text in (now, due))
    clock = MovableClock(lambda: here.astimezone(UTC))

    clock.move(clock.until_next_weekday(time(9), BERLIN))

    assert clock() == there.astimezone(UTC)
