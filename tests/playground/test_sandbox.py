"""The local Slack and the local Domain Tracker together, with one clock."""

from datetime import timedelta

import aiohttp
import pytest

from bot.playground.sandbox import Sandbox, running_sandbox


async def listing(sandbox: Sandbox) -> tuple[int, object]:
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
