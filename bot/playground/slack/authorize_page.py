"""The page on which a person allows the app: https://slack.com/oauth/v2/authorize."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from bot.playground.slack.installations import Consent
from bot.playground.slack.model import Member
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.universe import Universe, WorkspaceState

SESSION_COOKIE = "d"
PATH = "/oauth/v2/authorize"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True)
class Wish:
    """What the app asks for. `redirect_uri` as sent; None if it was not."""

    scopes: tuple[str, ...]
    redirect_uri: str | None
    goes_to: str
    state: str


class AuthorizePage:
    """Takes what somebody answers on the page."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    async def answer(self, request: web.Request) -> web.Response:
        """Go back to the app with a code, or with `access_denied`; or say what is wrong."""
        try:
            wish = self._wish(request)
        except Refusal as refusal:
            return _page(refusal.code, 400)
        form = await request.post()
        who = self._universe.signed_in(request.cookies.get(SESSION_COOKIE, ""))
        if who is None:
            return _page("Sign in to your workspace", 403)
        if form.get("decision") != "allow":
            return _back(wish, error="access_denied")
        is_org_wide = form.get("org_wide") == "1"
        try:
            self._check_may_install(*who, is_org_wide=is_org_wide)
        except Refusal as refusal:
            return _page(refusal.code, 403)
        world, member = who
        home_id = str(world.enterprise_id) if is_org_wide else world.workspace.team_id
        now = self._universe.app.clock()
        consent = Consent(home_id, is_org_wide, member.id, wish.scopes, wish.redirect_uri, now)
        return _back(wish, code=self._universe.app.codes.give(consent))

    def _wish(self, request: web.Request) -> Wish:
        """Return what the address asks for. Raises: Refusal."""
        settings, query = self._universe.app.settings, request.query
        if query.get("client_id") != self._universe.app.client_id:
            raise Refusal("invalid_client_id")
        goes_to = _destination(settings.redirect_urls, query.get("redirect_uri"))
        scopes = tuple(filter(None, query.get("scope", "").replace(" ", ",").split(",")))
        if not scopes and not query.get("user_scope"):
            raise Refusal("no_scopes")
        if query.get("user_scope") or not set(scopes) <= set(settings.scopes):
            raise Refusal("invalid_scope")
        return Wish(scopes, query.get("redirect_uri"), goes_to, query.get("state", ""))

    def _check_may_install(
        self, world: WorkspaceState, member: Member, *, is_org_wide: bool
    ) -> None:
        """Pass if somebody may install the app where they want it. Raises: Refusal.

        Every full member may unless the owners of a workspace restrict it; for an organisation
        only its owners and admins: https://slack.com/help/articles/222386767.
        """
        if member.deleted or member.is_bot or member.is_restricted or member.is_stranger:
            raise Refusal("not_allowed_to_install")
        if not is_org_wide:
            return
        if world.org is None or not self._universe.app.settings.deploys_to_orgs:
            raise Refusal("org_deploy_not_enabled")
        person = world.org.people[member.id]
        if not (person.is_admin or person.is_owner):
            raise Refusal("not_allowed_to_install")


def _destination(configured: Sequence[str], wanted: str | None) -> str:
    """Return where to go back to. Raises: Refusal, `bad_redirect_uri`.

    https://docs.slack.dev/authentication/installing-with-oauth: it must be a configured address
    or below one; it may be left out where there is but one.
    """
    if wanted is None and len(configured) == 1:
        return configured[0]
    if wanted is None or "#" in wanted or not any(_is_below(wanted, one) for one in configured):
        raise Refusal("bad_redirect_uri")
    parts = urlsplit(wanted)
    # Slack itself takes https only; a bot under test listens on this very machine.
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise Refusal("bad_redirect_uri")
    return wanted


def _is_below(wanted: str, configured: str) -> bool:
    there, here = urlsplit(wanted), urlsplit(configured)
    folder = here.path.rstrip("/") + "/"
    is_same_host = (there.scheme, there.netloc) == (here.scheme, here.netloc)
    return is_same_host and (there.path == here.path or f"{there.path}/".startswith(folder))


def _back(wish: Wish, **answer: str) -> web.Response:
    query = urlencode({**answer, "state": wish.state})
    joint = "&" if urlsplit(wish.goes_to).query else "?"
    return web.Response(status=302, headers={"Location": f"{wish.goes_to}{joint}{query}"})


def _page(words: str, status: int) -> web.Response:
    text = f"<html>{words}</html>"
    return web.Response(status=status, text=text, content_type="text/html")
