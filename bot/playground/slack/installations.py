"""Where the app is installed, with which tokens, and which consents are still open."""

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


@dataclass
class Token:
    """One access token of the bot, and why it is taken no more."""

    value: str
    installation: Installation
    refusal: str | None = None


class Tokens:
    """Every token ever given out."""

    def __init__(self) -> None:
        self._tokens: dict[str, Token] = {}

    def give(self, installation: Installation) -> Token:
        """Return the token of an installation, always the same one until it is revoked."""
        live = self.live(installation)
        return live[0] if live else self._add(f"xoxb-{secrets.token_hex(20)}", installation)

    def check(self, value: str) -> Token | None:
        """Return the token of that value if it is good, None if there never was one.

        Raises: Refusal: it was revoked.
        """
        token = self._tokens.get(value)
        if token and token.refusal:
            raise Refusal(token.refusal)
        return token

    def live(self, installation: Installation) -> list[Token]:
        """Return the tokens of an installation that are not revoked."""
        return [
            token
            for token in self._tokens.values()
            if token.installation is installation and not token.refusal
        ]

    def newest(self, home_id: str) -> str:
        """Return the last token given to a workspace or organisation, good or not; empty: none."""
        given = [each for each in self._tokens.values() if each.installation.home_id == home_id]
        return given[-1].value if given else ""

    def revoke_all(self, installation: Installation, code: str = "account_inactive") -> None:
        """Kill every token of an installation."""
        for token in self._tokens.values():
            if token.installation is installation:
                token.refusal = code

    def _add(self, value: str, installation: Installation) -> Token:
        self._tokens[value] = token = Token(value, installation)
        return token


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
