"""`oauth.*`, `auth.*` and `apps.*`: getting and giving back the right to act.

https://docs.slack.dev/reference/methods/oauth.v2.access and its sisters.
"""

import secrets

from bot.playground.slack import lifecycle
from bot.playground.slack.block_contents import Json
from bot.playground.slack.errors import Refusal
from bot.playground.slack.installations import TOKEN_LIFE_S, Given, Installation, Token
from bot.playground.slack.methods.call import ApiCall, Method


def access(call: ApiCall) -> Json:
    """Exchange a code, or a refresh token, for an access token."""
    _check_credentials(call)
    match call.get("grant_type") or "authorization_code":
        case "authorization_code":
            return _exchanged(call)
        case "refresh_token":
            given = call.universe.app.tokens.refresh(str(call.get("refresh_token") or ""))
            return _given_json(call, given)
        case _:
            raise Refusal("invalid_grant_type")


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
    _, given = lifecycle.install(call.universe, consent)
    codes.use(code)
    return {**_given_json(call, given), "authed_user": {"id": consent.member_id}}


def _given_json(call: ApiCall, given: Given) -> Json:
    installation = given.token.installation
    shown: Json = {
        "access_token": given.token.value,
        "token_type": "bot",
        "scope": ",".join(installation.scopes),
        "bot_user_id": installation.bot_user_id,
        "app_id": call.universe.app.id,
        "team": installation.team,
        "enterprise": installation.enterprise,
        "is_enterprise_install": installation.is_org_wide,
    }
    if given.refresh_token:
        shown |= {"refresh_token": given.refresh_token, "expires_in": TOKEN_LIFE_S}
    return shown


def auth_revoke(call: ApiCall) -> Json:
    """Kill the token of this very call; with its last token an installation is gone.

    "An app is not uninstalled until its final user and bot tokens are revoked":
    https://docs.slack.dev/reference/events/app_uninstalled. With rotation this only kills one
    token: https://docs.slack.dev/authentication/using-token-rotation.
    """
    if call.is_set("test"):
        return {"revoked": False}
    token = _token(call)
    token.refusal = "token_revoked"
    if token.expires_at is None:
        _tell_removed(call, token.installation)
    return {"revoked": True}


def uninstall(call: ApiCall) -> Json:
    """Remove the app from the workspace or the organisation of the token."""
    _check_credentials(call)
    _tell_removed(call, _token(call).installation)
    return {}


def _tell_removed(call: ApiCall, installation: Installation) -> None:
    lifecycle.remove(call.universe, installation)
    call.universe.app.announce(lifecycle.events_of_removal(call.universe, installation))


def _token(call: ApiCall) -> Token:
    if call.token is None:
        raise Refusal("not_authed")
    return call.token


METHODS = {
    "oauth.v2.access": Method(access, token=None),
    "auth.revoke": Method(auth_revoke, acts_in="nowhere"),
    "apps.uninstall": Method(uninstall, acts_in="nowhere"),
}
