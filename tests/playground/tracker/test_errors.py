"""The four errors in every shape that a service may give them: service document, section 7."""

import httpx
import pytest

from bot.playground.tracker import Tracker
from tests.playground.tracker.conftest import Api

pytestmark = pytest.mark.anyio

STATUS = {"invalid_key": 401, "permissions": 403, "ip": 403, "rate_limit": 429}
FOUR = {
    "invalid_key": "Invalid API key",
    "permissions": "Insufficient permissions",
    "ip": "IP address not allowed",
    "rate_limit": "Rate limit exceeded",
}
SHAPES = {
    "json": '{"error": "MESSAGE"}',
    "nested": '{"error": {"code": "KIND", "message": "MESSAGE"}}',
    "deep": (
        '{"ok": false, "meta": {"status": STATUS}, "errors": [{"detail": [{"reason":'
        ' {"text": "MESSAGE"}, "hints": [null, 0, ""]}]}]}'
    ),
    "upper": '{"ERROR": "MESSAGE"}',
    "plain": "MESSAGE",
}


async def error(api: Api, tracker: Tracker, key: str, kind: str) -> httpx.Response:
    tracker.fail_next(kind)
    return await api.list(key)


@pytest.mark.parametrize("style", SHAPES)
@pytest.mark.parametrize("kind", FOUR)
async def test_each_error_is_told_in_the_chosen_style(
    api: Api, tracker: Tracker, key: str, kind: str, style: str
) -> None:
    tracker.error_style = style
    message = FOUR[kind].upper() if style == "upper" else FOUR[kind]

    response = await error(api, tracker, key, kind)

    told = SHAPES[style].replace("KIND", kind).replace("STATUS", str(STATUS[kind]))
    assert response.text == told.replace("MESSAGE", message)
    assert response.status_code == STATUS[kind]
    is_json = response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert is_json is (style != "plain")


async def test_other_mistakes_keep_their_status_and_follow_the_style(
    api: Api, tracker: Tracker, key: str
) -> None:
    tracker.error_style = "plain"

    response = await api.scan(key, "nowhere")

    assert (response.status_code, response.text) == (404, "Domain not found")


@pytest.mark.parametrize("kind", ["rate_limit", "503"])
async def test_a_time_to_wait_can_be_sent(api: Api, tracker: Tracker, key: str, kind: str) -> None:
    assert "Retry-After" not in (await error(api, tracker, key, kind)).headers

    tracker.retry_after_s = 7

    assert (await error(api, tracker, key, kind)).headers["Retry-After"] == "7"
