"""Check Slack: its address, tokens and scopes."""

from collections.abc import Awaitable, Iterator, Mapping, Sequence, Set

from bot.ops.output import Finding, failure, ok, printable, warning
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES, Grant
from bot.slack.errors import SlackError, SlackRateLimitedError, SlackRefusedError

BOT_TOKEN, APP_TOKEN, API = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_API_URL"
SCOPES, MENTIONS = "Slack permissions", "SLACK_MENTIONS"
HINT_API = "Check the address: Slack's is https://slack.com/api/."
HINT_BOT = (
    'Copy the "Bot User OAuth Token" from "OAuth & Permissions" of your app'
    " (https://api.slack.com/apps). If there is none, install the app again."
)
HINT_APP = (
    'Make an app-level token with the scope connections:write under "Basic Information" of your'
    " app, and turn Socket Mode on."
)

HINT_MENTIONS = (
    'Follow "Command lines in messages" in docs/operators.md: update the manifest of the app, and'
    " install the app again."
)


async def check_bot_token(
    fetching: Awaitable[Grant], *, reads_messages: bool = False
) -> Sequence[Finding]:
    """Return the workspace of the bot token, and whether the bot has the scopes it needs."""
    try:
        grant = await fetching
    except SlackError as error:
        return [refusal(BOT_TOKEN, error, HINT_BOT)]
    name, team_id = printable(grant.team_name or "?"), printable(grant.team_id or "?")
    detail = f"Slack accepts it; it is the token of the workspace {name} ({team_id})"
    found = [ok(BOT_TOKEN, detail)]
    if grant.scopes is not None:
        found += _permission_findings(grant.scopes, reads_messages=reads_messages)
    return found


async def check_call(
    asking: Awaitable[object], about: str, detail: str, hint: str
) -> Sequence[Finding]:
    """Return `detail` when Slack answers a call, else its refusal and `hint`."""
    try:
        await asking
    except SlackError as error:
        return [refusal(about, error, hint)]
    return [ok(about, detail)]


def refusal(about: str, error: SlackError, hint: str) -> Finding:
    """Return the finding for a failed call of Slack; `hint` is what to do after a refusal."""
    if isinstance(error, SlackRefusedError):
        return failure(about, f"Slack refuses it ({printable(error.code)})", hint)
    if isinstance(error, SlackRateLimitedError):
        return warning(about, "Slack's rate limit is reached", "Try again in a minute.")
    return failure(
        about,
        f"no usable answer from Slack ({printable(str(error))})",
        "Check the network, a proxy, and SLACK_API_URL.",
    )


def _permission_findings(granted: Set[str], *, reads_messages: bool) -> Iterator[Finding]:
    """Yield which scopes are missing: a failure when the bot cannot do its work without them."""
    if narrow := _lacking(NEEDED_SCOPES, granted):
        hint = "Bring the app's manifest up to date with manifest.yml, and install the app again."
        yield failure(SCOPES, f"missing: {narrow}", hint)
    if wishes := _lacking(OPTIONAL_SCOPES, granted):
        hint = "To use it, install the app again. Everything else works without it."
        yield warning(SCOPES, f"not granted: {wishes}", hint)
    if reads_messages:
        if lacking := _lacking(MENTION_SCOPES, granted):
            yield warning(MENTIONS, f"it is on, but not granted: {lacking}", HINT_MENTIONS)
        else:
            yield ok(MENTIONS, "the permissions for it are granted")
    if not (narrow or wishes):
        yield ok(SCOPES, f"all {len(NEEDED_SCOPES) + len(OPTIONAL_SCOPES)} are granted")


def _lacking(wanted: Mapping[str, str], granted: Set[str]) -> str:
    """Return the wanted scopes that are not granted, each with its reason."""
    return ", ".join(f"{scope} ({why})" for scope, why in wanted.items() if scope not in granted)
