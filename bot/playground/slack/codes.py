"""Codes that stand for a consent until the app exchanges them for a token."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.slack.refusals import Refusal

LIFE_S = 10 * 60  # https://docs.slack.dev/authentication/installing-with-oauth


@dataclass(frozen=True)
class Consent:
    """What somebody allowed. `redirect_uri` None: the app did not name one.

    `home_id` is the workspace or, `is_org_wide`, the organisation in which they allowed it.
    """

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
        """Return a new code for a consent."""
        code = f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}.{secrets.token_hex(32)}"
        self._open[code] = consent
        return code

    def look_up(self, code: str, redirect_uri: str | None) -> Consent:
        """Return the consent of a code that is still good, without using it up.

        Raises:
            Refusal: `invalid_code`, `code_already_used`, or `bad_redirect_uri`.
        """
        if code in self._used:
            raise Refusal("code_already_used")
        consent = self._open.get(code)
        if consent is None or self._clock() - consent.given_at > LIFE_S:
            raise Refusal("invalid_code")
        # "required if your app passed it as a parameter … and must match":
        # https://docs.slack.dev/reference/methods/oauth.v2.access
        if redirect_uri != consent.redirect_uri and (redirect_uri or consent.redirect_uri):
            raise Refusal("bad_redirect_uri")
        return consent

    def use(self, code: str) -> None:
        """Take a code out of use."""
        del self._open[code]
        self._used.add(code)
