"""Slack's requests over HTTP: who is believed, and what is handed to Bolt, once."""

import json
import re
import time
from collections.abc import Callable
from typing import cast
from urllib.parse import urlencode

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier

from bot.store.deduplication import Dedup
from bot.web.server import SlackEndpoint

SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
BODY = b"command=%2Fdomains&team_id=T1"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


class FakeBolt:
    """Answers with these statuses, one after the other, or with 200; counts what it was given."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.given = 0
        self.error: Exception | None = None

    async def async_dispatch(self, _request: object) -> BoltResponse:
        self.given += 1
        if self.error:
            raise self.error
        return BoltResponse(status=self.statuses.pop(0) if self.statuses else 200)


class Endpoint:
    """The endpoint, and what it said last."""

    def __init__(self, *statuses: int, seen: Dedup | None = None) -> None:
        self.bolt = FakeBolt(*statuses)
        self.said = ""
        self._app = web.Application()
        endpoint = SlackEndpoint(
            cast(AsyncApp, self.bolt), SECRET, seen=seen or Dedup(clock=time.monotonic)
        )
        self._app.router.add_post("/slack/events", endpoint.answer)

    async def answers(self, body: bytes, headers: dict[str, str], times: int = 1) -> list[int]:
        """Send the very same request so many times."""
        async with TestClient(TestServer(self._app)) as client:
            statuses = []
            for _ in range(times):
                answer = await client.post("/slack/events", data=body, headers=headers)
                self.said = await answer.text()
                statuses.append(answer.status)
            return statuses

    async def answer(self, body: bytes, headers: dict[str, str]) -> int:
        return (await self.answers(body, headers))[0]


def signed(
    body: bytes = BODY, kind: dict[str, str] = FORM, *, secret: str = SECRET, stamp: str = ""
) -> dict[str, str]:
    stamp = stamp or str(int(time.time()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=stamp, body=body)
    return {**kind, "X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": str(signature)}


def seconds_ago(seconds: int) -> str:
    return str(int(time.time()) - seconds)


# Made when the test runs, as a signature is good for five minutes.
FORGED: dict[str, Callable[[], dict[str, str]]] = {
    "none": dict,
    "another-secret": lambda: signed(secret="another"),
    "another-body": lambda: signed(b"command=%2Fscan&team_id=T1"),
    "too-old": lambda: signed(stamp=seconds_ago(400)),
    "from-the-future": lambda: signed(stamp=seconds_ago(-400)),
    "no-moment": lambda: signed(stamp="soon"),
    "before-1970": lambda: signed(stamp="-1"),
    "digits-of-another-script": lambda: signed() | {"X-Slack-Request-Timestamp": "١٢٣"},
    "beyond-all-numbers": lambda: signed(stamp="9" * 400),
    "more-digits-than-python-reads": lambda: signed(stamp="9" * 5_000),
    "no-ascii": lambda: signed() | {"X-Slack-Signature": "v0=ü"},
    "no-signature": lambda: signed() | {"X-Slack-Signature": ""},
    "no-timestamp": lambda: signed() | {"X-Slack-Request-Timestamp": ""},
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
async def test_an_unsigned_request_goes_nowhere(headers: Callable[[], dict[str, str]]) -> None:
    endpoint = Endpoint()

    assert await endpoint.answer(BODY, FORM | headers()) == 401
    assert endpoint.said == "the signature is missing, wrong or too old"
    assert endpoint.bolt.given == 0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param(b"", FORM, id="empty"),
        pytest.param(b"payload=%7B", FORM, id="half-a-brace"),
        pytest.param(b"payload=[]", FORM, id="a-list"),
        pytest.param(b"payload=" + b"[" * 90_000, FORM, id="too-deep"),
        pytest.param(b"{", JSON, id="half-a-brace-of-json"),
        pytest.param(b"[]", JSON, id="a-list-of-json"),
    ],
)
async def test_a_signed_unreadable_body_goes_nowhere(body: bytes, kind: dict[str, str]) -> None:
    endpoint = Endpoint()

    assert await endpoint.answer(body, signed(body, kind)) == 400
    assert endpoint.said == "the body cannot be read"
    assert endpoint.bolt.given == 0


@pytest.mark.parametrize(
    ("body", "kind"), [(b"{}", JSON), (b"payload=%7B%7D", FORM)], ids=["event", "press"]
)
async def test_every_kind_of_request_is_handed_to_bolt(body: bytes, kind: dict[str, str]) -> None:
    endpoint = Endpoint()

    assert await endpoint.answer(body, signed(body, kind)) == 200
    assert endpoint.bolt.given == 1


async def test_what_bolt_cannot_read_gets_a_reference(capsys: pytest.CaptureFixture[str]) -> None:
    endpoint = Endpoint()
    endpoint.bolt.error = KeyError("user")

    assert await endpoint.answer(BODY, signed()) == 400
    found = re.fullmatch(r"cannot be read; reference ([0-9a-f]{8})", endpoint.said)
    assert found
    assert found[1] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param(b"ssl_check=1&command=%2Fdomains", FORM, id="a-command"),
        pytest.param(b"ssl_check=1&payload=%7B%7D", FORM, id="a-press"),
        pytest.param(b"ssl_check=0", FORM, id="another-number"),
        pytest.param(b"ssl_check=1", JSON, id="another-type"),
        pytest.param(b"ssl_check=1&token=" + b"x" * 983, FORM, id="too-long"),
        pytest.param(b"token=\xff", FORM, id="no-text"),
    ],
)
async def test_what_is_no_such_probe_needs_a_signature(body: bytes, kind: dict[str, str]) -> None:
    assert await Endpoint().answer(body, kind) == 401


async def test_a_probe_of_the_address_is_answered_and_handed_to_no_one() -> None:
    endpoint = Endpoint()

    assert (await endpoint.answer(b"ssl_check=1&token=x", FORM), endpoint.bolt.given) == (200, 0)


async def test_a_request_that_comes_again_acts_once() -> None:
    endpoint = Endpoint()

    assert (await endpoint.answers(BODY, signed(), 2), endpoint.bolt.given) == ([200, 200], 1)


async def test_an_identical_look_up_within_the_same_second_is_answered_again() -> None:
    endpoint = Endpoint()
    body = urlencode(
        {"payload": json.dumps({"type": "block_suggestion", "value": "sho"})}
    ).encode()

    assert await endpoint.answers(body, signed(body), 2) == [200, 200]
    assert endpoint.bolt.given == 2


@pytest.mark.parametrize("status", [500, 503])
async def test_a_request_that_could_not_be_taken_is_taken_when_it_comes_again(status: int) -> None:
    endpoint = Endpoint(status, 200)

    assert (await endpoint.answers(BODY, signed(), 3), endpoint.bolt.given) == (
        [status, 200, 200],
        2,
    )
