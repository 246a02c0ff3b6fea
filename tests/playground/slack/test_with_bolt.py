"""The real Bolt and the local Slack. What both do together every day is in tests/whole."""

from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp

from bot.playground.slack import running_slack
from tests.fakes import TIME_LIMIT_S
from tests.playground.slack.bolt import bolt_app, by_socket

pytestmark = pytest.mark.anyio


async def answer_in_ack(ack: Any) -> None:
    await ack("usage: /scan example.com")


def answering(app: AsyncApp) -> AsyncApp:
    app.command("/scan")(answer_in_ack)
    return app


async def test_a_refreshed_link_is_renewed_and_goes_on() -> None:
    async with (
        running_slack(answers_within_s=TIME_LIMIT_S) as slack,
        by_socket(answering(bolt_app(slack)), slack),
    ):
        await slack.sockets.refresh()
        await slack.connected()

        await slack.person("bob").type("/scan")

    assert [call.method for call in slack.calls].count("apps.connections.open") == 2
