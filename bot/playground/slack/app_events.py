"""The events that Slack tells an app: https://docs.slack.dev/apis/events-api."""

from typing import Any

from bot.playground.slack.model import Member
from bot.playground.slack.world import World

Json = dict[str, Any]


def home_opened(world: World, who: Member) -> Json:
    """Return the event of opening the app's Home tab.

    https://docs.slack.dev/reference/events/app_home_opened
    """
    workspace = world.workspace
    ts = workspace.new_ts()
    event = {
        "type": "app_home_opened",
        "user": who.id,
        "channel": workspace.direct_message(who).id,
        "event_ts": ts,
        "tab": "home",
    }
    return {
        "token": world.verification_token,
        "team_id": workspace.team_id,
        "api_app_id": workspace.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": workspace.new_id("Ev"),
        "event_time": int(float(ts)),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": workspace.team_id,
                "user_id": workspace.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
    }
