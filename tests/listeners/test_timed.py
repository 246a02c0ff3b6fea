"""Each request of Slack is timed from Bolt's hands to its ack, by what sort it is."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult

from bot.api_keys.models import NoKeyError
from bot.bootstrap.slack_app import TimedApp, kind_of
from bot.listeners.error_boundary import outcome_of
from bot.listeners.request import Ack
from bot.metrics.definitions import KINDS
from bot.slack.errors import SlackUnavailableError
from bot.store.documents import ForgottenError, StoreError
from bot.tracker.models import InvalidKeyError
from tests.loops import loop_over

pytestmark = pytest.mark.anyio

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
    async def scan(ack: Ack) -> None:
        await asyncio.sleep(LONG_S)
        await ack()

    @app.command("/broken")
    async def broken(ack: Ack) -> None:
        raise ZeroDivisionError

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


@loop_over("command", ["/broken", "/unknown"])
async def test_a_request_that_gets_an_error_instead_is_counted_as_refused(command: str) -> None:
    acks = Acks()

    answer = await an_app(acks).async_dispatch(a_command(command))

    assert answer.status >= 400
    assert acks.notified == [("command", True)]


@loop_over(
    ("body", "kind"),
    [
        ({"command": "/scan"}, "command"),
        ({"type": "block_actions"}, "action"),
        ({"type": "view_submission"}, "view"),
        ({"type": "view_closed"}, "view"),
        ({"type": "block_suggestion"}, "options"),
        ({"type": "event_callback", "event": {"type": "app_home_opened"}}, "event"),
        ({"type": "shortcut"}, "action"),
        ({"type": "message_action"}, "action"),
        ({"type": "unheard_of"}, "other"),
        ({"type": ["odd"]}, "other"),
        ({}, "other"),
    ],
    ids=lambda given: json.dumps(given)[:30],
)
def test_every_request_has_a_kind(body: dict[str, Any], kind: str) -> None:
    assert kind_of(body) == kind
    assert kind in KINDS


@loop_over(
    ("error", "word"),
    [
        (None, "answered"),
        (InvalidKeyError(), "service"),
        (ForgottenError("gone"), "declined"),
        (StoreError("disk full"), "store"),
        (SlackUnavailableError("no answer"), "slack"),
        (NoKeyError(), "declined"),
        (asyncio.CancelledError(), "cut_off"),
        (ZeroDivisionError(), "broken"),
    ],
    ids=lambda given: str(given)[:20],
)
def test_how_a_request_ended_is_said_by_whose_trouble_it_was(
    error: BaseException | None, word: str
) -> None:
    assert outcome_of(error) == word
