"""What comes to two processes is done by one of them."""

import logging
from typing import cast

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.app.bolt import SocketMode
from bot.store.deduplication import Dedup
from tests.builders import APP_TOKEN, BOT_TOKEN
from tests.fakes import FakeClock
from tests.web.test_server_slack import SECRET, FakeBolt


@pytest.fixture
def stored() -> Dedup:
    """Return what all processes share; tests/store/postgres has that on PostgreSQL."""
    return Dedup(clock=FakeClock().seconds)


def of_a_process(stored: Dedup) -> Dedup:
    return Dedup(stored, clock=FakeClock().seconds)


class FakeSocket:
    """Takes what Slack would be sent over its connection."""

    def __init__(self) -> None:
        self.logger = logging.getLogger("socket")
        self.acked: list[str] = []
        self.is_closed = False

    async def send_socket_mode_response(self, response: SocketModeResponse) -> None:
        if self.is_closed:
            raise ConnectionResetError("closing transport")
        self.acked.append(response.envelope_id)


@pytest.mark.parametrize("statuses", [[200], [503, 200]])
async def test_an_envelope_is_taken_once(stored: Dedup, statuses: list[int]) -> None:
    bolt, socket = FakeBolt(*statuses), FakeSocket()
    envelope = SocketModeRequest(type="events_api", envelope_id="e1", payload={"command": "/x"})
    for _ in range(3):
        link = a_link(bolt, of_a_process(stored))
        await link.handle(cast(SocketModeClient, socket), envelope)
        await link.close_async()  # type: ignore[no-untyped-call]  # Bolt's own gap

    acks = 3 if statuses == [200] else 2  # what is not acknowledged comes again
    assert (bolt.given, socket.acked) == (len(statuses), ["e1"] * acks)


async def test_an_envelope_whose_line_closes_is_acknowledged_over_the_next_and_acts_once(
    stored: Dedup,
) -> None:
    bolt, socket = FakeBolt(200), FakeSocket()
    envelope = SocketModeRequest(type="events_api", envelope_id="e1", payload={"command": "/x"})
    link = a_link(bolt, stored)
    for socket.is_closed in (True, False):
        await link.handle(cast(SocketModeClient, socket), envelope)
    await link.close_async()  # type: ignore[no-untyped-call]  # Bolt's own gap

    assert (bolt.given, socket.acked) == (1, ["e1"])


def a_link(bolt: FakeBolt, seen: Dedup) -> SocketMode:
    app = AsyncApp(client=AsyncWebClient(token=BOT_TOKEN), signing_secret=SECRET)
    app.async_dispatch = bolt.async_dispatch  # type: ignore[assignment,method-assign]  # counts
    return SocketMode(app, APP_TOKEN, seen=seen)
