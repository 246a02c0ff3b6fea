"""Enterprise organisations: one token for several workspaces, and payloads that say so."""

from typing import Any

import pytest

from bot.playground.slack import LocalOrg, LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.installer import Installer

pytestmark = pytest.mark.usefixtures("bot")
Json = dict[str, Any]

SCOPES = ("commands", "chat:write", "im:write", "users:read", "channels:read", "usergroups:read")
EVENTS = ("team_access_granted", "team_access_revoked", "app_home_opened", "app_uninstalled")


@pytest.fixture
def about() -> Json:
    return {"scopes": SCOPES, "events": EVENTS, "deploys_to_orgs": True}


@pytest.fixture
def org(slack: LocalSlack) -> LocalOrg:
    return slack.add_org("Globex")


@pytest.fixture
def sales(org: LocalOrg) -> LocalSlack:
    return org.add_workspace("Sales")


@pytest.fixture
async def legal(org: LocalOrg, sales: LocalSlack, installer: Installer) -> LocalSlack:
    """A second workspace, after the whole organisation has installed the app: none has it yet."""
    legal = org.add_workspace("Legal")
    await sales.person("olga").install(installer.start_url, org_wide=True)
    return legal


class TestInstalling:
    @pytest.mark.parametrize(("name", "status"), [("olga", 200), ("ora", 200), ("ada", 403)])
    async def test_only_organisation_admins_install_it_for_all(
        self, sales: LocalSlack, installer: Installer, name: str, status: int
    ) -> None:
        page = await sales.person(name).install(installer.start_url, org_wide=True)

        assert page.status == status


class TestTheToken:
    async def test_a_workspace_without_a_grant_is_closed(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack, api: Api
    ) -> None:
        await org.grant(sales)
        token = org.bot_token

        posted = await api(
            "chat.postMessage", token=token, channel=legal.channel("general").id, text="x"
        )
        listed = await api("users.conversations", token=token, team_id=legal.team_id)
        named = await api("chat.postMessage", token=token, channel="general", text="x")

        assert [posted["error"], listed["error"]] == ["team_access_not_granted"] * 2
        assert named["error"] == "team_not_found"  # a channel's name is no address


class TestPayloads:
    async def test_events_name_installations(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack
    ) -> None:
        await org.grant(sales)

        delivery = await sales.person("bob").by_id.open_home()

        assert delivery
        payload = delivery.payload
        assert (payload["team_id"], payload["enterprise_id"]) == (sales.team_id, org.id)
        assert payload["authorizations"] == [
            {
                "enterprise_id": org.id,
                "team_id": None,
                "user_id": sales.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": True,
            }
        ]
