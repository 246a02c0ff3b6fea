"""Check Slack: tokens, scopes, OAuth settings, installations."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime

from bot.installations.installation import (
    Installation,
    Tokens,
    decode,
    is_installation,
    organisation,
)
from bot.installations.repository import WAITS_FOR_REINSTALL
from bot.ops.output import Finding, failure, ok, shown, some_names, warning
from bot.ops.stores import installation_name, sealed_in, workspace_names
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES, Answer, Grant
from bot.slack.errors import SlackError, SlackRateLimitedError, SlackRefusedError
from bot.store.documents import Document, UnreadableSecretError
from bot.store.encryption import KeyRing
from bot.views.text import plural
from bot.workspace import WorkspaceId, workspace_of_key

Answers = Mapping[WorkspaceId, Grant | SlackError]
BOT_TOKEN, APP_TOKEN, SECRET = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"
SCOPES, MENTIONS = "Slack permissions", "SLACK_MENTIONS"
# Basic Information of the app shows 32 hexadecimal digits.
SIGNING_SECRET_CHARS = 32
MEND_BOT = (
    'Copy the "Bot User OAuth Token" from "OAuth & Permissions" of your app'
    " (https://api.slack.com/apps). If there is none, install the app again."
)
MEND_APP = (
    'Make an app-level token with the scope connections:write under "Basic Information" of your'
    " app, and turn Socket Mode on."
)

MEND_MENTIONS = (
    'Follow "Command lines in messages" in docs/operators.md: update the manifest of the app, and'
    " install the app again."
)


async def check_bot_token(
    fetch: Callable[[], Awaitable[Grant]], *, reads_messages: bool = False
) -> Sequence[Finding]:
    """Return the workspace of the bot token, and whether the bot has the scopes it needs."""
    try:
        grant = await fetch()
    except SlackError as error:
        return [refusal(BOT_TOKEN, error, MEND_BOT)]
    name, team_id = shown(grant.team_name or "?"), shown(grant.team_id or "?")
    said = f"Slack accepts it; it is the token of the workspace {name} ({team_id})"
    found = [ok(BOT_TOKEN, said)]
    if grant.scopes is not None:
        found += _permission_findings(grant.scopes, reads_messages=reads_messages)
    return found


CLOCK = "clock"
# An answer takes seconds, and a `Date` header has whole ones.
MAX_OFF_S = 60.0


async def check_clock(
    ask: Callable[[], Awaitable[datetime | None]], now: Callable[[], datetime]
) -> Sequence[Finding]:
    """Return whether this machine's clock is that of Slack; nothing when Slack names no time."""
    try:
        theirs = await ask()
    except SlackError:  # said by another check
        return []
    if theirs is None:
        return []
    off_s = (now() - theirs).total_seconds()
    if abs(off_s) <= MAX_OFF_S:
        return [ok(CLOCK, "it agrees with Slack's")]
    way = "ahead of" if off_s > 0 else "behind"
    said = (
        f"it is {abs(off_s):,.0f} s {way} Slack's: Slack's requests are refused, digests are late"
    )
    return [failure(CLOCK, said, "Set it, and let NTP keep it right.")]


async def check_call(
    ask: Callable[[], Awaitable[object]], about: str, said: str, mend: str
) -> Sequence[Finding]:
    """Return `said` when Slack answers a call, else its refusal and `mend`."""
    try:
        await ask()
    except SlackError as error:
        return [refusal(about, error, mend)]
    return [ok(about, said)]


async def check_signing_secret(secret: str) -> Sequence[Finding]:
    """Return whether the secret of HTTP mode looks like one; only a request of Slack can tell."""
    is_hex = all(each in "0123456789abcdef" for each in secret)
    if len(secret) == SIGNING_SECRET_CHARS and is_hex:
        said = "it looks like one of Slack's; only a request from Slack can prove it"
        return [ok(SECRET, said)]
    said = "it does not look like one of Slack's, 32 hexadecimal digits"
    mend = 'Compare it with "Signing Secret" under "Basic Information" of your app.'
    return [warning(SECRET, said, mend)]


def refusal(about: str, error: SlackError, mend: str) -> Finding:
    """Return the finding for a failed call of Slack; `mend` is what to do after a refusal."""
    if isinstance(error, SlackRefusedError):
        return failure(about, f"Slack refuses it ({shown(error.code)})", mend)
    if isinstance(error, SlackRateLimitedError):
        return warning(about, "Slack's rate limit is reached", "Try again in a minute.")
    return failure(
        about,
        f"no usable answer from Slack ({shown(str(error))})",
        "Check the network, a proxy, and SLACK_API_URL.",
    )


CLIENT_ID, CLIENT_SECRET = "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"
API, PUBLIC = "SLACK_API_URL", "PUBLIC_URL"
MEND_API = "Check the address: Slack's is https://slack.com/api/."
MEND = 'Copy it again from "App Credentials" under "Basic Information" of your app.'


async def check_client(exchange: Callable[[str], Awaitable[object]]) -> Sequence[Finding]:
    """Return whether Slack knows the app's id, and takes its secret.

    `exchange` asks for the tokens of a code, here of a made-up one: Slack refuses it, and names
    the part that is wrong, https://docs.slack.dev/reference/methods/oauth.v2.access#errors.
    A client is known before its code is looked at: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3.
    """
    try:
        await exchange("doctor")
    except SlackRefusedError as error:
        return [*_client_findings(error.code)]
    except SlackError:
        said = "they can't be checked, as Slack gave no usable answer"
        return [warning(f"{CLIENT_ID}, {CLIENT_SECRET}", said, "Try again once Slack answers.")]
    return [*_client_findings("a made-up code was taken")]


def _client_findings(code: str) -> Iterator[Finding]:
    match code:
        case "invalid_client_id":
            yield failure(CLIENT_ID, "Slack knows no app with this id", MEND)
        case "bad_client_secret":
            yield ok(CLIENT_ID, "Slack knows the app")
            yield failure(CLIENT_SECRET, "it is not this app's secret, says Slack", MEND)
        case "invalid_code":
            yield ok(CLIENT_ID, "Slack knows the app")
            yield ok(CLIENT_SECRET, "Slack accepts it")
        case _:
            said = f"Slack does not say whether it is right ({shown(code, 60)})"
            yield warning(CLIENT_SECRET, said, "Install the app somewhere to find out.")


async def check_public_url(
    look: Callable[[], Awaitable[Answer]], public_url: str
) -> Sequence[Finding]:
    """Return whether the bot answers where browsers come back to; it may not run yet."""
    answer, health = await look(), shown(f"{public_url}/healthz")
    if answer.status == 200 and '"alive"' in answer.body:
        return [ok(PUBLIC, f"the bot answers at {health}")]
    if answer.error:
        said = f"no answer from {health} ({shown(answer.error)})"
        look_at = "check the host name, the certificate, and the proxy in front of it."
    else:
        said = f"{health} answers with status {answer.status}, which is not the bot"
        look_at = "let the proxy in front of it pass every path to its PORT."
    return [warning(PUBLIC, said, f"If the bot runs, {look_at}")]


INSTALLATIONS = "installations"
MAX_ASKED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallQuery:
    """`ask` asks Slack for the grant of a token; one that has expired by `now` is not tried.

    `install_url` is where people install the app.
    """

    ask: Callable[[str], Awaitable[Grant]] = field(repr=False)
    install_url: str
    now: datetime

    @property
    def invitation(self) -> str:
        """How the app is installed again."""
        return f"let an admin there open {shown(self.install_url)}"


async def check_installations(
    documents: Sequence[Document], ring: KeyRing | None, query: InstallQuery
) -> Sequence[Finding]:
    """Return how many there are, and whose tokens Slack refuses.

    No token is renewed here: a refresh token is good for one use, and that is the bot's.
    """
    kept, unreadable = _read(documents, ring)
    found = [ok(INSTALLATIONS, f"none yet; people install the app at {shown(query.install_url)}")]
    if kept:
        answers = await _ask(kept, query)
        found = [_token_finding(kept, answers, query), *_revoked(kept, query)]
    found += _not_installed(documents, query)
    if unreadable:
        said = f"this version of the bot cannot read {plural(unreadable, 'installation')}"
        found.append(warning(INSTALLATIONS, said, "Use the version that wrote them."))
    return found


def _read(documents: Iterable[Document], ring: KeyRing | None) -> tuple[list[Installation], int]:
    """Return the installations, the latest first, and how many cannot be read.

    A token that the ring does not open is left out; the check of the ring reports it.
    """
    kept, unreadable = list[Installation](), 0
    for document in filter(lambda each: is_installation(each.key), documents):
        try:
            kept.append(
                decode(workspace_of_key(document.key), document.value, _tokens(document, ring))
            )
        except (LookupError, TypeError, ValueError):
            unreadable += 1
    return sorted(kept, key=lambda each: each.installed_at, reverse=True), unreadable


def _tokens(document: Document, ring: KeyRing | None) -> Tokens | None:
    expires_at = document.value.get("expires_at")
    with contextlib.suppress(UnreadableSecretError):
        for sealed in sealed_in(document):
            if ring and sealed.path == ("token", "sealed"):
                ends_at = datetime.fromisoformat(expires_at) if expires_at else None
                return Tokens(access=sealed.opened(ring), expires_at=ends_at)
    return None


async def _ask(kept: Sequence[Installation], query: InstallQuery) -> Answers:
    """Return Slack's answers about the latest tokens that may still be valid."""

    async def ask(tokens: Tokens) -> Grant | SlackError:
        try:
            return await query.ask(tokens.access)
        except SlackError as error:
            return error

    asked = [
        (each.home, each.tokens)
        for each in kept
        if each.tokens and not (each.tokens.expires_at and each.tokens.expires_at <= query.now)
    ][:MAX_ASKED]
    answers = await asyncio.gather(*(ask(tokens) for _, tokens in asked))
    return {home: answer for (home, _), answer in zip(asked, answers, strict=True)}


def _token_finding(kept: Sequence[Installation], answers: Answers, query: InstallQuery) -> Finding:
    refused = [
        f"{installation_name(each)}: {shown(error.code, 40)}"
        for each in kept
        if isinstance(error := answers.get(each.home), SlackRefusedError)
    ]
    silent = sum(isinstance(answer, SlackError) for answer in answers.values()) - len(refused)
    said = f"{plural(len(kept), 'installation')}; asked Slack about {len(answers):,}"
    if refused:
        tell = failure if len(refused) == len(answers) else warning
        mend = (
            "The bot deletes these tokens within a day. It deletes everything else of the"
            f" workspace {WAITS_FOR_REINSTALL.days} days after, unless the app is installed again."
            f" If the app was removed there, do nothing; else {query.invitation}."
        )
        return tell(INSTALLATIONS, f"{said}, and it refuses {some_names(refused)}", mend)
    if silent:
        said = f"{said}, of which {silent:,} got no usable answer"
        return warning(INSTALLATIONS, said, "Try again in a minute.")
    return ok(INSTALLATIONS, said)


def _revoked(kept: Iterable[Installation], query: InstallQuery) -> Iterator[Finding]:
    if revoked := [installation_name(each) for each in kept if each.revoked_at]:
        said = (
            f"Slack accepts the tokens of {some_names(revoked)} no longer: they were revoked, or"
            " the app was removed"
        )
        mend = (
            f"The data is deleted {WAITS_FOR_REINSTALL.days} days after. To keep it,"
            f" {query.invitation}."
        )
        yield warning(INSTALLATIONS, said, mend)


def _permission_findings(granted: Set[str], *, reads_messages: bool) -> Iterator[Finding]:
    """Yield which scopes are missing: a failure when the bot cannot do its work without them."""
    if narrow := _lacking(NEEDED_SCOPES, granted):
        mend = "Bring the app's manifest up to date with manifest.yml, and install the app again."
        yield failure(SCOPES, f"missing: {narrow}", mend)
    if wishes := _lacking(OPTIONAL_SCOPES, granted):
        mend = "To use it, install the app again. Everything else works without it."
        yield warning(SCOPES, f"not granted: {wishes}", mend)
    if reads_messages:
        if lacking := _lacking(MENTION_SCOPES, granted):
            yield warning(MENTIONS, f"it is on, but not granted: {lacking}", MEND_MENTIONS)
        else:
            yield ok(MENTIONS, "the permissions for it are granted")
    if not (narrow or wishes):
        yield ok(SCOPES, f"all {len(NEEDED_SCOPES) + len(OPTIONAL_SCOPES)} are granted")


def _lacking(wanted: Mapping[str, str], granted: Set[str]) -> str:
    """Return the wanted scopes that are not granted, each with its reason."""
    return ", ".join(f"{scope} ({why})" for scope, why in wanted.items() if scope not in granted)


def _not_installed(documents: Sequence[Document], query: InstallQuery) -> Iterator[Finding]:
    """Find known workspaces without an installation, as after a change from one token to OAuth."""
    known, homes = set[WorkspaceId](), set[WorkspaceId]()
    for each in documents:
        with contextlib.suppress(ValueError):  # the store's own
            workspace = WorkspaceId.parse(each.key.split("/")[0])
            known.add(workspace)
            if is_installation(each.key):
                homes.add(workspace)
    known_names = workspace_names(documents)
    left_out = [
        known_names.workspace(each)
        for each in sorted(known - homes, key=str)
        if organisation(each.enterprise_id or "") not in homes
    ]
    if left_out:
        said = f"the store knows {some_names(left_out)}, where the app is not installed by OAuth"
        yield warning(INSTALLATIONS, said, f"To use it there, {query.invitation}.")
