"""The workspaces that the bot serves: one by its token, or any number by OAuth.

A part of the composition root (see bot/app.py).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import aiohttp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.authorize import KNOWN_WITHIN_S, InstalledWorkspaces
from bot.installations.clients import Clients
from bot.installations.directory import Directory
from bot.installations.recent import RecentInstallations
from bot.installations.shelf import InstallationShelf
from bot.installations.signal import Signal
from bot.installations.tokens import FreshTokens
from bot.listeners.dispatcher import BEGUN_AT
from bot.settings import Settings
from bot.slack.identity import Identity, OneClient, OneWorkspace
from bot.slack.oauth import OAuthCalls
from bot.slack.reach import check_api
from bot.tasks import Tasks
from bot.views.installing import not_installed_text
from bot.workspace import WorkspaceId

FOREIGN_WORKSPACE = "This bot serves another workspace. Ask whoever runs it to add this one."


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth:
    """What a bot for many workspaces installs itself with, and what it finds out about them.

    `served` tells of each workspace whose request is let in.
    """

    calls: OAuthCalls
    recent: RecentInstallations
    directory: Directory
    tokens: FreshTokens
    served: Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspaces:
    """As whom the bot answers, and posts unasked.

    `client_for` returns clients that repeat nothing by themselves: see `Posting`. `find_slack`
    returns once Slack is there, and raises SlackError until then. `unknown` is for people whose
    workspace is none of these. Either `own` or `oauth` is `None`. `doubt` is to be told of a
    workspace whose token Slack has refused.
    """

    authorize: AsyncAuthorize
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]]
    find_slack: Callable[[], Awaitable[object]]
    unknown: str
    doubt: Signal
    own: Identity | None = None
    oauth: OAuth | None = None


class Clocked(AsyncAuthorize):
    """An authorization that notes when it began, for what is to be answered in time."""

    def __init__(self, authorize: AsyncAuthorize) -> None:
        self._authorize = authorize

    async def __call__(self, *, context: AsyncBoltContext, **asked: Any) -> AuthorizeResult | None:
        """See `AsyncAuthorize`."""
        context[BEGUN_AT] = asyncio.get_running_loop().time()
        return await self._authorize(context=context, **asked)


class SlackClients:
    """Makes clients of Slack's Web API that share one HTTP session."""

    def __init__(self, settings: Settings, http: aiohttp.ClientSession) -> None:
        self._settings = settings
        self._http = http

    def patient(self, token: str | None = None) -> AsyncWebClient:
        """Return a client that waits once when Slack asks it to."""
        # The SDK would repeat a post whose answer was lost; a refused one is safe to repeat.
        return self._client(token, AsyncRateLimitErrorRetryHandler(max_retry_count=1))

    def once(self, token: str | None = None) -> AsyncWebClient:
        """Return a client that repeats nothing by itself."""
        return self._client(token)

    def _client(
        self, token: str | None, *handlers: AsyncRateLimitErrorRetryHandler
    ) -> AsyncWebClient:
        client = AsyncWebClient(
            token=token, base_url=self._settings.slack_api_url, session=self._http
        )
        client.retry_handlers = [*handlers]
        return client


def open_workspaces(
    settings: Settings,
    shelf: InstallationShelf,
    clients: SlackClients,
    tasks: Tasks,
    *,
    clock: Callable[[], datetime],
    recent_for_s: float,
    patience: float,
) -> Workspaces:
    """Make what answers in the workspaces of these settings.

    `recent_for_s`: how long an installation is taken as it was read. For `patience` see `Pace`.
    """
    if settings.slack_bot_token:
        token = settings.slack_bot_token.get_secret_value()
        workspaces = _one_workspace(clients, token, clock=clock)
    else:
        recent = RecentInstallations(shelf, for_s=recent_for_s)
        workspaces = _many_workspaces(
            settings, recent, clients, tasks, clock=clock, known_within_s=KNOWN_WITHIN_S * patience
        )
    return replace(workspaces, authorize=Clocked(workspaces.authorize))


def _one_workspace(
    clients: SlackClients, token: str, *, clock: Callable[[], datetime]
) -> Workspaces:
    own = Identity(clients.patient(token), clock=clock)
    return Workspaces(
        authorize=OneWorkspace(own),
        client_for=OneClient(own, clients.once(token)),
        find_slack=own.fetch,
        unknown=FOREIGN_WORKSPACE,
        doubt=Signal(),  # nobody listens: its operator finds out
        own=own,
    )


def _many_workspaces(
    settings: Settings,
    recent: RecentInstallations,
    clients: SlackClients,
    tasks: Tasks,
    *,
    clock: Callable[[], datetime],
    known_within_s: float,
) -> Workspaces:
    secret = settings.slack_client_secret
    calls = OAuthCalls(
        clients.once(),
        client_id=settings.slack_client_id or "",
        client_secret=secret.get_secret_value() if secret else "",
    )
    doubt, served = Signal(), Signal()
    tokens = FreshTokens(recent, calls.refresh, tasks=tasks, clock=clock, on_refused=doubt)
    directory = Directory(recent)
    return Workspaces(
        authorize=InstalledWorkspaces(
            directory, tokens, on_served=served, known_within_s=known_within_s
        ),
        client_for=Clients(directory, tokens, clients.once),
        find_slack=_until_found(clients.once()),
        unknown=not_installed_text(settings.public_url or ""),
        doubt=doubt,
        oauth=OAuth(calls=calls, recent=recent, directory=directory, tokens=tokens, served=served),
    )


def _until_found(client: AsyncWebClient) -> Callable[[], Awaitable[object]]:
    """A bot that nobody has installed yet has no token to ask with, and is ready all the same."""
    found: list[bool] = []

    async def find() -> None:
        if not found:
            await check_api(client)
            found.append(True)

    return find
