"""Where a browser is sent to install the app, and the cookie by which it is known again."""

import re
from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

from slack_sdk.oauth import AuthorizeUrlGenerator, OAuthStateUtils

# A workspace or an organisation.
TEAM = re.compile(r"[TE][A-Z0-9]{1,30}")


class AuthorizeLink(AuthorizeUrlGenerator):
    """The SDK's address of Slack's question, encoded: its own (3.47) joins what it is given."""

    def __init__(
        self,
        *,
        client_id: str,
        redirect_uri: str | None,
        scopes: Sequence[str],
        authorization_url: str,
    ) -> None:
        super().__init__(
            client_id=client_id,
            redirect_uri=redirect_uri,
            scopes=scopes,
            authorization_url=authorization_url,
        )

    def generate(self, state: str, team: str | None = None) -> str:
        """Return the address; `team` is what anybody may have written into the link to us."""
        query = {
            "client_id": self.client_id,
            "scope": ",".join(self.scopes or ()),
            "redirect_uri": self.redirect_uri or "",
            "state": state,
        }
        if team and TEAM.fullmatch(team):
            query["team"] = team
        return f"{self.authorization_url}?{urlencode(query)}"


class StateCookie(OAuthStateUtils):
    """The SDK's cookie, also for `http://127.0.0.1`, where browsers keep no `Secure` one.

    `SameSite=Lax`: it comes along when Slack sends the browser back, and with no foreign form.
    """

    def __init__(self, *, is_secure: bool, lives_for: timedelta) -> None:
        super().__init__(expiration_seconds=int(lives_for.total_seconds()))
        self._flags = "HttpOnly; Path=/; SameSite=Lax" + ("; Secure" if is_secure else "")

    def build_set_cookie_for_new_state(self, state: str) -> str:
        """Return the header that sets it."""
        return f"{self.cookie_name}={state}; {self._flags}; Max-Age={self.expiration_seconds}"

    def build_set_cookie_for_deletion(self) -> str:
        """Return the header that removes it."""
        return f"{self.cookie_name}=; {self._flags}; Max-Age=0"
