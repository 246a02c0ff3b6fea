"""Enterprise organisations: one token for several workspaces, and payloads that say so."""

from typing import Any

import pytest

from bot.playground.manifest import Shortcut
from bot.playground.slack import LocalOrg, LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.installer import Installer
from tests.playground.slack.samples import (
    form,
    text_field,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("bot")]
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


def id_of(slack: LocalSlack, name: str) -> str:
    channel = slack.channel(name)
    return channel.id


class TestInstalling:
    async def test_the_answer_names_the_organisation_and_no_workspace(
        self, org: LocalOrg, legal: LocalSlack, installer: Installer
    ) -> None:
        [answer] = installer.answers
        assert (answer["team"], answer["is_enterprise_install"]) == (None, True)
        assert answer["enterprise"] == {"id": "E0GLOBEX", "name": "Globex"}
        assert answer["access_token"] == org.bot_token

    @pytest.mark.parametrize(("name", "status"), [("olga", 200), ("ora", 200), ("ada", 403)])
    async def test_only_owners_and_admins_of_the_organisation_install_it_for_all(
        self, sales: LocalSlack, installer: Installer, name: str, status: int
    ) -> None:
        page = await sales.person(name).install(installer.start_url, org_wide=True)

        assert page.status == status

    async def test_an_app_that_is_not_for_organisations_is_not_installed_for_one(
        self, org: LocalOrg, sales: LocalSlack, installer: Installer
    ) -> None:
        sales.app.settings.deploys_to_orgs = False

        page = await sales.person("olga").install(installer.start_url, org_wide=True)

        assert "org_deploy_not_enabled" in page.text
        assert not org.is_installed

    async def test_but_not_once_all_of_it_has_the_app(
        self, legal: LocalSlack, installer: Installer
    ) -> None:
        page = await legal.person("bob").install(installer.start_url)

        assert page.text == "cannot_install_an_org_installed_app"


class TestTheToken:
    async def test_it_is_the_organisation_s(
        self, org: LocalOrg, legal: LocalSlack, api: Api
    ) -> None:
        whose = await api("auth.test", token=org.bot_token)

        assert (whose["team_id"], whose["enterprise_id"]) == (org.id, org.id)
        assert whose["is_enterprise_install"] is True

    async def test_a_workspace_that_was_not_given_the_app_is_closed_to_it(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack, api: Api
    ) -> None:
        await org.grant(sales)
        token = org.bot_token

        posted = await api(
            "chat.postMessage", token=token, channel=id_of(legal, "general"), text="x"
        )
        listed = await api("users.conversations", token=token, team_id=legal.team_id)

        assert [posted["error"], listed["error"]] == ["team_access_not_granted"] * 2

    async def test_a_name_of_a_channel_is_no_address(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack, api: Api
    ) -> None:
        await org.grant(sales)

        answer = await api("chat.postMessage", token=org.bot_token, channel="general", text="x")

        assert answer["error"] == "team_not_found"

    @pytest.mark.parametrize("method", ["users.conversations", "users.list", "usergroups.list"])
    async def test_lists_need_to_know_of_which_workspace(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack, api: Api, method: str
    ) -> None:
        await org.grant(sales)
        token = org.bot_token

        lost = await api(method, token=token)
        nowhere = await api(method, token=token, team_id="T9")
        found = await api(method, token=token, team_id=sales.team_id)

        assert [lost["error"], nowhere["error"]] == ["missing_argument", "team_not_found"]
        assert found["ok"]


class TestPeople:
    @pytest.mark.parametrize(
        ("name", "of_org", "of_sales", "of_legal"),
        [
            ("olga", "owner", "owner", "owner"),
            ("ora", "admin", "member", "member"),
            ("ada", "member", "admin", "member"),
            ("cy", "member", "member", "admin"),
        ],
    )
    async def test_rights_in_the_organisation_and_in_a_workspace_are_two_things(
        self,
        sales: LocalSlack,
        legal: LocalSlack,
        org: LocalOrg,
        api: Api,
        name: str,
        of_org: str,
        of_sales: str,
        of_legal: str,
    ) -> None:
        def role(of: Json) -> str:
            return "owner" if of["is_owner"] else "admin" if of["is_admin"] else "member"

        found = []
        for slack in (sales, legal):
            await org.grant(slack)
            who = slack.person(name).id
            found.append((await api("users.info", token=org.bot_token, user=who))["user"])
            await org.revoke_access(slack)

        assert [role(user) for user in found] == [of_sales, of_legal]
        assert [role(user["enterprise_user"]) for user in found] == [of_org, of_org]


class TestPayloads:
    async def test_a_sent_form_names_no_team_but_its_view_does(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack, api: Api
    ) -> None:
        await org.grant(sales)
        bob = sales.person("bob")
        trigger_id = (await bob.type("/scan")).trigger_id
        view = form(text_field("Name", optional=True))
        await api("views.open", token=org.bot_token, trigger_id=trigger_id, view=view)

        payload = (await bob.submit(await bob.next_form())).payload

        assert payload["team"] is None
        assert payload["view"]["team_id"] == sales.team_id
        assert payload["view"]["app_installed_team_id"] == org.id

    async def test_a_global_shortcut_names_no_team(
        self, slack: LocalSlack, org: LocalOrg, sales: LocalSlack, legal: LocalSlack
    ) -> None:
        await org.grant(sales)
        slack.app.settings.shortcuts = [Shortcut("Scan a domain", "scan", "global")]

        payload = (await sales.person("bob").shortcut("Scan a domain")).payload

        assert (payload["team"], payload["enterprise"]["id"]) == (None, org.id)

    async def test_an_event_names_whose_installation_hears_of_it(
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


class TestEvents:
    async def test_the_app_is_told_which_workspaces_it_gains_and_loses(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack
    ) -> None:
        await org.grant(sales, legal)
        await org.revoke_access(legal)

        gained, lost = (each.payload for each in org.envelopes)
        assert gained == {
            "token": org.app.verification_token,
            "enterprise_id": org.id,
            "api_app_id": "A0PLAYGROUND",
            "event": {
                "type": "team_access_granted",
                "team_ids": [sales.team_id, legal.team_id],
                "event_ts": "1800000000.000000",
            },
            "type": "event_callback",
            "event_id": gained["event_id"],
            "event_time": 1_800_000_000,
            "event_context": "4-local",
        }
        assert lost["event"]["type"] == "team_access_revoked"
        assert lost["event"]["team_ids"] == [legal.team_id]

    async def test_an_organisation_that_removes_the_app_removes_it_everywhere(
        self, org: LocalOrg, sales: LocalSlack, legal: LocalSlack, api: Api
    ) -> None:
        await org.grant(sales, legal)
        token = org.bot_token

        [removed] = [each.payload for each in await org.uninstall()]

        assert removed["event"] == {"type": "app_uninstalled"}
        assert removed["enterprise_id"] == org.id
        assert "team_id" not in removed
        assert (await api("auth.test", token=token))["error"] == "account_inactive"
        assert [sales.is_installed, legal.is_installed] == [False, False]
