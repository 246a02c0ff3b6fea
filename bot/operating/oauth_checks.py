"""What is to be said of the app itself, and of the addresses it needs. Pure but for asking."""

from collections.abc import Awaitable, Callable, Iterator, Sequence

from bot.operating.finding import Finding, failure, ok, warning
from bot.operating.printing import shown
from bot.operating.slack_checks import refusal
from bot.slack.errors import SlackError, SlackRefusedError
from bot.slack.reach import Answer

CLIENT_ID, CLIENT_SECRET = "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"
API, PUBLIC = "SLACK_API_URL", "PUBLIC_URL"
ALIVE = '"alive"'
BOTH = f"{CLIENT_ID}, {CLIENT_SECRET}"
MADE_UP_CODE = "doctor"
MEND = 'Copy it again from "App Credentials" under "Basic Information" of your app.'


async def check_client(exchange: Callable[[str], Awaitable[object]]) -> Sequence[Finding]:
    """Return whether Slack knows the app's id, and takes its secret.

    `exchange` asks for the tokens of a code, here of one that Slack never gave: nothing comes of
    it, and its refusal tells the three apart, https://docs.slack.dev/reference/methods/oauth.v2.access#errors.
    A client is known before its code is looked at: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3.
    """
    try:
        await exchange(MADE_UP_CODE)
    except SlackRefusedError as error:
        return [*_client_findings(error.code)]
    except SlackError:
        said = "not known yet whether they are right, as Slack gave no usable answer"
        return [warning(BOTH, said, "Try again, once SLACK_API_URL is well.")]
    return [*_client_findings("a made-up code was taken")]


def _client_findings(code: str) -> Iterator[Finding]:
    match code:
        case "invalid_client_id":
            yield failure(CLIENT_ID, "Slack knows no app of this id", MEND)
        case "bad_client_secret":
            yield ok(CLIENT_ID, "Slack knows the app")
            yield failure(CLIENT_SECRET, "it is not this app's secret, says Slack", MEND)
        case "invalid_code":
            yield ok(CLIENT_ID, "Slack knows the app")
            yield ok(CLIENT_SECRET, "Slack takes it")
        case _:
            said = f"Slack does not say whether it is right ({shown(code, 60)})"
            yield warning(CLIENT_SECRET, said, "An installation will show it.")


async def check_slack_api(ask: Callable[[], Awaitable[None]]) -> Sequence[Finding]:
    """Return whether Slack answers at all."""
    try:
        await ask()
    except SlackError as error:
        return [refusal(API, error, "Look at the address: Slack's is https://slack.com/api/.")]
    return [ok(API, "Slack answers")]


async def check_public_url(
    look: Callable[[], Awaitable[Answer]], public_url: str
) -> Sequence[Finding]:
    """Return whether the bot answers where browsers come back to; it may not run yet."""
    answer, health = await look(), f"{public_url}/healthz"
    if answer.status == 200 and ALIVE in answer.body:
        return [ok(PUBLIC, f"the bot answers at {shown(health)}")]
    if answer.trouble:
        said = f"no answer from {shown(health)} ({shown(answer.trouble)})"
        mend = (
            "If the bot runs: look at the name, the certificate, and what stands in front of it."
        )
    else:
        said = f"{shown(health)} answers with status {answer.status}, which is not the bot"
        mend = "If the bot runs: let what stands in front of it pass on every path to its PORT."
    return [warning(PUBLIC, said, mend)]
