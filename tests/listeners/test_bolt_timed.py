"""Each request of Slack is timed from Bolt's hands to its ack, by what sort it is."""

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult

from bot.app.bolt import TimedApp

LONG_S = 0.05


class Acks:
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.notified: list[tuple[str, bool]] = []
        self.took_s: list[float] = []

    def __call__(self, kind: str, took_s: float, *, is_refused: bool) -> None:
        self.notified.append((kind, is_refused))
        self.took_s.append(took_s)


async def authorize(**_request: Any) -> AuthorizeResult:
    return AuthorizeResult(
        enterprise_id=None, team_id="T1", bot_token="xoxb-1", bot_id="B1", bot_user_id="U0BOT"
    )


def an_app(acks: Acks) -> AsyncApp:
    app = TimedApp(
        note_ack=acks,
        authorize=authorize,
        process_before_response=True,
        request_verification_enabled=False,
    )

    @app.command("/scan")
    async def scan(ack: AsyncAck) -> None:
        await asyncio.sleep(LONG_S)
        await ack()

    return app


def a_command(command: str) -> AsyncBoltRequest:
    fields = {"command": command, "team_id": "T1", "user_id": "U1", "text": ""}
    headers: dict[str, str | Sequence[str]] = {"content-type": "application/x-www-form-urlencoded"}
    return AsyncBoltRequest(body=urlencode(fields), headers=headers)


async def test_the_time_of_an_ack_is_that_until_the_listener_has_acked() -> None:
    acks = Acks()

    answer = await an_app(acks).async_dispatch(a_command("/scan"))

    assert (answer.status, acks.notified) == (200, [("command", False)])
    assert acks.took_s[0] >= LONG_S
