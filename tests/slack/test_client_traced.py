"""Whatever is sent to Slack is counted where it passes, and no secret address is shown."""

from contextlib import nullcontext

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

from bot.web.metrics import CALL_OUTCOMES, traced_calls
from tests.slack.conftest import a_client
from tests.slack.test_client import answering, as_json


class Notes:
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.notified: list[tuple[str, str]] = []

    def __call__(self, method: str, outcome: str, took_s: float) -> None:
        assert took_s >= 0
        assert outcome in CALL_OUTCOMES
        self.notified.append((method, outcome))


def measured(notes: Notes) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(trace_configs=[traced_calls(notes)])


@pytest.mark.parametrize(
    ("status", "outcome"), [(200, "answered"), (429, "rate_limited"), (503, "failed")]
)
async def test_a_call_is_counted_by_its_method_and_answer(status: int, outcome: str) -> None:
    notes = Notes()

    answer = as_json({"ok": status == 200}, status, Retry_After="1")
    async with answering(answer) as url, measured(notes) as session:
        with nullcontext() if status == 200 else pytest.raises(SlackApiError):
            await a_client(url, session).chat_postMessage(channel="C1", text="x")

    assert notes.notified == [("chat.postMessage", outcome)]


@pytest.mark.parametrize("path", ["commands/T1/123/s3cretAbc", "actions/T1/1/secret", "x/a b.c"])
async def test_an_address_for_an_answer_is_not_traced(path: str) -> None:
    notes = Notes()

    async with answering(as_json({})) as url, measured(notes) as session:
        await session.post(url.removesuffix("api/") + path)

    assert notes.notified == [("response_url", "answered")]
