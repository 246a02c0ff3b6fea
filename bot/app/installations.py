"""Build what installs, serves and removes workspaces."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from aiohttp.web import RouteDef
from slack_bolt.async_app import AsyncApp

from bot.app.features import Features
from bot.app.services import Services
from bot.installations.listeners import LifecycleListeners
from bot.installations.oauth_flow import InstallFlow
from bot.installations.uninstall import Uninstaller, still_works
from bot.installations.welcome import StoreCheck, Welcome


async def register_lifecycle(
    app: AsyncApp, services: Services, features: Features
) -> tuple[Sequence[RouteDef], Callable[[], Awaitable[object]]]:
    """Attach the OAuth flow and the listeners for removed workspaces to the app.

    Return the pages for browsers (none without OAuth), and the periodic work.
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
        return [], store_check.check
    flow = InstallFlow(
        services.settings,
        services.installations,
        client=services.slack.clients.once(),
        clock=services.clock,
        on_installed=welcome.on_installed,
        tasks=services.tasks,
    )
    return flow.routes(), uninstaller.run_due
