"""How an app leaves a workspace, and what it hears of that."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("bot")]
Json = dict[str, Any]


@pytest.fixture
def about() -> Json:
    return {"events": ["app_uninstalled", "tokens_revoked"]}


async def test_a_removed_app_is_told_in_the_words_of_slack(slack: LocalSlack, api: Api) -> None:
    token = slack.bot_token
    await slack.uninstall()

    assert (await api("auth.test", token=token))["error"] == "account_inactive"
    assert slack.bot_user_id not in slack.channel("general").members

    removed, revoked = (each.payload for each in slack.envelopes)
    assert removed == {
        "token": slack.world.app.verification_token,
        "team_id": "T0PLAYGROUND",
        "api_app_id": "A0PLAYGROUND",
        "event": {"type": "app_uninstalled"},
        "type": "event_callback",
        "event_id": removed["event_id"],
        "event_time": 1_800_000_000,
        "event_context": "4-local",
    }
    assert revoked["event"] == {
        "type": "tokens_revoked",
        "tokens": {"oauth": [], "bot": [slack.bot_user_id]},
    }
    assert removed["event_id"] != revoked["event_id"]
