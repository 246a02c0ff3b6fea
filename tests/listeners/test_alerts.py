"""Presses on an alert that come at the same moment."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.digests.alert_listeners import AlertListeners
from bot.digests.models import Alert
from bot.digests.repository import DigestRepository
from bot.digests.screen import DigestScreen
from bot.dispatch.request import Request
from bot.process.workspace import WorkspaceId
from bot.slack.replies import Origin, Replies
from tests.builders import MOMENT
from tests.memory import MemoryDocuments

ACME, NAME = WorkspaceId("T1"), "d1/r1"


class Post(AsyncWebClient):
    """A post in Slack; while it is drawn for the first time, another process snoozes it."""

    def __init__(self, alerts: DigestRepository) -> None:
        super().__init__(token="xoxb-1")
        self.alerts = alerts
        self.drawn: list[str] = []

    async def chat_update(self, **message: Any) -> Any:
        if not self.drawn:
            await self.alerts.change_alert(ACME, NAME, snoozed)
        self.drawn.append(str(message))


def snoozed(alert: Alert) -> Alert:
    return replace(alert, snoozed_by="U2", snoozed_until=MOMENT)


async def let_in(*_asked: Any) -> None:
    return None


async def test_the_post_shows_in_the_end_what_both_have_pressed() -> None:
    alerts = DigestRepository(MemoryDocuments())
    await alerts.keep_alert(ACME, NAME, Alert(channel_id="C1", hosts=("www.example",)), MOMENT)
    post, screen = Post(alerts), SimpleNamespace(access=SimpleNamespace(require_visitor=let_in))
    async with aiohttp.ClientSession() as http:
        request = Request(
            workspace=ACME,
            origin=Origin("U1", "C1"),
            client=post,
            replies=Replies(http),
            message={"ts": "1.1", "blocks": []},
        )
        await AlertListeners(alerts=alerts, screen=cast(DigestScreen, screen)).take(request, NAME)

    assert "snoozed" not in post.drawn[0]
    assert "takes it" in post.drawn[-1]
    assert "snoozed" in post.drawn[-1]
