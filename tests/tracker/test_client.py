"""

What services and the networks before them really do, over a real socket.
"""

import asyncio
import json

import httpx
import pytest

from bot.tracker.client import TrackerClient
from bot.tracker.models import (
    Domain,
    NewDomain,
    RateLimitedError,
    RejectedError,
    ReplyTooLargeError,
    TimedOutError,
    TrackerError,
    UnavailableError,
)
from bot.tracker.rate_limit import Purpose
from bot.tracker.slots import REQUESTS_EACH, SCANS_EACH
from tests.loops import loop_over
from tests.tracker.loopback import (
    ACME,
    KEY,
    Answer,
    Request,
    always,
    client_of,
    drop,
    limits_of,
    reply,
    service,
    silence,
    uncounted,
)

ONE = [{"domain": "a.example", "domainId": "d1"}]
LIMIT = {"error": "Rate limit exceeded"}


async def test_a_list_is_asked_for_with_the_key() -> None:
    async with service(always(reply(ONE))) as there, client_of(there.url + "/base/") as tracker:
        listing = await tracker.list_domains(ACME, KEY)

    assert listing.domains == (Domain(domain="a.example", domain_id="d1"),)
    (request,) = there.seen
    assert (request.method, request.target) == ("GET", "/base/api/tools/domain-tracker")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"
    assert request.body == b""


async def test_an_added_domain_is_sent_as_documented() -> None:
    async with service(always(reply({"id": 1}))) as there, client_of(there.url) as tracker:
        await tracker.add_domain(
            ACME,
            KEY,
            NewDomain(host="a.example", domain_type="owned", tags=("x", "y"), folder="Shöps"),
        )

    (request,) = there.seen
    assert (request.method, request.target) == ("POST", "/api/tools/domain-tracker")
    assert request.headers["content-type"] == "application/json"
    sent = {"domain": "a.example", "domainType": "owned", "tags": ["x", "y"], "folder": "Shöps"}
    assert json.loads(request.body) == sent


async def test_fields_that_were_not_given_are_not_sent() -> None:
    async with service(always(reply(status=201))) as there, client_of(there.url) as tracker:
        await tracker.add_domain(ACME, KEY, NewDomain(host="\ud800", domain_type="owned"))

    assert json.loads(there.seen[0].body) == {"domain": "\ud800", "domainType": "owned"}


@loop_over(
    ("domain_id", "part"),
    [
        ("d1", "d1"),
        ("a/b?c#d e", "a%2Fb%3Fc%23d%20e"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("%2e", "%252e"),
    ],
)
async def test_a_domain_id_stays_one_part_of_the_path(domain_id: str, part: str) -> None:
    result = reply({"domainId": domain_id, "dns": {}})
    async with service(always(result)) as there, client_of(there.url) as tracker:
        await tracker.scan(ACME, KEY, domain_id)

    (request,) = there.seen
    assert request.target == f"/api/tools/domain-tracker/{part}/scan"
    assert json.loads(request.body) == {"action": "full_scan"}


@loop_over("status", [502, 503, 504])
async def test_a_list_is_asked_for_again_when_a_gateway_fails(status: int) -> None:
    answers = always(reply(status=status), reply(status=status), reply(ONE))
    async with service(answers) as there, client_of(there.url) as tracker:
        listing = await tracker.list_domains(ACME, KEY)

    assert len(listing.domains) == 1
    assert len(there.seen) == 3


@loop_over(
    "answer",
    [reply(status=500), reply(status=404), reply(status=429), reply(LIMIT, status=503)],
    ids=["500", "404", "429", "rate-limit-as-503"],
)
async def test_what_a_second_try_cannot_mend_is_tried_once(answer: bytes) -> None:
    async with service(always(answer)) as there, client_of(there.url) as tracker:
        with pytest.raises((UnavailableError, RejectedError, RateLimitedError)):
            await tracker.list_domains(ACME, KEY)

    assert len(there.seen) == 1


async def test_what_changes_something_is_sent_once() -> None:
    async with service(always(reply(status=503))) as there, client_of(there.url) as tracker:
        with pytest.raises(UnavailableError) as add:
            await tracker.add_domain(ACME, KEY, NewDomain(host="a.example", domain_type="owned"))
        with pytest.raises(UnavailableError) as scan:
            await tracker.scan(ACME, KEY, "d1")

    assert add.value.is_outcome_unknown
    assert scan.value.is_outcome_unknown
    assert len(there.seen) == 2


@loop_over(
    ("kind", "gets", "may_have_arrived"),
    [
        (httpx.ConnectError, 3, False),  # a name that does not resolve
        (httpx.ConnectTimeout, 1, False),
        (httpx.PoolTimeout, 1, False),
        (httpx.WriteTimeout, 1, True),
        (httpx.ReadTimeout, 1, True),
    ],
)
async def test_a_list_is_tried_again_but_after_a_timeout_and_a_scan_never(
    kind: type[httpx.TransportError], gets: int, may_have_arrived: bool
) -> None:
    tries = []

    def fail(request: httpx.Request) -> httpx.Response:
        tries.append(request.method)
        raise kind("slow", request=request)

    async with httpx.AsyncClient(transport=httpx.MockTransport(fail)) as http:
        tracker = TrackerClient(
            http, base_url="http://slow", limits=limits_of(), on_call=uncounted
        )
        with pytest.raises(UnavailableError) as listed:
            await tracker.list_domains(ACME, KEY)
        with pytest.raises(UnavailableError) as scanned:
            await tracker.scan(ACME, KEY, "d1")

    assert tries == [*["GET"] * gets, "POST"]
    assert isinstance(listed.value.__cause__, kind)
    assert isinstance(scanned.value, TimedOutError) is (gets == 1)
    assert not listed.value.is_outcome_unknown
    assert scanned.value.is_outcome_unknown is may_have_arrived


async def test_a_rate_limit_reaches_a_waiting_request() -> None:
    all_here, go_on = asyncio.Event(), asyncio.Event()

    async def answer(_request: Request, writer: asyncio.StreamWriter) -> None:
        if len(there.seen) == REQUESTS_EACH:
            all_here.set()
        await go_on.wait()
        writer.write(reply(LIMIT, status=429, headers={"Retry-After": "9"}))

    async with service(answer) as there, client_of(there.url) as tracker:
        asked = [asyncio.create_task(tracker.list_domains(ACME, KEY)) for _ in range(20)]
        await all_here.wait()
        go_on.set()
        errors = await asyncio.gather(*asked, return_exceptions=True)

    assert all(isinstance(error, RateLimitedError) for error in errors)
    assert len(there.seen) == REQUESTS_EACH


async def test_a_list_does_not_wait_for_scans() -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.method == "POST":
            await asyncio.Event().wait()
        writer.write(reply(ONE))

    async with service(answer) as there, client_of(there.url) as tracker:
        scans = [asyncio.create_task(tracker.scan(ACME, KEY, "d1")) for _ in range(20)]
        await asyncio.sleep(0)
        await tracker.list_domains(ACME, KEY)
        for scan in scans:
            scan.cancel()
        await asyncio.gather(*scans, return_exceptions=True)

    assert sum(request.method == "POST" for request in there.seen) <= SCANS_EACH


async def test_replies_set_no_cookies_for_other_workspaces() -> None:
    cookie = {"Set-Cookie": "session=of-workspace-1; Path=/"}
    async with (
        service(always(reply(ONE, headers=cookie))) as there,
        client_of(there.url) as client,
    ):
        await client.list_domains(ACME, KEY)
        await client.list_domains(ACME, "other")

    assert "cookie" not in there.seen[1].headers


async def test_this_machine_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")

    async with service(always(reply(ONE))) as there, client_of(there.url) as tracker:
        await tracker.list_domains(ACME, KEY)

    assert len(there.seen) == 1


MIB = b"x" * 1024 * 1024


async def scan_failure(tracker: TrackerClient) -> TrackerError:
    with pytest.raises(TrackerError) as caught:
        await tracker.scan(ACME, KEY, "d1", purpose=Purpose.SCHEDULED)
    return caught.value


async def half(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(reply({"domainId": "d1", "dns": {}})[:-4])
    writer.close()


async def garble(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example ESMTP\r\n\r\n")
    writer.close()


async def drip(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


async def flood(_request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(100):
        writer.write(b"%x\r\n%s\r\n" % (len(MIB), MIB))
        await writer.drain()
    writer.write(b"0\r\n\r\n")


@loop_over("answer", [drop, half, garble])
async def test_a_connection_that_breaks_leaves_the_outcome_unknown(answer: Answer) -> None:
    async with service(answer) as there, client_of(there.url) as tracker:
        error = await scan_failure(tracker)

    assert type(error) is UnavailableError
    assert error.is_outcome_unknown
    assert len(there.seen) == 1


async def test_a_list_is_asked_for_again_when_the_connection_breaks() -> None:
    async with service(drop) as there, client_of(there.url) as tracker:
        with pytest.raises(UnavailableError) as caught:
            await tracker.list_domains(ACME, KEY)

    assert not caught.value.is_outcome_unknown
    assert len(there.seen) == 3


@loop_over("answer", [silence, drip])
async def test_no_service_can_keep_a_call_waiting(answer: Answer) -> None:
    async with service(answer) as there, client_of(there.url) as tracker:
        error = await scan_failure(tracker)
        with pytest.raises(TimedOutError) as listed:
            await tracker.list_domains(ACME, KEY)

    assert isinstance(error, TimedOutError)
    assert error.is_outcome_unknown
    assert not listed.value.is_outcome_unknown
    assert len(there.seen) == 2, "what timed out is not sent again"


async def test_an_endless_body_is_cut_and_its_connection_closed() -> None:
    async with service(flood) as there, client_of(there.url) as tracker:
        error = await scan_failure(tracker)
        await there.dropped.wait()

    assert isinstance(error, ReplyTooLargeError)
    assert error.is_outcome_unknown
