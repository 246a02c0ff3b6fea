"""Build what installs, serves and removes workspaces."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from slack_bolt.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings

from bot.access.repository import SLACK, Act
from bot.app.bolt import SlackAuth
from bot.app.features import Features
from bot.app.services import Services
from bot.dispatch.request import Request
from bot.installations import pages as install_pages
from bot.installations.installation import WHOLE_ORGANISATION, Installation, organisation
from bot.installations.listeners import LifecycleListeners
from bot.installations.oauth_calls import OAuthCalls
from bot.installations.oauth_flow import (
    INSTALL_PATH,
    REDIRECT_PATH,
    InstallationStore,
    InstallFlow,
    InstallStates,
)
from bot.installations.repository import InstallationRepository
from bot.installations.token_check import TokenChecker, token_proof
from bot.installations.uninstall import Uninstaller
from bot.installations.views import arrival_message
from bot.installations.welcome import StoreCheck, Welcome
from bot.process.errors import warned
from bot.process.workspace import WorkspaceId
from bot.settings import text_of
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.slack.replies import Origin
from bot.store.documents import StoreError
from bot.web.server import InstallEndpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """The endpoint for browsers (`None` without OAuth), and the periodic work.

    `at_start` is awaited before the first request is served.
    """

    endpoint: InstallEndpoint | None
    at_start: Callable[[], Awaitable[None]]
    periodic: Mapping[str, Callable[[], Awaitable[object]]]


def register_lifecycle(
    app: AsyncApp,
    parts: Services,
    running: Features,
    workspaces: SlackAuth,
    repository: InstallationRepository,
) -> Lifecycle:
    """Attach the OAuth flow and the listeners for removed workspaces to the app."""
    own, oauth = workspaces.own, workspaces.oauth

    async def note_revoked(home: WorkspaceId) -> None:
        if home.team_id != WHOLE_ORGANISATION:
            await running.admin.audit.note(home, Act.ACCESS_REVOKED, by=SLACK)

    checker = TokenChecker(
        parts.documents,
        repository,
        still_works=token_proof(workspaces.client_for),
        caches=[*running.forget, repository.forget],
        clock=parts.clock,
        on_revoked=note_revoked,
    )
    uninstaller = Uninstaller(
        parts.documents,
        checker,
        installed_since=lambda: own.since if own else None,
    )
    welcome = _welcome(parts, running)

    async def greet(workspace: WorkspaceId) -> None:
        with warned("could not welcome a workspace", StoreError):
            if found := await repository.get(organisation(workspace.enterprise_id or "")):
                await welcome.on_granted(workspace, found.installation)

    LifecycleListeners(uninstaller, parts.tasks, on_granted=greet).register(app)
    if own:
        store_check = StoreCheck(parts.documents, own.fetch)
        return Lifecycle(
            endpoint=None,
            at_start=store_check.check_at_start,
            periodic={"store-check": store_check.check},
        )
    return Lifecycle(
        endpoint=InstallEndpoint(_flow(parts, oauth, repository, welcome)) if oauth else None,
        at_start=_nothing,
        periodic={"proofs": uninstaller.run_due},
    )


async def _nothing() -> None:
    """Do nothing: an installation by OAuth says that the store takes in its workspace again."""


def _flow(
    parts: Services, calls: OAuthCalls, repository: InstallationRepository, welcome: Welcome
) -> InstallFlow:
    settings = parts.settings
    return InstallFlow(
        AsyncOAuthSettings(  # all by name: Bolt reads missing ones from the environment
            client_id=settings.slack_client_id or "",
            client_secret=text_of(settings.slack_client_secret),
            scopes=[
                *NEEDED_SCOPES,
                *OPTIONAL_SCOPES,
                *(MENTION_SCOPES if settings.slack_mentions else ()),
            ],
            user_scopes=[],
            redirect_uri=f"{settings.public_url}{REDIRECT_PATH}",
            install_path=INSTALL_PATH,
            redirect_uri_path=REDIRECT_PATH,
            install_page_rendering_enabled=False,
            authorization_url=settings.slack_authorize_url,
            installation_store=InstallationStore(repository),
            state_store=InstallStates(parts.ring, clock=parts.clock),
        ),
        calls=calls,
        pages=install_pages,
        on_installed=welcome.on_installed,
        tasks=parts.tasks,
    )


def _welcome(parts: Services, running: Features) -> Welcome:
    admin = running.admin

    async def has_key(workspace: WorkspaceId) -> bool:
        return await admin.keys.record(workspace) is not None

    async def may_set_key(workspace: WorkspaceId, user_id: str) -> bool:
        client = await parts.client_for(workspace)
        visit = Request(
            workspace=workspace, origin=Origin(user_id), client=client, replies=parts.replies
        )
        return await admin.permissions.may_configure(visit)

    async def note(installation: Installation, before: Installation | None) -> None:
        act = Act.APP_REINSTALLED if before else Act.APP_INSTALLED
        await admin.audit.note(installation.home, act, by=installation.installed_by)

    return Welcome(
        parts.documents,
        parts.posting.send_dm,
        parts.tasks,
        words=arrival_message,
        has_key=has_key,
        may_set_key=may_set_key,
        note=note,
    )
