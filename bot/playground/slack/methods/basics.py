"""The methods about the app itself and its installation, and about people."""

import secrets

from bot.playground.slack import lifecycle, universe
from bot.playground.slack.block_contents import Json
from bot.playground.slack.methods.call import ApiCall, Method, one_page
from bot.playground.slack.model import Member, Org
from bot.playground.slack.refusals import Refusal


def api_test(call: ApiCall) -> Json:
    """Say back what was sent, or the error that was asked for."""
    if error := call.get("error"):
        raise Refusal(str(error), args=call.arguments)
    return {"args": call.arguments}


def auth_test(call: ApiCall) -> Json:
    """Say whose token it is; of an organisation's it says so, and names no workspace."""
    if call.token is None:
        raise Refusal("not_authed")
    installation, workspace, org = call.token.installation, call.world.workspace, call.world.org
    team_id, domain = workspace.team_id, workspace.domain
    if installation.is_org_wide:
        org = call.universe.orgs[installation.home_id]
        team_id, domain = org.id, f"{org.domain}.enterprise"
    return {
        "url": f"https://{domain}.slack.com/",
        "team": installation.home_name,
        "user": universe.BOT_NAME,
        "team_id": team_id,
        "user_id": installation.bot_user_id,
        "bot_id": workspace.bot_id,
        **({"enterprise_id": org.id} if org else {}),
        "is_enterprise_install": installation.is_org_wide,
    }


def users_info(call: ApiCall) -> Json:
    """Describe one person; of an organisation its place in it, too."""
    return {"user": _user_json(call, call.member(call.required("user")))}


def users_list(call: ApiCall) -> Json:
    """List everybody of a workspace: https://docs.slack.dev/reference/methods/users.list."""
    page, following = one_page(call, call.world.workspace.members, None)
    return {
        "members": [_user_json(call, member) for member in page],
        "cache_ts": int(call.universe.app.clock()),
        "response_metadata": following,
    }


def _user_json(call: ApiCall, member: Member) -> Json:
    """https://docs.slack.dev/reference/objects/user-object."""
    shown = _member_json(member)
    org = call.world.org
    enterprise_user = org and org.enterprise_user(member.id, _teams_of(call, org, member))
    if enterprise_user and not member.deleted:
        shown["enterprise_user"] = enterprise_user
        if call.world.is_org_wide:
            del shown["team_id"]
    return shown


def _teams_of(call: ApiCall, org: Org, member: Member) -> list[str]:
    worlds = call.universe.worlds
    return [team_id for team_id in org.teams if member.id in worlds[team_id].workspace.members]


def _member_json(member: Member) -> Json:
    shown: Json = {
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


METHODS = {
    "api.test": Method(api_test, token=None),
    "auth.test": Method(auth_test, acts_in="nowhere"),
    "users.info": Method(users_info, ("users:read",), tier=4),
    "users.list": Method(users_list, ("users:read",), acts_in="team_id", tier=2),
}


def access(call: ApiCall) -> Json:
    """Exchange a code for an access token."""
    _check_credentials(call)
    if (call.get("grant_type") or "authorization_code") != "authorization_code":
        raise Refusal("invalid_grant_type")
    return _exchanged(call)


def _check_credentials(call: ApiCall) -> None:
    app = call.universe.app
    if call.get("client_id") != app.client_id:
        raise Refusal("invalid_client_id")
    if not secrets.compare_digest(str(call.get("client_secret") or ""), app.client_secret):
        raise Refusal("bad_client_secret")


def _exchanged(call: ApiCall) -> Json:
    codes = call.universe.app.codes
    code = str(call.get("code") or "")
    consent = codes.look_up(code, call.get("redirect_uri"))
    installation, token = lifecycle.install(call.universe, consent)
    codes.use(code)
    return {
        "access_token": token.value,
        "token_type": "bot",
        "scope": ",".join(installation.scopes),
        "bot_user_id": installation.bot_user_id,
        "app_id": call.universe.app.id,
        "team": installation.team,
        "enterprise": installation.enterprise,
        "is_enterprise_install": installation.is_org_wide,
        "authed_user": {"id": consent.member_id},
    }


OAUTH_METHODS = {
    "oauth.v2.access": Method(access, token=None),
}
