"""What the browser is answered, at the end of every way of installing."""

import re
import secrets
from typing import Protocol

import structlog
from slack_bolt.response import BoltResponse
from slack_sdk.oauth import OAuthStateUtils

from bot.errors import BotError
from bot.installations.installation import Installation
from bot.slack.errors import SlackError, SlackRefusedError

logger = structlog.get_logger()

CANCELLED = "access_denied"
STALE = frozenset({"invalid_browser", "invalid_state", "missing_code"})
# https://docs.slack.dev/reference/methods/oauth.v2.access#errors
OPERATORS = frozenset({"bad_client_secret", "bad_redirect_uri", "invalid_client_id"})
OF_ORGANISATION = "cannot_install_an_org_installed_app"
SLACKS_WORD = re.compile(r"[a-z_]{1,60}")


class Pages(Protocol):
    """What people see at the end, as HTML; `POLICY` is the Content-Security-Policy of all."""

    POLICY: str

    def installed_page(
        self, *, name: str, app_id: str, team_id: str, is_again: bool = False
    ) -> str:
        """A workspace has the app; `is_again`: it had it before."""
        ...

    def installed_everywhere_page(self, *, name: str, app_id: str, enterprise_id: str) -> str:
        """An organisation has the app, but none of its workspaces yet."""
        ...

    def cancelled_page(self, *, again: str) -> str:
        """The person said no to Slack's question. `again` is where installing begins."""
        ...

    def stale_page(self, *, again: str) -> str:
        """The way back was too late, was gone twice, or leads from another browser."""
        ...

    def refused_page(self, *, again: str, reference: str) -> str:
        """Slack did not accept it."""
        ...

    def of_organisation_page(self) -> str:
        """The organisation has the app, and decides which of its workspaces have it."""
        ...

    def set_up_wrongly_page(self, *, reference: str) -> str:
        """Slack does not know the app by what its operator has set."""
        ...

    def unanswered_page(self, *, again: str, reference: str) -> str:
        """Slack did not answer, or nothing that can be read."""
        ...

    def not_kept_page(self, *, again: str, reference: str) -> str:
        """Slack said yes, and the bot could not keep that."""
        ...


class InstallAnswers:
    """Each with its page and its status. `again` is the address where installing begins."""

    def __init__(self, pages: Pages, *, cookie: OAuthStateUtils, again: str) -> None:
        self._pages = pages
        self._cookie = cookie
        self._again = again

    def success(self, made: Installation, *, is_again: bool) -> BoltResponse:
        """Answer that the app is installed; `is_again`: it was before, and nothing is lost."""
        if made.is_org_wide:
            page = self._pages.installed_everywhere_page(
                name=made.name, app_id=made.app_id, enterprise_id=made.home.enterprise_id or ""
            )
        else:
            page = self._pages.installed_page(
                name=made.name,
                app_id=made.app_id,
                team_id=made.home.team_id,
                is_again=is_again,
            )
        return self._answer(200, page)

    def failure(self, reason: str) -> BoltResponse:
        """Answer what Slack or Bolt say against it. A stranger may have written the reason."""
        if reason == CANCELLED:
            return self._answer(200, self._pages.cancelled_page(again=self._again))
        if reason in STALE:
            logger.info("an installation came to nothing", reason=reason)
            # The cookie belongs to an installation that may go on.
            keeps_cookie = reason in {"invalid_browser", "missing_code"}
            page = self._pages.stale_page(again=self._again)
            return self._answer(400, page, keeps_cookie=keeps_cookie)
        return self.error(SlackRefusedError(reason if SLACKS_WORD.fullmatch(reason) else "?"))

    def error(self, error: BotError) -> BoltResponse:
        """Answer that it failed, with the reference under which the log says why."""
        reference = secrets.token_hex(4)
        told = logger.bind(request=reference, error=repr(error))
        if isinstance(error, SlackRefusedError) and error.code in OPERATORS:
            told.error("SLACK_CLIENT_ID, SLACK_CLIENT_SECRET or PUBLIC_URL is wrong")
            return self._answer(500, self._pages.set_up_wrongly_page(reference=reference))
        told.warning("an installation failed")
        if isinstance(error, SlackRefusedError) and error.code == OF_ORGANISATION:
            return self._answer(400, self._pages.of_organisation_page())
        status, page = 500, self._pages.not_kept_page
        if isinstance(error, SlackRefusedError):
            status, page = 400, self._pages.refused_page
        elif isinstance(error, SlackError):
            status, page = 502, self._pages.unanswered_page
        return self._answer(status, page(again=self._again, reference=reference))

    def _answer(self, status: int, page: str, *, keeps_cookie: bool = False) -> BoltResponse:
        deletion = self._cookie.build_set_cookie_for_deletion()
        return BoltResponse(
            status=status,
            body=page,
            headers={
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": self._pages.POLICY,
                "Set-Cookie": [] if keeps_cookie else [deletion],
            },
        )
