"""Each call of the service leaves one line, with the request that it was for, and one count.

Whether it is Domain Tracker that answers.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from bot.process.workspace import WorkspaceId
from bot.tracker import models
from bot.tracker.client import TrackerClient, foreign_status, outcome_of
from bot.tracker.http import tracker_http
from bot.tracker.models import NewDomain, TrackerError
from bot.tracker.rate_limit import Purpose
from bot.web.metrics import REQUEST_OUTCOMES
from tests.builders import KEY, KEY_TAIL
from tests.loops import loop_over
from tests.process.test_logs import Log, logs_as_before  # noqa: F401  # used by each test
from tests.tracker.loopback import always, limits_of, reply, service

ACME = WorkspaceId("T1")
ERRORS: list[tuple[BaseException | None, str]] = [
    (None, "ok"),
    (models.InvalidKeyError(), "invalid_key"),
    (models.InsufficientPermissionsError(), "insufficient_scope"),
    (models.IpNotAllowedError(), "ip_not_allowed"),
    (models.RateLimitedError(3.0), "rate_limited"),
    (models.RateLimitedError(3.0, is_ours=True), "held_back"),
    (models.ReserveReachedError(60.0), "reserve_reached"),
    (models.RejectedError(422, "no"), "rejected"),
    (models.UnreadableReplyError(), "unreadable"),
    (models.ReplyTooLargeError(), "too_large"),
    (models.TooBusyError(), "held_back"),
    (models.TimedOutError(is_outcome_unknown=False), "timed_out"),
    (models.UnavailableError(is_outcome_unknown=False, status=503), "unavailable"),
    (asyncio.CancelledError(), "cut_off"),
    (ZeroDivisionError(), "broken"),
]


@pytest.fixture
def log() -> Log:
    return Log("json")


def calls(log: Log) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.lines()]
    return [line for line in lines if line["event"] == "service call"]


class Service:
    """A service that lists one domain; `refusal` is what it answers with 422."""

    def __init__(self) -> None:
        self.refusal: object = None
        self.before_answer: Callable[[], Awaitable[object]] | None = None

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.before_answer:
            await self.before_answer()
        listed = [{"domain": "a.example", "domainId": "d1", "healthScore": 80}]
        found: object = {"dns": {"ttl": 1}} if request.method == "POST" else listed
        body = httpx.ByteStream(json.dumps(self.refusal or found).encode())
        return httpx.Response(422 if self.refusal else 200, stream=body)

    def client(self, notes: Callable[[str, str, float], object]) -> TrackerClient:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))
        return TrackerClient(http, base_url="http://service", limits=limits_of(), on_call=notes)


@loop_over(("error", "word"), ERRORS, ids=lambda given: str(given)[:20])
def test_every_error_has_its_word(error: BaseException | None, word: str) -> None:
    assert outcome_of(error) == word


def test_no_error_of_the_service_is_left_out_and_no_word_is_unknown() -> None:
    named = {type(error) for error, _ in ERRORS}

    def kinds(kind: type[TrackerError]) -> set[type[TrackerError]]:
        return {kind}.union(*(kinds(each) for each in kind.__subclasses__()))

    assert kinds(TrackerError) - {TrackerError} <= named
    assert [word for _, word in ERRORS if word not in REQUEST_OUTCOMES] == []
    assert {word for _, word in ERRORS} == set(REQUEST_OUTCOMES)


async def test_each_call_leaves_one_line_and_one_count(log: Log) -> None:
    service, noted = Service(), list[tuple[str, str]]()
    tracker = service.client(lambda what, outcome, _took_s: noted.append((what, outcome)))

    await tracker.list_domains(ACME, KEY, purpose=Purpose.SCHEDULED)
    await tracker.add_domain(ACME, KEY, NewDomain(host="b.example", domain_type="owned"))
    await tracker.scan(ACME, KEY, "d1")

    assert noted == [("list", "ok"), ("add", "ok"), ("scan", "ok")]
    assert [(line["operation"], line["outcome"]) for line in calls(log)] == noted
    assert [line["purpose"] for line in calls(log)] == ["scheduled", "person", "person"]
    assert all(line["level"] == "info" and line["took_s"] >= 0 for line in calls(log))


async def test_a_failure_is_counted_without_key_or_words_of_the_service(log: Log) -> None:
    service, outcomes = Service(), list[str]()
    service.refusal = {"error": "a private word"}

    tracker = service.client(lambda _what, outcome, _took_s: outcomes.append(outcome))
    with pytest.raises(models.RejectedError):
        await tracker.scan(ACME, KEY, "d1")

    assert outcomes == ["rejected"]
    assert calls(log)[0]["outcome"] == "rejected"
    assert KEY_TAIL not in log.getvalue()
    assert "private" not in log.getvalue()
    assert "d1" not in str(calls(log))


async def test_what_a_stop_cuts_off_does_not_count_as_a_service_that_failed() -> None:
    began, outcomes = asyncio.Event(), list[str]()
    service = Service()

    async def hang() -> None:
        began.set()
        await asyncio.Event().wait()

    service.before_answer = hang
    tracker = service.client(lambda _what, outcome, _took_s: outcomes.append(outcome))
    call = asyncio.create_task(tracker.list_domains(ACME, KEY))
    await began.wait()

    tracker.cut_off()
    await asyncio.wait({call})

    assert call.cancelled()
    assert outcomes == ["cut_off"]


async def test_a_stop_does_not_cut_off_what_follows_a_call() -> None:
    tracker = Service().client(lambda _what, _outcome, _took_s: None)
    await tracker.list_domains(ACME, KEY)

    tracker.cut_off()

    await asyncio.sleep(0)


ITS_WORDS = {
    "JSON": reply({"error": {"message": "Invalid API key"}}, status=401),
    "HTML": reply(b"<html><h1>Invalid <b>API</b> key</h1></html>", status=500),
    "another refusal": reply({"message": "IP address not allowed"}, status=403),
}
OTHERS = {
    "a proxy that wants a password": (reply(b"Unauthorized", status=401), 401),
    "a redirect": (reply(status=302, headers={"Location": "https://x.example/"}), 302),
    "a list": (reply([{"domain": "shop.example", "healthScore": 41}]), 200),
}


@loop_over("answer", ITS_WORDS.values(), ids=ITS_WORDS)
async def test_a_refusal_proves_that_it_is_the_service(answer: bytes) -> None:
    async with service(always(answer)) as there, tracker_http() as http:
        assert await foreign_status(http, f"{there.url}/", 5) is None


@loop_over(("answer", "status"), OTHERS.values(), ids=OTHERS)
async def test_anybody_else_is_not(answer: bytes, status: int) -> None:
    async with service(always(answer)) as there, tracker_http() as http:
        assert await foreign_status(http, there.url, 5) == status


async def test_what_is_sent_is_no_key_and_changes_nothing() -> None:
    async with service(always(ITS_WORDS["JSON"])) as there, tracker_http() as http:
        await foreign_status(http, f"{there.url}/base/", 5)

        (request,) = there.seen
        assert request.method == "GET"
        assert request.target == "/base/api/tools/domain-tracker"
        assert "service_sk_" not in str(request.headers)
