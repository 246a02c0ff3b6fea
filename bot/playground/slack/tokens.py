"""The tokens of the app: https://docs.slack.dev/authentication/using-token-rotation."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.slack.installations import Installation
from bot.playground.slack.refusals import Refusal

LIFE_S = 12 * 60 * 60
MAX_LIVE = 2  # of the tokens that expire, for each installation


@dataclass
class Token:
    """One access token of the bot. `expires_at`: Unix seconds; None: never.

    `refusal` is why it is taken no more, as Slack's code; None: it is.
    """

    value: str
    installation: Installation
    expires_at: float | None = None
    refusal: str | None = None


@dataclass(frozen=True)
class Given:
    """What an exchange gives: a token, and with rotation what gets the next one."""

    token: Token
    refresh_token: str | None = None


class Tokens:
    """Every token ever given out. `clock` returns Unix seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tokens: dict[str, Token] = {}
        self._refreshing: dict[str, Installation] = {}  # by refresh token

    def give(self, installation: Installation, *, rotates: bool) -> Given:
        """Return a token for an installation.

        Without rotation a workspace has one token: whoever installs the app again gets the same.
        With it each exchange gives a new pair, and of the older tokens one goes on living.
        """
        if rotates:
            return self._expiring(installation)
        for token in self.live(installation):
            if token.expires_at is None:
                return Given(token)
        return Given(self._add(f"xoxb-{secrets.token_hex(20)}", installation))

    def restore(
        self,
        installation: Installation,
        value: str,
        *,
        expires_at: float | None = None,
        refresh_token: str | None = None,
    ) -> None:
        """Take a token that an earlier run of this local Slack has given."""
        self._add(value, installation).expires_at = expires_at
        if refresh_token:
            self._refreshing[refresh_token] = installation

    def refresh(self, refresh_token: str) -> Given:
        """Return the next pair; the refresh token is used up. Raises: Refusal."""
        installation = self._refreshing.pop(refresh_token, None)
        if installation is None:
            raise Refusal("invalid_refresh_token")
        return self._expiring(installation)

    def check(self, value: str) -> Token | None:
        """Return the token of that value if it is good, None if there never was one.

        Raises:
            Refusal: it has expired or was revoked.
        """
        token = self._tokens.get(value)
        if token is None:
            return None
        if code := token.refusal or token.installation.refusal:
            raise Refusal(code)
        if not self._is_fresh(token):
            raise Refusal("token_expired")
        return token

    def live(self, installation: Installation) -> list[Token]:
        """Return the tokens of an installation that are neither revoked nor expired."""
        return [
            token
            for token in self._tokens.values()
            if token.installation is installation and not token.refusal and self._is_fresh(token)
        ]

    def newest(self, home_id: str) -> str:
        """Return the last token given to a workspace or organisation, good or not; empty: none."""
        given = [each for each in self._tokens.values() if each.installation.home_id == home_id]
        return given[-1].value if given else ""

    def revoke_all(self, installation: Installation, code: str = "account_inactive") -> None:
        """Kill every token of an installation, and what would get new ones.

        `code` is how they are refused: of a bot whose app was removed as `account_inactive`,
        https://docs.slack.dev/reference/methods/auth.test.
        """
        for token in self._tokens.values():
            if token.installation is installation:
                token.refusal = code
        for refresh_token, owner in list(self._refreshing.items()):
            if owner is installation:
                del self._refreshing[refresh_token]

    def _expiring(self, installation: Installation) -> Given:
        expiring = [each for each in self.live(installation) if each.expires_at is not None]
        for token in expiring[: len(expiring) - MAX_LIVE + 1]:
            token.refusal = "token_revoked"
        token = self._add(f"xoxe.xoxb-1-{secrets.token_hex(40)}", installation)
        token.expires_at = self._clock() + LIFE_S
        refresh_token = f"xoxe-1-{secrets.token_hex(40)}"
        self._refreshing[refresh_token] = installation
        return Given(token, refresh_token)

    def _add(self, value: str, installation: Installation) -> Token:
        self._tokens[value] = token = Token(value, installation)
        return token

    def _is_fresh(self, token: Token) -> bool:
        return token.expires_at is None or self._clock() < token.expires_at
