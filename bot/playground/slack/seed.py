"""The people, channels and user groups that every local workspace starts with."""

from typing import Any

from bot.playground.slack.orgs import Org, OrgPerson
from bot.playground.slack.workspace import Workspace

OTHER_TEAM_ID = "T0ELSEWHERE"
BOT_NAME = "domain_tracker"
_STAFF = ("ada", "olga", "bob", "cy")


def settle(workspace: Workspace) -> None:
    """Fill an empty workspace: `ada` is an admin, `olga` an owner, `gus` a guest."""
    bot = workspace.add_member(BOT_NAME, is_bot=True)
    workspace.bot_user_id = bot.id
    workspace.add_member("ada", is_admin=True)
    workspace.add_member("olga", is_owner=True)
    workspace.add_member("bob")
    workspace.add_member("cy")
    workspace.add_member("gus", is_restricted=True)
    workspace.add_member("zoe", team_id=OTHER_TEAM_ID, is_stranger=True)
    _add_places(workspace, _STAFF)


def org_people() -> dict[str, OrgPerson]:
    """Return the people of an organisation by id.

    `olga` owns it and `ora` is one of its admins, though an ordinary member of each workspace.
    """
    people = [
        OrgPerson(id="W0000000001", name=BOT_NAME),
        OrgPerson(id="W0000000002", name="ada"),
        OrgPerson(id="W0000000003", name="olga", is_owner=True),
        OrgPerson(id="W0000000004", name="bob"),
        OrgPerson(id="W0000000005", name="cy"),
        OrgPerson(id="W0000000006", name="gus"),
        OrgPerson(id="W0000000007", name="ora", is_admin=True),
    ]
    return {person.id: person for person in people}


def settle_in_org(workspace: Workspace, org: Org) -> None:
    """Fill an empty workspace of an organisation with its people.

    `ada` is an admin of the first one only, `cy` of every other one.
    """
    admin = "cy" if org.teams else "ada"
    traits: dict[str, dict[str, Any]] = {
        BOT_NAME: {"is_bot": True},
        "olga": {"is_owner": True},
        "gus": {"is_restricted": True},
        admin: {"is_admin": True},
    }
    for person in org.people.values():
        workspace.add_member(person.name, id=person.id, **traits.get(person.name, {}))
    workspace.bot_user_id = workspace.member_named(BOT_NAME).id
    workspace.add_member("zoe", team_id=OTHER_TEAM_ID, is_stranger=True)
    _add_places(workspace, (*_STAFF, "ora"))


def _add_places(workspace: Workspace, staff: tuple[str, ...]) -> None:
    workspace.add_channel("general", (*staff, "gus", BOT_NAME))
    workspace.add_channel("random", staff)
    workspace.add_channel("secret", ("ada", "bob", BOT_NAME), is_private=True)
    workspace.add_channel("hidden", ("ada", "bob"), is_private=True)
    workspace.add_channel("old", (*staff, BOT_NAME), is_archived=True)
    workspace.add_channel("shared", (*staff, "zoe", BOT_NAME), is_shared=True)
    workspace.add_user_group("web-team", ("ada", "bob"))
    workspace.add_user_group("security", ("olga",))
