"""Handle Slack's events about the app itself: uninstalled, tokens revoked, granted.

Slack repeats an event that is not answered with 2xx: at once, after one minute and after five
(https://docs.slack.dev/apis/events-api#retries).
Bolt does not authorize the first three events: their tokens are gone already.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.installations.installation import UninstallEvent, UninstallKind, organisation
from bot.installations.uninstall import Uninstaller
from bot.process.concurrency import Tasks
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError

logger = structlog.get_logger()
# Slack waits 3 s. Work that takes longer goes on, and is done when Slack asks again.
ANSWERED_WITHIN_S = 2.5


@dataclass(frozen=True, slots=True)
class LifecycleListeners:
    """Answers 200 when an event is handled, and 503 until then.

    `on_granted` greets in a workspace to which an organisation has granted the app; it may raise
    StoreError, and must not wait.
    """

    uninstaller: Uninstaller
    tasks: Tasks
    _: KW_ONLY
    on_granted: Callable[[WorkspaceId], Awaitable[object]]

    def register(self, app: AsyncApp) -> None:
        for kind in UninstallKind:
            app.event(kind.value)(self.follow)
        app.event("team_access_granted")(self.grant)

    async def follow(self, body: Mapping[str, Any]) -> BoltResponse | None:
        deleting = self.tasks.start(self._follow(read_departures(body)))
        await asyncio.wait({deleting}, timeout=ANSWERED_WITHIN_S)
        if deleting.done() and deleting.result():
            return None
        logger.warning("still deleting")
        return BoltResponse(status=503, body="not done yet")

    async def grant(self, body: Mapping[str, Any]) -> None:
        for home in _of_teams(body):
            with log_and_suppress("writes may be refused for an hour", StoreError, home=str(home)):
                await self.uninstaller.grant(home)
            with log_and_suppress("could not welcome a workspace", StoreError, home=str(home)):
                await self.on_granted(home)

    async def _follow(self, events: list[UninstallEvent]) -> bool:
        """Handle one after another; return whether none failed, which must not stop the others."""
        failed = len(events)
        for event in events:
            names = {"home": str(event.home), "kind": event.kind.value}
            with log_and_suppress("not deleted yet", Exception, **names):  # Slack sends it again
                await self.uninstaller.handle(event)
                logger.info("uninstalled", **names)
                failed -= 1
        return not failed


def read_departures(body: Mapping[str, Any]) -> list[UninstallEvent]:
    """Return the uninstallations of an event.

    https://docs.slack.dev/reference/events/app_uninstalled, …/tokens_revoked and
    …/team_access_revoked.
    """
    event = body["event"]
    kind = UninstallKind(event["type"])
    if kind is UninstallKind.REVOKED and not event["tokens"].get("bot"):
        return []  # the token of a person: the bot has none
    homes = _of_teams(body) if kind is UninstallKind.WITHDRAWN else _homes(body)
    at = datetime.fromtimestamp(int(body["event_time"]), UTC)
    return [UninstallEvent(home, kind, at) for home in homes]


def _homes(body: Mapping[str, Any]) -> list[WorkspaceId]:
    """Return the workspaces of an event; an organisation only if it names no workspace.

    A wrong guess must not delete a whole organisation, and `uninstall.py` finds dead tokens
    anyway. A workspace may have joined an organisation since its documents were stored.
    """
    team_id = body.get("team_id") or _authorization(body).get("team_id")
    enterprise_id = _enterprise_id(body)
    if not team_id or team_id.startswith("E"):
        whole = team_id or enterprise_id
        return [organisation(whole)] if whole else []
    alone = WorkspaceId(team_id)
    return [WorkspaceId(team_id, enterprise_id), alone] if enterprise_id else [alone]


def _of_teams(body: Mapping[str, Any]) -> list[WorkspaceId]:
    """Return the workspaces to which an organisation gives the app, or from which it takes it."""
    return [WorkspaceId(each, _enterprise_id(body)) for each in body["event"]["team_ids"]]


def _enterprise_id(body: Mapping[str, Any]) -> str | None:
    named = (each.get("enterprise_id") for each in (body, _authorization(body), body["event"]))
    return next(filter(None, named), None)


def _authorization(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event's installation: https://docs.slack.dev/apis/events-api#authorizations."""
    return next(iter(body.get("authorizations") or ()), {})
