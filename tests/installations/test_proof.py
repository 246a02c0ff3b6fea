"""What of Slack's word on a token means that it is dead, and what does not."""

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.token_check import StillWorks, token_proof
from bot.slack.errors import SlackError, SlackUnreachableError, TokenRefusedError, slack_error
from bot.workspace import WorkspaceId
from tests.installations.builders import ACME
from tests.loops import loop_over

pytestmark = pytest.mark.anyio


class Said(AsyncWebClient):
    """Answers `auth.test` with an error, or that all is well."""

    def __init__(self, error: SlackError | None) -> None:
        super().__init__()
        self.error = error

    async def auth_test(self, **_asked: Any) -> Any:
        if self.error:
            raise self.error


def proof(error: SlackError | None = None, *, of_client: bool = False) -> StillWorks:
    async def client_for(_workspace: WorkspaceId) -> AsyncWebClient:
        if error and of_client:
            raise error
        return Said(error)

    return token_proof(client_for)


async def test_a_token_that_slack_takes_works() -> None:
    assert await proof()(ACME)


@loop_over("of_client", [False, True])
@loop_over(
    "code",
    ["account_inactive", "invalid_refresh_token", "not_authed", "token_revoked"],
)
async def test_one_that_it_refuses_for_good_is_dead(code: str, of_client: bool) -> None:
    assert not await proof(TokenRefusedError(code), of_client=of_client)(ACME)


@pytest.mark.parametrize(
    "error",
    [
        SlackUnreachableError("no such host"),
        *map(slack_error, ("token_expired", "bad_client_secret", "org_login_required")),
        *map(slack_error, ("ratelimited", "internal_error", "team_access_not_granted")),
    ],
    ids=str,
)
async def test_anything_else_says_nothing_of_it(error: SlackError) -> None:
    with pytest.raises(SlackError):
        await proof(error)(ACME)
