"""The events that Slack tells an app: https://docs.slack.dev/apis/events-api."""

from collections.abc import Iterable
from typing import Any

from bot.playground.slack.app import App
from bot.playground.slack.installations import Installation
from bot.playground.slack.methods.views import view_json
from bot.playground.slack.model import Member
from bot.playground.slack.world import World

Json = dict[str, Any]


def home_opened(world: World, who: Member, tab: str = "home") -> Json:
    """Return the event of opening the app's Home tab, or its tab of `messages`.

    https://docs.slack.dev/reference/events/app_home_opened
    """
    workspace = world.workspace
    event: Json = {
        "type": "app_home_opened",
        "user": who.id,
        "channel": workspace.direct_message(who).id,
        "event_ts": workspace.new_ts(),
        "tab": tab,
    }
    # "The view will only be present if the user has opened … the Home tab" and it was published.
    if tab == "home" and (view := world.stacks.homes.get(who.id)):
        event["view"] = view_json(world, view)
    return of_workspace(world, event)


def of_workspace(
    world: World, event: Json, *, at: float | None = None, event_id: str | None = None
) -> Json:
    """Return the payload of an event in a workspace; `at`: Unix seconds, None: now."""
    enterprise_id = world.enterprise_id
    within = {"team_id": world.workspace.team_id}
    if enterprise_id:
        within["enterprise_id"] = enterprise_id
    payload = _wrapped(world.app, within, event, at, event_id)
    if world.installation is None:
        return payload
    authorization = {
        "enterprise_id": enterprise_id,
        "team_id": None if world.is_org_wide else world.workspace.team_id,
        "user_id": world.workspace.bot_user_id,
        "is_bot": True,
        "is_enterprise_install": world.is_org_wide,
    }
    return {**payload, "authorizations": [authorization], "is_ext_shared_channel": False}


def of_installation(
    app: App,
    installation: Installation,
    event: Json,
    *,
    at: float | None = None,
    event_id: str | None = None,
) -> Json:
    """Return the payload of an event that concerns the installation itself.

    It names no authorizations, and for an organisation no workspace: see Bolt's own samples,
    https://github.com/slackapi/bolt-python/blob/main/tests/scenario_tests_async/test_events_token_revocations.py.
    """
    within = {} if installation.is_org_wide else {"team_id": installation.home_id}
    if installation.enterprise_id:
        within["enterprise_id"] = installation.enterprise_id
    return _wrapped(app, within, event, at, event_id)


def team_access(
    app: App, installation: Installation, change: str, team_ids: Iterable[str]
) -> Json:
    """Return the event of giving the app to workspaces (`granted`) or taking it (`revoked`).

    https://docs.slack.dev/reference/events/team_access_granted nests the event twice; what is
    really sent is in https://github.com/slackapi/bolt-python/blob/main/tests/scenario_tests_async/test_events_org_apps.py.
    """
    event_ts = f"{app.clock():.6f}"
    named = {"type": f"team_access_{change}", "team_ids": list(team_ids), "event_ts": event_ts}
    return of_installation(app, installation, named)


def _wrapped(
    app: App, within: dict[str, str], event: Json, at: float | None, event_id: str | None
) -> Json:
    return {
        "token": app.verification_token,
        **within,
        "api_app_id": app.id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id or app.new_event_id(),
        "event_time": int(app.clock() if at is None else at),
    }
