"""`usergroups.*`: https://docs.slack.dev/reference/methods/usergroups.list."""

from typing import Any

from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.model import UserGroup
from bot.playground.slack.refusals import Refusal

Json = dict[str, Any]


def list_(call: ApiCall) -> Json:
    """List the user groups of the workspace; none is disabled here."""
    groups = call.world.workspace.user_groups.values()
    return {"usergroups": [_group_json(call, group) for group in groups]}


def _group_json(call: ApiCall, group: UserGroup) -> Json:
    """https://docs.slack.dev/reference/objects/usergroup-object."""
    shown: Json = {
        "id": group.id,
        "team_id": call.world.workspace.team_id,
        "is_usergroup": True,
        "is_subteam": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_create": 1_446_598_059,
        "date_update": 1_446_670_362,
        "date_delete": 0,
        "auto_type": None,
        "created_by": group.members[0],
        "updated_by": group.members[0],
        "deleted_by": None,
        "prefs": {"channels": [], "groups": []},
    }
    if call.is_set("include_users"):
        shown["users"] = list(group.members)
    if call.is_set("include_count"):
        shown["user_count"] = len(group.members)
    return shown


def users_list(call: ApiCall) -> Json:
    """List the members of one group: https://docs.slack.dev/reference/methods/usergroups.users.list."""
    group = call.world.workspace.user_groups.get(str(call.required("usergroup")))
    if group is None:
        raise Refusal("no_such_subteam")
    return {"users": list(group.members)}


_SCOPES = ("usergroups:read",)
METHODS = {
    "usergroups.list": Method(list_, _SCOPES, acts_in="team_id"),
    "usergroups.users.list": Method(users_list, _SCOPES, acts_in="team_id"),
}
