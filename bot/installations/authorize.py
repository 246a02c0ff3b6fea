"""Authorize a request of Slack: find its installation and the client that answers it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.repository import InstallationRepository
from bot.process.errors import UnknownWorkspaceError
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackUnreachableError, TokenRefusedError
from bot.store.documents import StoreError

logger = structlog.get_logger()
# Slack waits 3 s for the ack. `ASKED_WITHIN_S` of `store/deduplication.py` has passed before.
KNOWN_WITHIN_S = 1.4
# Bolt 1.30 passes the events that take access away without a token, but not the one that gives it:
# https://docs.slack.dev/reference/events/team_access_granted
GRANTED = "team_access_granted"
IS_GRANT = "is_grant"


def act_in(client: AsyncWebClient, workspace: WorkspaceId) -> None:
    """Name the workspace in every call: an organisation's token acts in many.

    https://docs.slack.dev/enterprise/organization-ready-apps
    """
    client.default_params["team_id"] = workspace.team_id


async def correct_workspace(
    body: dict[str, Any], context: AsyncBoltContext, next_: Callable[[], Awaitable[None]]
) -> None:
    """Let Bolt authorize a request in the workspace where it is to act: for `before_authorize`."""
    context[IS_GRANT] = _mapping(body.get("event")).get("type") == GRANTED
    context["team_id"], context["enterprise_id"], context["is_enterprise_install"] = _workspace(
        body, context.team_id, context.enterprise_id
    )
    await next_()


def _workspace(
    body: Mapping[str, Any], team_id: str | None, enterprise_id: str | None
) -> tuple[str | None, str | None, bool | None]:
    """Return team, organisation, and whether that has the app (`None`: Slack does not say).

    In a channel that two companies share, a form submitted by a person of the other one names
    their team and organisation, and the workspace that has the app in the view alone
    (https://github.com/slackapi/bolt-js/issues/1614). Bolt (1.30) takes the team from the view,
    and the organisation from the person: such a pair must not lead to an organisation's token.
    """
    view = _mapping(body.get("view"))
    installed, own_team = view.get("app_installed_team_id"), _mapping(body.get("team")).get("id")
    if isinstance(installed, str) and installed.startswith("E"):  # the organisation has the app
        return own_team or view.get("team_id"), installed, _is_org_install(body)
    if installed and own_team and installed != own_team:
        return installed, enterprise_id, False
    # An event for an organisation's app may name its workspace outside the authorization alone:
    # https://docs.slack.dev/apis/events-api#events-JSON
    team_id = team_id or body.get("context_team_id") or body.get("team_id")
    return team_id, enterprise_id, _is_org_install(body)


@dataclass(eq=False)  # not frozen: Bolt 1.30 sets a field where the app's id is in the environment
class InstalledWorkspaces(AsyncAuthorize):
    """Bolt's authorization for any number of workspaces: from the store, without `auth.test`.

    Bolt's `AsyncInstallationStoreAuthorize` asks `auth.test` for every request, or caches without
    an end. No request waits longer than `KNOWN_WITHIN_S`. `make(token)` returns a client,
    `unknown` is for people of other workspaces.
    """

    repository: InstallationRepository
    make: Callable[[str | None], AsyncWebClient]
    unknown: str

    async def __call__(
        self,
        *,
        context: AsyncBoltContext,
        team_id: str | None,
        enterprise_id: str | None,
        **_request: Any,
    ) -> AuthorizeResult:
        """Return the token for the client, and the bot's id, by which Bolt knows its messages.

        UnknownWorkspaceError: the app is not installed there; see `Identity`. StoreError.
        """
        if context.get(IS_GRANT):
            return AuthorizeResult(enterprise_id=enterprise_id, team_id=None)
        is_org_install = context.get("is_enterprise_install")
        try:
            async with asyncio.timeout(KNOWN_WITHIN_S):
                served = await self.repository.find(
                    team_id, enterprise_id, is_org_install=is_org_install
                )
        except TimeoutError:
            raise StoreError("no installation in time") from None
        if served is None:
            ids = {"team_id": team_id, "enterprise_id": enterprise_id}
            logger.warning("request of an unknown workspace", **ids)
            raise UnknownWorkspaceError(self.unknown)
        installation, workspace = served
        if installation.is_org_wide:
            act_in(context.client, workspace)
        return AuthorizeResult(
            enterprise_id=workspace.enterprise_id,
            team_id=workspace.team_id,
            bot_user_id=installation.bot_user_id,
            bot_token=installation.token,
            bot_scopes=installation.scopes,
        )

    async def client_for(self, workspace: WorkspaceId) -> AsyncWebClient:
        """Return a client whose token acts in `workspace`, which may be an `organisation(…)`.

        TokenRefusedError: the app is not installed there. SlackUnreachableError: the store failed.
        """
        try:
            served = await self.repository.resolve(workspace)
        except StoreError as error:
            raise SlackUnreachableError("the token cannot be read") from error
        if served is None:
            raise TokenRefusedError("not_authed")
        installation, _ = served
        client = self.make(installation.token)
        if workspace != installation.home:
            act_in(client, workspace)
        return client


def _is_org_install(body: Mapping[str, Any]) -> bool | None:
    """Return what the payload says, `None` if it says nothing; commands say it in a text."""
    authorizations = body.get("authorizations")
    if isinstance(authorizations, list) and authorizations:
        return _is_org_install(_mapping(authorizations[0]))
    said = body.get("is_enterprise_install")
    return None if said is None else said is True or said == "true"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
