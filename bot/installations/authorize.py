"""Authorize a request of Slack: find its installation and the client that answers it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import structlog
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.repository import InstallationRepository, ResolvedInstallation
from bot.process.errors import UnknownWorkspaceError
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from bot.store.documents import StoreError

logger = structlog.get_logger()
# Slack waits 3 s for the ack, and `ASKED_WITHIN_S` of `dispatch/deduplication.py` has passed before.
KNOWN_WITHIN_S = 1.4
ASKED = "asked_place"
# Bolt 1.30 passes the events that take access away without a token, but not the one that gives it:
# https://docs.slack.dev/reference/events/team_access_granted
GRANTED = "team_access_granted"


@dataclass(frozen=True, slots=True)
class Clients:
    """Returns the client of any workspace; `make(token)` shares one HTTP session among them."""

    repository: InstallationRepository
    make: Callable[[str], AsyncWebClient]

    async def __call__(self, workspace: WorkspaceId) -> AsyncWebClient:
        """Return a client whose token acts in `workspace`, which may be an `organisation(…)`.

        Raises:
            TokenRefusedError: the app is not installed there, or no longer.
            SlackUnreachableError: the store failed, and nothing was sent.
        """
        try:
            served = await self.repository.resolve(workspace)
        except StoreError as error:
            raise SlackUnreachableError("the token cannot be read") from error
        if served is None:
            raise TokenRefusedError("not_authed")
        client = self.make(served.token)
        if workspace != served.installation.home:
            act_in(client, workspace)
        return client


def act_in(client: AsyncWebClient, workspace: WorkspaceId) -> None:
    """Name the workspace in every call: an organisation's token acts in many.

    https://docs.slack.dev/enterprise/organization-ready-apps
    """
    client.default_params["team_id"] = workspace.team_id


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """The workspace where a request is to act, as far as Slack says it. Each may be `None`.

    `is_of_organisation`: nowhere, it is about what an organisation does with the app.
    """

    team_id: str | None
    enterprise_id: str | None
    is_org_install: bool | None = None
    is_of_organisation: bool = False


async def note_asked_place(
    body: dict[str, Any], context: AsyncBoltContext, next_: Callable[[], Awaitable[None]]
) -> None:
    """Put into the context what Bolt does not pass to `authorize`: for `before_authorize`."""
    by_bolt = AskedPlace(context.team_id, context.enterprise_id, _is_org_install(body))
    context[ASKED] = _asked_place(body, by_bolt)
    await next_()


def _asked_place(body: Mapping[str, Any], by_bolt: AskedPlace) -> AskedPlace:
    """Return the workspace where a payload is to act, given Bolt's (1.30) reading of it.

    In a channel that two companies share, a form submitted by a person of the other one names
    their team and organisation, and the workspace that has the app in the view alone
    (https://github.com/slackapi/bolt-js/issues/1614). Bolt takes the team from the view, and the
    organisation from the person: such a pair must not lead to an organisation's token.
    """
    if _mapping(body.get("event")).get("type") == GRANTED:
        return replace(by_bolt, is_of_organisation=True)
    view = _mapping(body.get("view"))
    installed, own_team = view.get("app_installed_team_id"), _mapping(body.get("team")).get("id")
    if isinstance(installed, str) and installed.startswith("E"):  # the organisation has the app
        team_id = own_team or view.get("team_id")
        return replace(by_bolt, team_id=team_id, enterprise_id=installed)
    if installed and own_team and installed != own_team:
        return replace(by_bolt, team_id=installed, is_org_install=False)
    # An event for an organisation's app may name its workspace outside the authorization alone:
    # https://docs.slack.dev/apis/events-api#events-JSON
    team_id = by_bolt.team_id or body.get("context_team_id") or body.get("team_id")
    return replace(by_bolt, team_id=team_id)


@dataclass(eq=False)  # not frozen: Bolt 1.30 sets a field where the app's id is in the environment
class InstalledWorkspaces(AsyncAuthorize):
    """Bolt's authorization for any number of workspaces: from the store, without `auth.test`.

    Bolt's `AsyncInstallationStoreAuthorize` asks `auth.test` for every request, or caches without
    an end. No request waits longer than `KNOWN_WITHIN_S`. `unknown` is for people of others.
    """

    repository: InstallationRepository
    _: KW_ONLY
    unknown: str

    async def __call__(
        self,
        *,
        context: AsyncBoltContext,
        team_id: str | None,
        enterprise_id: str | None,
        **_request: Any,
    ) -> AuthorizeResult:
        """Return the bot's identity and token.

        Raises:
            UnknownWorkspaceError: the app is not installed there; see `Identity`.
            StoreError: the store failed, or does not answer in time.
        """
        asked: AskedPlace = context.get(ASKED) or AskedPlace(team_id, enterprise_id)
        if asked.is_of_organisation:
            return AuthorizeResult(enterprise_id=asked.enterprise_id, team_id=None)
        served: ResolvedInstallation | None = None
        try:
            async with asyncio.timeout(KNOWN_WITHIN_S):
                if asked.team_id:
                    served = await self.repository.find(
                        asked.team_id, asked.enterprise_id, is_org_install=asked.is_org_install
                    )
        except TimeoutError:
            raise StoreError("no installation in time") from None
        if served:
            return _result(served, context)
        log = logger.bind(team_id=asked.team_id, enterprise_id=asked.enterprise_id)
        log.warning("request of an unknown workspace")
        raise UnknownWorkspaceError(self.unknown)


def _result(served: ResolvedInstallation, context: AsyncBoltContext) -> AuthorizeResult:
    """Return the token for the client, and the bot's id, by which Bolt knows its messages."""
    installation = served.installation
    if installation.is_org_wide:
        act_in(context.client, served.workspace)
    return AuthorizeResult(
        enterprise_id=served.workspace.enterprise_id,
        team_id=served.workspace.team_id,
        bot_user_id=installation.bot_user_id,
        bot_token=served.token,
        bot_scopes=installation.scopes,
    )


def _is_org_install(body: Mapping[str, Any]) -> bool | None:
    """Return what the payload says, `None` if it says nothing; commands say it in a text."""
    authorizations = body.get("authorizations")
    if isinstance(authorizations, list) and authorizations:
        return _is_org_install(_mapping(authorizations[0]))
    said = body.get("is_enterprise_install")
    return None if said is None else said is True or said == "true"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
