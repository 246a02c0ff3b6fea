"""Build what installs, serves and removes workspaces."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from slack_bolt.async_app import AsyncApp
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings

from bot.app.features import Features
from bot.app.services import Services
from bot.installations.listeners import LifecycleListeners
from bot.installations.oauth_flow import (
    REDIRECT_PATH,
    InstallationStore,
    InstallFlow,
    InstallStates,
)
from bot.installations.uninstall import Uninstaller, still_works
from bot.installations.views import INSTALL_PATH
from bot.installations.welcome import StoreCheck, Welcome
from bot.settings import text_of
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.web.server import InstallEndpoint


async def register_lifecycle(
    app: AsyncApp, services: Services, features: Features
) -> tuple[InstallEndpoint | None, Mapping[str, Callable[[], Awaitable[object]]]]:
    """Attach the OAuth flow and the listeners for removed workspaces to the app.

    Return the endpoint for browsers (`None` without OAuth), and the periodic work.
    """
    own, documents = services.slack.own, services.documents

    uninstaller = Uninstaller(
        documents,
        services.tasks,
        services.installations,
        still_works=partial(still_works, services.slack.client_for),
        caches=[features.portfolio.forget, services.installations.forget],
        clock=services.clock,
        audit=features.audit,
        installed_since=lambda: own.since if own else None,
    )
    welcome = Welcome(
        documents,
        services.installations,
        services.posting,
        services.tasks,
        features.keys,
        features.audit,
        features.permissions,
    )
    LifecycleListeners(uninstaller, services.tasks, on_granted=welcome.on_granted).register(app)
    if own:
        store_check = StoreCheck(documents, own.fetch)
        await store_check.check_at_start()
        return None, {"store-check": store_check.check}
    return InstallEndpoint(_flow(services, welcome)), {"proofs": uninstaller.run_due}


def _flow(services: Services, welcome: Welcome) -> InstallFlow:
    settings = services.settings
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
            installation_store=InstallationStore(services.installations),
            state_store=InstallStates(services.ring, clock=services.clock),
        ),
        client=services.slack.clients.once(),
        clock=services.clock,
        on_installed=welcome.on_installed,
        tasks=services.tasks,
    )
