"""How an app leaves a workspace, and what it hears of that."""

from typing import Any

import pytest

from bot.playground.slack import CommandFailed, LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.installer import Installer
from tests.playground.slack.samples import home, section

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("bot")]
Json = dict[str, Any]


@pytest.fixture
def about() -> Json:
    return {"events": ["app_uninstalled", "tokens_revoked"]}


def notices(slack: LocalSlack) -> list[str]:
    """Return the types of the events that the app was sent."""
    return [each.payload["event"]["type"] for each in slack.envelopes]


async def test_a_removed_app_is_told_in_the_words_of_slack(slack: LocalSlack) -> None:
    await slack.uninstall()

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


async def test_a_removed_app_has_no_token_no_command_and_no_channel(
    slack: LocalSlack, api: Api
) -> None:
    token = slack.bot_token
    await api("views.publish", user_id=slack.person("bob").id, view=home(section("Hello")))

    await slack.uninstall()

    assert (await api("auth.test", token=token))["error"] == "account_inactive"
    with pytest.raises(CommandFailed, match="invalid_command"):
        await slack.person("bob").type("/scan")
    general = slack.channel("general")
    assert slack.bot_user_id not in general.members
    assert slack.person("bob").home is None
    with pytest.raises(LookupError):
        await slack.uninstall()


async def test_tokens_can_be_revoked_while_the_app_stays(slack: LocalSlack, api: Api) -> None:
    token = slack.bot_token

    await slack.revoke_bot_token()

    assert notices(slack) == ["tokens_revoked"]
    assert (await api("auth.test", token=token))["error"] == "token_revoked"
    await slack.person("bob").type("/scan")


async def test_an_app_that_comes_back_gets_a_new_token_and_only_new_scopes(
    slack: LocalSlack, installer: Installer, api: Api
) -> None:
    before = slack.bot_token
    await slack.uninstall()
    installer.scopes = "commands"

    await slack.person("ada").install(installer.start_url)

    assert slack.bot_token != before
    assert slack.world.scopes == ("commands",)
    assert (await api("auth.test"))["ok"]
    assert (await api("auth.test", token=before))["error"] == "account_inactive"
