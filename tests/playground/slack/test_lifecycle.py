"""How an app leaves a workspace, and what it hears of that."""

from typing import Any

import pytest
from aiohttp import web

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


class TestEventsThatAreNotAnswered:
    """Slack tries again at once, after one minute and after five."""

    @pytest.mark.parametrize(("wish", "tries"), [("1", 1), ("0", 2)])
    async def test_the_bot_is_told_of_the_retry_and_may_refuse_more(
        self, slack: LocalSlack, wish: str, tries: int
    ) -> None:
        heard: list[str | None] = []

        async def refuse(request: web.Request) -> web.Response:
            heard.append(request.headers.get("X-Slack-Retry-Num"))
            return web.Response(status=503, headers={"X-Slack-No-Retry": wish})

        app = web.Application()
        app.router.add_post("/", refuse)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        slack.deliver_to(f"http://127.0.0.1:{runner.addresses[0][1]}/")

        await slack.deliver_event({"type": "app_uninstalled"})
        await runner.cleanup()

        assert heard == [None, "1"][:tries]
