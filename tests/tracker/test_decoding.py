import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tracker.decoding import (
    MAX_DEPTH,
    decode_added,
    decode_listing,
    decode_scan,
    parse_json,
    requests_remaining,
    retry_after_s,
)
from bot.tracker.models import (
    Domain,
    InvalidKeyError,
    IpNotAllowedError,
    Listing,
    RateLimitedError,
    RejectedError,
    ReplyTooLargeError,
    TrackerError,
    UnavailableError,
    UnreadableReplyError,
)
from tests.loops import loop_over
from tests.stopwatch import at_most

Decode = Callable[[int, bytes], object]
EVERY: dict[str, Decode] = {"list": decode_listing, "add": decode_added, "scan": decode_scan}
every_decode = loop_over("decode", EVERY.values(), ids=EVERY)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["domain", "domainId", "tags", "healthScore", "whois", "error"])
        | st.text(),
        inner,
    ),
    max_leaves=20,
)  # fmt: skip


def dumped(value: object) -> bytes:
    return json.dumps(value).encode()


def failure_of(decode: Decode, status: int, value: object = b"") -> TrackerError:
    body = value if isinstance(value, bytes) else dumped(value)
    with pytest.raises(TrackerError) as caught:
        decode(status, body)
    return caught.value


def listed(item: object) -> Domain:
    return decode_listing(200, dumped([item])).domains[0]


def test_a_list_is_read_without_unused_fields() -> None:
    body = {
        "domainId": "d1", "domain": "Example.com", "domainType": "owned", "tags": ["a", "b"],
        "folder": "Shops", "healthScore": 71, "expires": {"at": "2030-01-01"},
    }  # fmt: skip

    assert listed(body) == Domain(
        domain="Example.com",
        domain_id="d1",
        domain_type="owned",
        tags=("a", "b"),
        folder="Shops",
        health_score=71.0,
    )


def test_items_without_a_name_are_counted_and_lose_no_other() -> None:
    items: list[object] = [
        None,
        5,
        "a.example",
        [],
        {},
        {"domain": ""},
        {"domain": " "},
        {"domain": 7},
    ]

    listing = decode_listing(200, dumped([*items, {"domain": "b.example"}]))

    assert listing == Listing(domains=(Domain(domain="b.example"),), skipped=8)


@loop_over(
    ("score", "read"),
    [
        ("0", 0.0),
        ("100", 100.0),
        ("null", None),
        ("true", None),
        ('"71"', None),
        ("-1", None),
        ("100.01", None),
    ],
)
def test_only_a_number_from_0_to_100_is_a_score(score: str, read: float | None) -> None:
    body = f'[{{"domain": "a.example", "healthScore": {score}}}]'.encode()

    assert decode_listing(200, body).domains[0].health_score == read


@loop_over(
    ("tags", "read"),
    [(None, ()), ("prod", ("prod",)), (["a", 5, None, "", " ", "b"], ("a", "b")), ({"a": 1}, ())],
)
def test_odd_tags_are_read_as_far_as_they_are_words(tags: object, read: tuple[str, ...]) -> None:
    assert listed({"domain": "a.example", "tags": tags}).tags == read


@loop_over(
    ("value", "read"),
    [("d1", "d1"), (17, "17"), (None, None), ("", None), (True, None), ({}, None), (1.5, None)],
)
def test_a_domain_id_may_be_a_number(value: object, read: str | None) -> None:
    assert listed({"domain": "a.example", "domainId": value}).domain_id == read


def test_a_list_is_never_searched_for_messages() -> None:
    body = dumped([{"domain": "a.example", "tags": ["Rate limit exceeded"]}])

    assert decode_listing(200, body).domains[0].tags == ("Rate limit exceeded",)


@loop_over(
    "body",
    [
        pytest.param(dumped({"domains": [{"domain": "a.example"}]}), id="wrapped"),
        pytest.param(dumped({"data": [{"domain": "a", "note": "Invalid API key"}]}), id="echo"),
        pytest.param(b'[{"domain": "a.example", "tags": ["Rate limit exceeded"]', id="truncated"),
        pytest.param(b"<html><h1>Sign in</h1>", id="html"),
        pytest.param(b"", id="empty"),
        pytest.param(b"null", id="null"),
        pytest.param(b'{"message": "Welcome"}', id="no-error"),
        pytest.param(b'{"domain": "a.example", "error": "No WHOIS"}', id="one-domain"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_a_success_that_is_no_list_is_unreadable(body: bytes) -> None:
    error = failure_of(decode_listing, 200, body)

    assert isinstance(error, UnreadableReplyError)
    assert error.status == 200


def test_a_scan_keeps_missing_and_null_sections_apart() -> None:
    body = dumped({"domainId": "d1", "ssl": None, "whois": {"a": 1}, "dns": [1], "took": 3})

    result = decode_scan(200, body)

    assert result == {"whois": {"a": 1}, "dns": [1], "ssl": None}
    assert list(result) == ["whois", "dns", "ssl"]


@loop_over("body", [b"", b"{}", b"[]", b"<html>", b'{"dns": ["Invalid API key"'])
def test_another_answer_to_a_scan_leaves_its_outcome_unknown(body: bytes) -> None:
    error = failure_of(decode_scan, 200, body)

    assert isinstance(error, UnreadableReplyError)
    assert error.is_outcome_unknown


@loop_over("value", [b"1", b"[]", b'{"a":1}', b'{"issues":[]}'])
def test_a_scan_of_a_million_tiny_values_is_refused_before_it_is_read(value: bytes) -> None:
    body = b'{"dns": [' + b",".join([value] * 1_000_000) + b"]}"

    with at_most(processor_s=1):  # to read it took up to 50 s
        error = failure_of(decode_scan, 200, body)

    assert isinstance(error, ReplyTooLargeError)
    assert error.is_outcome_unknown


def test_a_scan_of_ten_thousand_records_is_read() -> None:
    records = [{"type": "A", "name": "a.example", "value": "192.0.2.1", "ttl": 60}] * 10_000

    assert decode_scan(200, dumped({"dns": records})) == {"dns": records}


@loop_over(
    "body",
    [
        b"",
        b" \n",
        b"null",
        b'"ok"',
        b"[]",
        b'{"success": true, "errors": []}',
        b'{"folder": "Rate limit exceeded"}',
        b'{"status": "created", "warning": "Rate limit exceeded"}',
        b'{"domainId": "d", "errors": ["x"]}',
    ],
)
def test_any_json_may_answer_an_add(body: bytes) -> None:
    decode_added(201, body)


def test_an_add_that_answers_nothing_but_a_message_failed() -> None:
    error = failure_of(decode_added, 200, {"code": 1, "info": ["Invalid API key"]})

    assert isinstance(error, InvalidKeyError)


@every_decode
@loop_over("status", [200, 201, 400, 401, 403, 418, 429, 302, 500, 503])
@loop_over(
    "body",
    [
        b'{"error": "IP address not allowed"}',
        b"IP address not allowed",
        b"<html><body><h1>IP address not allowed</h1></body></html>",
        b'"IP address not allowed"',
        b'{"success": false, "reasons": ["ip_address_not_allowed"]}',
    ],
)
def test_the_message_counts_before_the_status(decode: Decode, status: int, body: bytes) -> None:
    assert isinstance(failure_of(decode, status, body), IpNotAllowedError)


@every_decode
@loop_over(
    ("status", "expected"),
    [
        (429, RateLimitedError),
        (404, RejectedError),
        (301, UnreadableReplyError),
        (100, UnreadableReplyError),
        (500, UnavailableError),
        (503, UnavailableError),
    ],
)
def test_the_status_decides(decode: Decode, status: int, expected: type[TrackerError]) -> None:
    assert type(failure_of(decode, status, {"error": "Nope"})) is expected
    assert type(failure_of(decode, status)) is expected


@every_decode
@loop_over("status", [401, 403])
def test_a_status_alone_says_nothing_about_the_key(decode: Decode, status: int) -> None:
    page = b"<html><h1>We are back in a minute</h1></html>"

    for body in (page, b"", b"{}"):
        error = failure_of(decode, status, body)
        assert type(error) is UnavailableError
        assert not error.is_outcome_unknown
    assert type(failure_of(decode, status, {"error": "Nope"})) is RejectedError


def test_a_rejection_says_what_the_service_said() -> None:
    for decode, status in [(decode_scan, 404), (decode_listing, 200), (decode_added, 200)]:
        error = failure_of(decode, status, {"success": False, "error": "No such domain"})

        assert isinstance(error, RejectedError)
        assert (error.status, error.detail) == (status, "No such domain")


@pytest.mark.parametrize("decode", EVERY.values(), ids=EVERY)
@settings(deadline=None)
@given(status=st.integers(0, 999), body=st.binary() | JSON.map(dumped) | st.text().map(str.encode))
def test_any_reply_is_data_or_a_tracker_error(decode: Decode, status: int, body: bytes) -> None:
    try:
        answer = decode(status, body)
    except TrackerError:
        return
    assert answer is None or isinstance(answer, Listing | dict)
    assert 200 <= status < 300


@settings(deadline=None)
@given(st.lists(JSON))
def test_every_item_of_a_list_is_a_domain_or_counted(items: list[object]) -> None:
    listing = decode_listing(200, dumped(items))

    assert len(listing.domains) + listing.skipped == len(items)
    assert all(d.health_score is None or 0 <= d.health_score <= 100 for d in listing.domains)


@pytest.mark.parametrize(
    "entry",
    [
        {"domain": "a.example", "domainId": "d1", "healthScore": 41, "tags": ["x"], "folder": "f"},
        {"domain": "a.example", "domainType": "owned", "healthScore": 99.5, "more": "left out"},
        {"domain": "a.example", "healthScore": None, "folder": None, "domainId": None},
        {"domain": "a.example", "folder": " ", "tags": ["", "x"], "domainType": "\u2003"},
        {"domain": "a.example", "domainId": 7, "healthScore": 101, "tags": None},
        {"domain": "a.example", "tags": "one", "healthScore": True, "more": {"deep": [1]}},
        {"domain": "a.example", "health_score": 41, "domain_id": "not the service's word"},
    ],
)
def test_an_odd_neighbour_changes_nothing_about_an_entry(entry: dict[str, Any]) -> None:
    alone = decode_listing(200, json.dumps([entry]).encode())
    beside = decode_listing(200, json.dumps([entry, {"domain": " "}]).encode())

    assert alone.domains == beside.domains
    assert (alone.skipped, beside.skipped) == (0, 1)


@loop_over(
    ("value", "remaining"),
    [
        ("997", 997),
        (" 0 ", 0),
        ("-1", None),
        ("", None),
        ("many", None),
        ("12, 11", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 5000, None),
    ],
)
def test_only_a_plain_count_is_taken_as_remaining(value: str, remaining: int | None) -> None:
    assert requests_remaining({"x-ratelimit-remaining": value}) == remaining


@loop_over(
    ("value", "seconds"),
    [("7", 7), ("0", None), ("-3", None), ("soon", None), ("Fri, 01 Mar 2030 10:02:00 GMT", None)],
)
def test_only_seconds_above_0_are_taken_as_a_wait(value: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": value}) == seconds


@loop_over(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'[{"domain": "a.ex', id="truncated"),
        pytest.param(b"<html>", id="html"),
        pytest.param(b"[1] [2]", id="two"),
        pytest.param(b"[NaN]", id="no-number"),
        pytest.param(b"[1e999]", id="beyond-floats"),
        pytest.param(b"[" + b"9" * 5000 + b"]", id="beyond-ints"),
        pytest.param(rb'["a\ud800b"]', id="half-a-pair"),
        pytest.param(b'["\xff"]', id="not-utf-8"),
        pytest.param(b"[" * 100_000, id="open-and-deep"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="deep"),
        pytest.param(b'{"a":' * 5_000 + b"NaN" + b"}" * 5_000, id="deep-and-odd"),
        pytest.param(b"[" * 201 + b"]" * 201, id="just-too-deep"),
    ],
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|nested") as caught:
        parse_json(body)

    assert caught.value.__context__ is None, "it would hold the body"


def test_the_deepest_allowed_value_and_a_wide_one_are_read() -> None:
    parse_json(b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH)

    assert parse_json(b"[" + b"[]," * MAX_DEPTH + b"{}]") == [[]] * MAX_DEPTH + [{}]
