"""What is to be said of the bot's tokens. Pure but for the asking."""

from collections.abc import Awaitable, Callable, Mapping, Sequence, Set

from bot.operating.finding import Finding, failure, ok, warning
from bot.operating.printing import shown
from bot.slack.errors import SlackError, SlackRateLimitedError, SlackRefusedError
from bot.slack.grants import Grant
from bot.slack.scopes import NEEDED_SCOPES, OPTIONAL_SCOPES

BOT_TOKEN, APP_TOKEN, SECRET = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"
SCOPES = "Slack permissions"
# Basic Information of the app shows 32 hexadecimal digits.
SIGNING_SECRET_CHARS = 32
MEND_BOT = (
    'Copy the "Bot User OAuth Token" from "OAuth & Permissions" of your app at'
    " https://api.slack.com/apps; install the app again if there is none."
)
MEND_APP = (
    'Make an app-level token with the scope connections:write under "Basic Information" of your'
    " app, and turn Socket Mode on."
)


async def check_bot_token(fetch: Callable[[], Awaitable[Grant]]) -> Sequence[Finding]:
    """Return whose the bot token is, and whether the bot was granted what it needs."""
    try:
        grant = await fetch()
    except SlackError as error:
        return [refusal(BOT_TOKEN, error, MEND_BOT)]
    name, team_id = shown(grant.team_name or "?"), shown(grant.team_id or "?")
    said = f"Slack takes it; it is of the workspace {name} ({team_id})"
    return [ok(BOT_TOKEN, said), scopes_finding(grant.scopes)]


async def check_socket_token(ask: Callable[[], Awaitable[None]]) -> Sequence[Finding]:
    """Return whether the app token opens Socket Mode.

    `ask` asks Slack for the address of a connection, as the bot does at each start. Nobody
    connects to it, so none of the bot's ten is taken, and no request goes there:
    https://docs.slack.dev/apis/events-api/using-socket-mode.
    """
    try:
        await ask()
    except SlackError as error:
        return [refusal(APP_TOKEN, error, MEND_APP)]
    return [ok(APP_TOKEN, "Slack lets it connect by Socket Mode")]


def signing_secret_finding(secret: str) -> Finding:
    """Return whether the secret of HTTP mode looks like one; only a request of Slack can tell."""
    is_hex = all(each in "0123456789abcdef" for each in secret)
    if len(secret) == SIGNING_SECRET_CHARS and is_hex:
        return ok(SECRET, "it looks like one of Slack's; only a request of Slack proves it")
    return warning(
        SECRET,
        "it does not look like one of Slack's, 32 hexadecimal digits",
        'Compare it with "Signing Secret" under "Basic Information" of your app.',
    )


def scopes_finding(granted: Set[str] | None) -> Finding:
    """Return what is missing of what the bot needs; `None`: Slack does not say what it has."""
    if granted is None:
        return warning(
            SCOPES,
            "Slack does not say what was granted",
            f"Compare yourself; needed are {', '.join(NEEDED_SCOPES)}.",
        )
    if lacking := lacking_scopes(NEEDED_SCOPES, granted):
        mend = "Bring the app's manifest up to date with manifest.yml, and install the app again."
        return failure(SCOPES, f"missing {lacking}", mend)
    if lacking := lacking_scopes(OPTIONAL_SCOPES, granted):
        mend = "Install the app again with it, if you want that; the rest works without."
        return warning(SCOPES, f"without {lacking}", mend)
    return ok(SCOPES, f"all {len(NEEDED_SCOPES) + len(OPTIONAL_SCOPES)} are granted")


def lacking_scopes(wanted: Mapping[str, str], held: Set[str]) -> str:
    """Return the scopes that are wanted and not held, each with its reason."""
    return ", ".join(f"{scope} ({why})" for scope, why in wanted.items() if scope not in held)


def refusal(about: str, error: SlackError, mend: str) -> Finding:
    """Return what Slack's refusal or silence means; `mend` is what to do after a refusal."""
    if isinstance(error, SlackRefusedError):
        return failure(about, f"Slack refuses it ({shown(error.code)})", mend)
    if isinstance(error, SlackRateLimitedError):
        return warning(about, "Slack asks to wait before it says more", "Try again in a minute.")
    return failure(
        about,
        f"no usable answer from Slack ({shown(str(error))})",
        "Look at the network, a proxy, and SLACK_API_URL.",
    )
