"""The methods about the app itself, about people, and the one that only checks blocks."""

import json
from typing import Any

from bot.playground.blockkit import Problem, check_blocks, check_message, check_view
from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.model import Member
from bot.playground.slack.refusals import Refusal, bad_arguments

Json = dict[str, Any]


def api_test(call: ApiCall) -> Json:
    """Say back what was sent, or the error that was asked for."""
    if error := call.get("error"):
        raise Refusal(str(error), args=call.arguments)
    return {"args": call.arguments}


def auth_test(call: ApiCall) -> Json:
    """Say whose token it is."""
    workspace = call.world.workspace
    return {
        "url": f"https://{workspace.domain}.slack.com/",
        "team": workspace.domain,
        "user": workspace.members[workspace.bot_user_id].name,
        "team_id": workspace.team_id,
        "user_id": workspace.bot_user_id,
        "bot_id": workspace.bot_id,
        "is_enterprise_install": False,
    }


def users_info(call: ApiCall) -> Json:
    """Describe one person."""
    return {"user": _member_json(call.member(call.required("user")))}


def _member_json(member: Member) -> Json:
    shown = {
        "id": member.id,
        "team_id": member.team_id,
        "name": member.name,
        "deleted": member.deleted,
        "profile": {"real_name": member.real_name, "display_name": member.name},
        "is_bot": member.is_bot,
        "is_app_user": False,
    }
    # Of somebody deactivated the rest is left out: https://github.com/Forescout/eyeExtend-Connect/issues/1.
    return shown if member.deleted else {**shown, **_active_json(member)}


def _active_json(member: Member) -> Json:
    return {
        "real_name": member.real_name,
        "tz": member.tz,
        "is_admin": member.is_admin,
        "is_owner": member.is_owner,
        "is_primary_owner": member.is_owner,
        "is_restricted": member.is_restricted,
        "is_ultra_restricted": False,
        "is_stranger": member.is_stranger,
    }


def blocks_validate(call: ApiCall) -> Json:
    """Check exactly one of `blocks`, `message` and `view`; nothing is posted."""
    given = [name for name in ("blocks", "message", "view") if call.get(name)]
    if len(given) != 1:
        raise bad_arguments("provide exactly one of blocks, message, view")
    [name] = given
    problems = _problems(name, _decoded(call.get(name)))
    if problems:
        errors = [
            {"code": problem.code, "message": problem.message, "pointer": problem.pointer}
            for problem in problems
        ]
        raise Refusal(f"invalid_{name}", errors=errors)
    return {}


def _problems(name: str, value: Any) -> list[Problem]:
    if name == "blocks":
        return check_blocks(value, root="")
    found = check_message(value) if name == "message" else check_view(value)
    return found[1] if found else []


def _decoded(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError as error:
        raise bad_arguments("not JSON") from error


METHODS = {
    "api.test": Method(api_test, token=None),
    "auth.test": Method(auth_test),
    "users.info": Method(users_info, ("users:read",)),
    "blocks.validate": Method(blocks_validate, token=None),
}
