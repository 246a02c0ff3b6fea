"""Which rate limits are waited for while somebody waits, and which before a form."""

import pytest
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

from bot.slack.client import ShortWait
from tests.loops import loop_over

pytestmark = pytest.mark.anyio


async def is_repeated(
    asked_s: str, method: str = "users.info", *, only_answers: bool = False, status: int = 429
) -> bool:
    request = HttpRequest(
        method="POST", url=f"https://slack.com/api/{method}", headers={}, body_params={}
    )
    answer = HttpResponse(status_code=status, headers={"Retry-After": asked_s})
    handler = ShortWait(only_answers=only_answers)
    return await handler.can_retry_async(state=RetryState(), request=request, response=answer)


@loop_over(
    ("asked_s", "is_short"),
    [("1", True), ("3", True), ("4", False), ("1800", False), ("9" * 400, False), ("soon", False)],
)
async def test_only_a_short_wait_is_waited_for(asked_s: str, is_short: bool) -> None:
    assert await is_repeated(asked_s) is is_short
    assert not await is_repeated(asked_s, status=503)


@loop_over(
    ("method", "waits"),
    [
        ("users.info", False),
        ("views.open", False),
        ("chat.postEphemeral", True),
        ("conversations.open", True),
    ],
)
async def test_before_a_form_only_answers_wait(method: str, waits: bool) -> None:
    assert await is_repeated("1", method, only_answers=True) is waits
