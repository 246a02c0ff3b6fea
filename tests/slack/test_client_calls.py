"""What Slack says of a person, above all who may be taken for an admin; and waits."""

from typing import Any

import pytest
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

from bot.process.workspace import WorkspaceId
from bot.slack.client import Member, ShortWait, fetch_member
from bot.slack.errors import SlackUnavailableError
from tests.loops import loop_over
from tests.slack.clients import SaidPerson

ALONE = WorkspaceId("T1")
IN_ORG = WorkspaceId("T1", "E1")


async def member(user: dict[str, Any], workspace: WorkspaceId = ALONE) -> Member:
    client = SaidPerson({"id": "U1", "team_id": "T1"} | user)
    return await fetch_member(client, workspace, "U1")


@loop_over(
    ("user", "is_admin"),
    [
        ({"is_admin": True}, True),
        ({"is_owner": True}, True),
        ({}, False),
        ({"is_admin": "no"}, False),
        ({"is_admin": True, "is_restricted": True}, False),
        ({"is_admin": True, "deleted": True}, False),
        ({"is_admin": True, "is_bot": True}, False),
        ({"is_admin": True, "is_stranger": True}, False),
        ({"is_admin": True, "team_id": "T2"}, False),
        ({"enterprise_user": {"is_admin": True, "enterprise_id": "E1"}}, False),
    ],
    ids=str,
)
async def test_only_admins_and_owners_are_admins(user: dict[str, Any], is_admin: bool) -> None:
    assert (await member(user)).is_admin is is_admin


def of_org(enterprise_id: str = "E1", **fields: Any) -> dict[str, Any]:
    return {"enterprise_user": {"enterprise_id": enterprise_id} | fields}


@loop_over(
    ("user", "is_admin"),
    [
        # of this workspace
        ({"is_admin": True} | of_org(), True),
        ({"is_admin": True}, True),
        # of another workspace of the organisation, and in this one too
        ({"is_admin": True, "team_id": "T2"} | of_org(teams=["T1", "T2"]), False),
        ({"is_owner": True, "team_id": "T2"} | of_org(), False),
        ({"is_admin": True, "team_id": "E1"} | of_org(teams=["T1"]), False),
        # of the organisation
        ({"team_id": "T2"} | of_org(is_admin=True, teams=["T1", "T2"]), True),
        ({"team_id": "T2"} | of_org(is_owner=True), True),
        (of_org(is_admin=True), True),
        # of the organisation, but not in this workspace
        ({"team_id": "T2"} | of_org(is_admin=True, teams=["T2"]), False),
        ({"is_admin": True} | of_org(teams=["T2"]), False),
        # of another organisation
        ({"is_admin": True} | of_org("E2", is_admin=True), True),
        ({"team_id": "T2"} | of_org("E2", is_admin=True, teams=["T1"]), False),
        # of nothing, or no longer
        ({"is_restricted": True} | of_org(is_admin=True), False),
        ({"deleted": True} | of_org(is_owner=True), False),
    ],
    ids=str,
)
async def test_admins_of_an_organisation_are_admins(user: dict[str, Any], is_admin: bool) -> None:
    assert (await member(user, IN_ORG)).is_admin is is_admin


@loop_over(
    ("workspace", "user", "is_stranger"),
    [
        (ALONE, {}, False),
        (ALONE, {"team_id": None}, False),
        (ALONE, {"team_id": "T2"}, True),
        (ALONE, {"is_stranger": True}, True),
        (ALONE, {"team_id": "T2"} | of_org(teams=["T1"]), True),
        (IN_ORG, {"team_id": "T2"} | of_org(), False),
        (IN_ORG, {"team_id": "T2"} | of_org(teams=["T1", "T2"]), False),
        (IN_ORG, {"team_id": "T2"} | of_org(teams=["T2"]), True),
        (IN_ORG, {"team_id": "T2"} | of_org(teams=[]), True),
        (IN_ORG, {"team_id": "T2"} | of_org("E2"), True),
        (IN_ORG, {"team_id": "T2"} | of_org("E2", teams=["T1"]), True),
        (IN_ORG, {"team_id": "T2"}, True),
        (IN_ORG, {}, False),
    ],
    ids=str,
)
async def test_people_of_other_workspaces_are_strangers(
    workspace: WorkspaceId, user: dict[str, Any], is_stranger: bool
) -> None:
    assert (await member(user, workspace)).is_stranger is is_stranger


async def test_an_unreadable_answer_makes_no_one_an_admin() -> None:
    with pytest.raises(SlackUnavailableError):
        await member({"is_admin": True} | of_org(teams=7), IN_ORG)


@loop_over(
    ("user", "field", "value"),
    [
        ({}, "is_guest", False),
        ({"is_restricted": True}, "is_guest", True),  # sees only some channels
        ({"is_ultra_restricted": True}, "is_guest", True),
        ({"tz": "Europe/Berlin"}, "zone", "Europe/Berlin"),
        ({}, "zone", None),
        ({"tz": 7}, "zone", None),
        (
            {"name": "ada", "real_name": "Ada L.", "profile": {"display_name": "countess"}},
            *("name", "countess"),
        ),
    ],
    ids=str,
)
async def test_names_and_zones_are_read(user: dict[str, Any], field: str, value: object) -> None:
    assert getattr(await member(user), field) == value


async def is_repeated(asked_s: str, status: int = 429) -> bool:
    url = "https://slack.com/api/users.info"
    request = HttpRequest(method="POST", url=url, headers={}, body_params={})
    answer = HttpResponse(status_code=status, headers={"Retry-After": asked_s})
    return await ShortWait().can_retry_async(state=RetryState(), request=request, response=answer)


@loop_over(
    ("asked_s", "is_short"),
    [("1", True), ("3", True), ("4", False), ("1800", False), ("9" * 400, False), ("soon", False)],
)
async def test_only_a_short_wait_is_waited_for(asked_s: str, is_short: bool) -> None:
    assert await is_repeated(asked_s) is is_short
    assert not await is_repeated(asked_s, status=503)
