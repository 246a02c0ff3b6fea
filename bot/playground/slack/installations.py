"""Where the app is installed, with which tokens, and which consents are still open.

https://docs.slack.dev/authentication/using-token-rotation
"""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bot.playground.slack.refusals import Refusal


@dataclass
class Installation:
    """The app in one workspace or, `is_org_wide`, in an organisation.

    `home_id` is the workspace's or the organisation's id. `teams` are the workspaces in which it
    acts: of an organisation those that were given the app. `refusal` is why Slack takes none of
    its tokens for the time being.
    """

    home_id: str
    home_name: str
    bot_user_id: str
    scopes: tuple[str, ...]
    installed_by: str
    enterprise_id: str | None = None
    enterprise_name: str | None = None
    is_org_wide: bool = False
    teams: set[str] = field(default_factory=set)
    refusal: str | None = None

    def add_scopes(self, granted: Iterable[str]) -> None:
        """Add what another consent granted; scopes only grow.

        https://docs.slack.dev/authentication/installing-with-oauth
        """
        self.scopes = (*self.scopes, *(scope for scope in granted if scope not in self.scopes))

    @property
    def team(self) -> dict[str, str] | None:
        """The workspace as `oauth.v2.access` shows it; None for an organisation."""
        return None if self.is_org_wide else {"id": self.home_id, "name": self.home_name}

    @property
    def enterprise(self) -> dict[str, str | None] | None:
        """The organisation as `oauth.v2.access` shows it; None outside of any."""
        if self.enterprise_id is None:
            return None
        return {"id": self.enterprise_id, "name": self.enterprise_name}


class Installations:
    """All installations of the app that have not been removed."""

    def __init__(self) -> None:
        self._by_home: dict[str, Installation] = {}

    def add(self, installation: Installation) -> None:
        """Note an installation; there is one for each workspace or organisation."""
        self._by_home[installation.home_id] = installation

    def remove(self, installation: Installation) -> None:
        self._by_home.pop(installation.home_id, None)

    def at(self, home_id: str | None) -> Installation | None:
        """Return the installation of exactly this workspace or organisation, or None."""
        return self._by_home.get(home_id or "")

    def acting_in(self, team_id: str, enterprise_id: str | None) -> Installation | None:
        """Return the one that acts in a workspace: its own, or its organisation's; else None."""
        org_wide = self.at(enterprise_id)
        reaches = org_wide is not None and team_id in org_wide.teams
        return self.at(team_id) or (org_wide if reaches else None)


TOKEN_LIFE_S = 12 * 60 * 60
MAX_LIVE = 2  # of the tokens that expire, for each installation


@dataclass
class Token:
    """One access token of the bot, and why it is taken no more. `expires_at`: Unix seconds."""

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
        """Return a token for an installation: without rotation always the same one."""
        if rotates:
            return self._expiring(installation)
        for token in self.live(installation):
            if token.expires_at is None:
                return Given(token)
        return Given(self._add(f"xoxb-{secrets.token_hex(20)}", installation))

    def refresh(self, refresh_token: str) -> Given:
        """Return the next pair; the refresh token is used up. Raises: Refusal."""
        installation = self._refreshing.pop(refresh_token, None)
        if installation is None:
            raise Refusal("invalid_refresh_token")
        return self._expiring(installation)

    def check(self, value: str) -> Token | None:
        """Return the token of that value if it is good, None if there never was one.

        Raises: Refusal: it has expired or was revoked.
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
        """Kill every token of an installation, and what would get new ones."""
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
        token.expires_at = self._clock() + TOKEN_LIFE_S
        refresh_token = f"xoxe-1-{secrets.token_hex(40)}"
        self._refreshing[refresh_token] = installation
        return Given(token, refresh_token)

    def _add(self, value: str, installation: Installation) -> Token:
        self._tokens[value] = token = Token(value, installation)
        return token

    def _is_fresh(self, token: Token) -> bool:
        return token.expires_at is None or self._clock() < token.expires_at


CODE_LIFE_S = 10 * 60  # https://docs.slack.dev/authentication/installing-with-oauth


@dataclass(frozen=True)
class Consent:
    """What somebody allowed. `home_id`: the workspace or, `is_org_wide`, the organisation."""

    home_id: str
    is_org_wide: bool
    member_id: str
    scopes: tuple[str, ...]
    redirect_uri: str | None
    given_at: float


class Codes:
    """All codes ever given out; each is good once."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: dict[str, Consent] = {}
        self._used: set[str] = set()

    def give(self, consent: Consent) -> str:
        code = f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}.{secrets.token_hex(32)}"
        self._open[code] = consent
        return code

    def look_up(self, code: str, redirect_uri: str | None) -> Consent:
        """Return the consent of a code that is still good; use nothing up. Raises: Refusal."""
        if code in self._used:
            raise Refusal("code_already_used")
        consent = self._open.get(code)
        if consent is None or self._clock() - consent.given_at > CODE_LIFE_S:
            raise Refusal("invalid_code")
        # "required if your app passed it as a parameter … and must match":
        # https://docs.slack.dev/reference/methods/oauth.v2.access
        if redirect_uri != consent.redirect_uri and (redirect_uri or consent.redirect_uri):
            raise Refusal("bad_redirect_uri")
        return consent

    def use(self, code: str) -> None:
        del self._open[code]
        self._used.add(code)
