import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from bot.ops.doctor_slack import (
    APP_TOKEN,
    MEND_APP,
    check_bot_token,
    check_call,
    scopes_finding,
    signing_secret_finding,
)
from bot.ops.output import Finding, Mark
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES, Grant
from bot.slack.errors import (
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnreachableError,
    TokenRefusedError,
)
from tests.loops import loop_over

pytestmark = pytest.mark.anyio

ALL = frozenset({*NEEDED_SCOPES, *OPTIONAL_SCOPES})
FAILURES: dict[str, tuple[SlackError, Mark, str]] = {
    "refused": (TokenRefusedError("invalid_auth"), Mark.FAIL, "Slack refuses it (invalid_auth)"),
    "of another kind": (SlackRefusedError("not_allowed_token_type"), Mark.FAIL, "not_allowed"),
    "away": (
        SlackUnreachableError("ClientConnectorError"),
        Mark.FAIL,
        "no usable answer from Slack",
    ),
    "busy": (SlackRateLimitedError(3), Mark.WARN, "rate limit"),
}


def granting(grant: Grant) -> Callable[[], Awaitable[Grant]]:
    async def fetch() -> Grant:
        return grant

    return fetch


def test_all_scopes_are_well() -> None:
    assert scopes_finding(ALL).mark is Mark.OK


@pytest.mark.parametrize("scope", NEEDED_SCOPES)
def test_a_missing_scope_is_a_failure_that_names_it_and_its_reason(scope: str) -> None:
    finding = scopes_finding(ALL - {scope})

    assert finding.mark is Mark.FAIL
    assert f"missing {scope} ({NEEDED_SCOPES[scope]})" in finding.line
    assert "install the app again" in finding.mend


@pytest.mark.parametrize("scope", OPTIONAL_SCOPES)
def test_an_optional_scope_is_only_a_warning(scope: str) -> None:
    finding = scopes_finding(ALL - {scope})

    assert finding.mark is Mark.WARN
    assert scope in finding.line


@pytest.mark.parametrize("scope", MENTION_SCOPES)
async def test_command_lines_in_messages_are_on_and_lack_a_scope(scope: str) -> None:
    granted = (ALL | {*MENTION_SCOPES}) - {scope}
    fetch = granting(Grant(team_id="T1", team_name="Acme", scopes=granted))

    *_, finding = await check_bot_token(fetch, reads_messages=True)
    off = await check_bot_token(fetch)

    assert finding.mark is Mark.WARN
    assert finding.line.startswith(f"warn  SLACK_MENTIONS: it is on, but not granted: {scope} (")
    assert "Command lines in messages" in finding.mend
    assert [each.mark for each in off] == [Mark.OK, Mark.OK]


def test_scopes_that_slack_does_not_tell_are_a_warning() -> None:
    assert scopes_finding(None).mark is Mark.WARN


async def test_the_workspace_is_named_and_cannot_write_to_the_terminal() -> None:
    grant = Grant(team_id="T1", team_name="Ac\x1b[31mme\n", scopes=ALL)

    token, _scopes = await check_bot_token(granting(grant))

    said = "Slack accepts it; it is the token of the workspace Ac\\x1b[31mme\\n (T1)."
    assert token.line == f"ok    SLACK_BOT_TOKEN: {said}"


@loop_over("is_bot_token", [True, False], ids=["bot token", "app token"])
@loop_over(("error", "mark", "said"), FAILURES.values(), ids=FAILURES)
async def test_every_refusal_says_what_to_do(
    error: SlackError, mark: Mark, said: str, is_bot_token: bool
) -> None:
    async def refuse() -> Grant:
        raise error

    async def refuse_socket() -> None:
        raise error

    found: Sequence[Finding] = await (
        check_bot_token(refuse)
        if is_bot_token
        else check_call(refuse_socket, APP_TOKEN, "", MEND_APP)
    )

    (finding,) = found
    assert finding.mark is mark
    assert said in finding.said
    assert finding.mend


async def test_an_app_token_that_slack_takes_is_well() -> None:
    (finding,) = await check_call(lambda: asyncio.sleep(0), APP_TOKEN, "well", MEND_APP)

    assert finding.mark is Mark.OK


@pytest.mark.parametrize(
    ("secret", "mark"),
    [
        pytest.param("0f1e2d3c4b5a69788796a5b4c3d2e1f0", Mark.OK, id="right"),
        pytest.param("0f1e2d3c4b5a69788796a5b4c3d2e1f", Mark.WARN, id="short"),
        pytest.param("xoxb-2d3c4b5a69788796a5b4c3d2e1f0", Mark.WARN, id="a token"),
    ],
)
def test_a_signing_secret_is_looked_at_and_not_shown(secret: str, mark: Mark) -> None:
    finding = signing_secret_finding(secret)

    assert finding.mark is mark
    assert secret not in finding.line
