"""Issues and end dates in a scan of any shape: recognized, never guessed."""

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.tracker.dates import read_date
from bot.tracker.facts import facts_of
from bot.tracker.scan_facts import MAX_KEPT_ISSUES, EndDate, Knowledge, Severity
from tests.loops import loop_over
from tests.stopwatch import at_most

MOMENT = datetime(2026, 12, 1, 1, 48, 1, tzinfo=UTC)
DAY = date(2026, 12, 1)
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def issues(security: Any) -> list[tuple[str, str, str]]:
    """Return severity, title and advice of each issue."""
    found = facts_of({"security": security}, NOW).issues
    return [(issue.severity.value, issue.title, issue.fix) for issue in found]


RECOGNIZED: dict[str, tuple[Any, list[tuple[str, str, str]]]] = {
    "records": (
        {"issues": [{"severity": "high", "title": "T", "recommendation": "Do"}]},
        [("high", "T", "Do")],
    ),
    "other names": (
        {"Problems": [{"Risk-Level": "CRITICAL", "message": "M", "remediation": "R"}]},
        [("critical", "M", "R")],
    ),
    "worst first": (
        {"issues": [{"level": word, "name": "x"} for word in ("low", "info", "odd", "critical")]},
        [(word, "x", "") for word in ("critical", "unknown", "low", "info")],
    ),
    "texts": ({"warnings": ["a", "", "b"]}, [("unknown", "a", ""), ("unknown", "b", "")]),
    "numbers": ({"issues": [404, 1.5]}, [("unknown", "404", ""), ("unknown", "1.5", "")]),
    "nested lists": (
        {"issues": [["a", "b"], [{"severity": "low", "title": "T"}], []]},
        [("unknown", "a, b", ""), ("low", "T", "")],
    ),
    "by severity": (
        {"issues": {"critical": ["a"], "low": [{"title": "b"}]}},
        [("critical", "a", ""), ("low", "b", "")],
    ),
    "without a severity": ({"issues": [{"title": "T"}]}, [("unknown", "T", "")]),
    "without a title": ({"issues": [{"severity": "high"}]}, [("high", "", "")]),
    "with a title of another name": (
        {"issues": [{"severity": "high", "what": "T"}]},
        [("high", "T", "")],
    ),
    "a severity that is a number": (
        {"issues": [{"severity": 9.8, "title": "T"}]},
        [("unknown", "T", "")],
    ),
    "not in a list of issues": (
        {"mail": {"checks": [{"severity": "high", "title": "T"}]}},
        [("high", "T", "")],
    ),
    "passed checks": (
        {
            "checks": [
                {"severity": "ok", "title": "fine"},
                {"severity": "high", "title": "fine", "status": "passed"},
                {"severity": "high", "title": "fine", "resolved": True},
            ]
        },
        [],
    ),
    "rated by another name": ({"mail": [{"risk": "high", "title": "T"}]}, [("high", "T", "")]),
    "of a severity of its own": (
        {"mail": [{"severity": "spicy", "title": "T"}]},
        [("unknown", "T", "")],
    ),
    "a level of something else": ({"tls": [{"name": "TLS 1.2", "level": "modern"}]}, []),
    "a count": ({"issues": 6}, [("unknown", "Security › Issues: 6", "")]),
    "a word": ({"issues": "none"}, []),
    "counts by severity": (
        {"issues": {"critical": 1, "high": 2}},
        [("critical", "Security › Issues: 1 critical, 2 high", "")],
    ),
    "a list of what is missing": (
        {"missing": ["csp"], "present": ["hsts"]},
        [("unknown", "Security › Missing: csp", "")],
    ),
    "a list of what failed": (
        {"failed": [{"name": "DMARC", "fix": "Add it"}]},
        [("unknown", "DMARC", "Add it")],
    ),
    "a check that could not be made": ({"checks": [{"name": "SPF", "status": "timeout"}]}, []),
    "what is only switched on": ({"checks": {"malware": True}}, []),
    "what is said not to be": ({"noMalware": True, "notListed": True}, []),
    "nothing": (None, []),
}  # fmt: skip


@loop_over(("security", "found"), RECOGNIZED.values(), ids=RECOGNIZED)
def test_issues_are_recognized_by_shape(security: Any, found: list[tuple[str, str, str]]) -> None:
    assert issues(security) == found


def test_an_empty_list_of_issues_is_something_else_than_none() -> None:
    known = {
        Knowledge.NONE: {"issues": []},
        Knowledge.KNOWN: {"issues": ["a"]},
        Knowledge.UNRECOGNIZED: {"server": "nginx"},
        Knowledge.FAILED: {},
    }

    for knowledge, security in known.items():
        assert facts_of({"security": security}, NOW).issue_knowledge is knowledge


def test_of_five_hundred_issues_the_worst_are_kept_and_all_are_counted() -> None:
    many = [{"severity": "low", "title": f"{n}"} for n in range(499)]
    facts = facts_of(
        {"security": {"issues": [*many, {"severity": "critical", "title": "X"}]}}, NOW
    )

    assert facts.issues[0].title == "X"
    assert len(facts.issues) == MAX_KEPT_ISSUES
    assert facts.counts == {Severity.CRITICAL: 1, Severity.LOW: 499}


DATES: dict[str, tuple[object, object]] = {
    "a day": ("2026-12-01", DAY),
    "a day with dots": ("01.12.2026", DAY),
    "a British day": ("1-Dec-2026", DAY),
    "a day in words": ("December 1, 2026", DAY),
    "day and month that cannot be confused": ("13/12/2026", date(2026, 12, 13)),
    "the American order": ("12/13/2026", date(2026, 12, 13)),
    "day and month that can": ("01/12/2026", None),
    "a day with a short month": ("1 Sept 2026", date(2026, 9, 1)),
    "a day and a count": ("2026-12-01 12", None),
    "a moment": ("2026-12-01T01:48:01Z", MOMENT),
    "a British moment": ("1-Dec-2026 01:48:01", MOMENT.replace(tzinfo=None)),
    "an hour of one digit": ("2026-12-01 1:48:01", MOMENT.replace(tzinfo=None)),
    "of OpenSSL": ("Dec  1 01:48:01 2026 GMT", MOMENT),
    "long ago, of OpenSSL": ("Dec  1 01:48:01 0001 GMT", None),
    "in the afternoon": ("Dec 1, 2026, 1:48:01 PM", None),
    "a moment elsewhere": ("2026-12-01T03:48:01.123456+02:00", MOMENT),
    "of a mail": ("Tue, 01 Dec 2026 02:48:01 +0100", MOMENT),
    "a moment in America": ("2026-11-30T20:48:01-05:00", MOMENT),
    "of Java": ("Tue Dec 01 01:48:01 UTC 2026", MOMENT),
    "without a zone": ("2026-12-01 01:48:01", MOMENT.replace(tzinfo=None)),
    "of a zone that has no number": ("2026/12/01 01:48:01 (JST)", MOMENT.replace(tzinfo=None)),
    "seconds": (int(MOMENT.timestamp()), MOMENT),
    "never": ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    "never in seconds": (253_402_300_799, datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    "never, a day later here": ("9999-12-31T23:59:59-01:00", datetime(9999, 12, 31, 23, 59, 59)),  # noqa: DTZ001 # as given
    "no such month": ("1 Foo 2026", None),
    "no such day": ("2026-02-30", None),
    "too large": (10**400, None),
    "an hour too large": ("1 Jan 2027 9999999999999999999999:00", None),
    "a truth": (True, None),
}  # fmt: skip


@loop_over(("value", "read"), DATES.values(), ids=DATES)
def test_dates_are_read_in_many_formats(value: object, read: object) -> None:
    assert read_date(value) == read


ENDS: dict[str, tuple[Any, EndDate | None]] = {
    "a moment": ({"expiryDate": "2026-12-01T01:48:01Z"}, EndDate(DAY, MOMENT)),
    "a day": ({"Registry Expiry Date": "2026-12-01"}, EndDate(DAY)),
    "without a zone": ({"expires": "2026-12-01 01:48:01"}, EndDate(DAY)),
    "seconds as a text": ({"expires_at": str(int(MOMENT.timestamp()))}, EndDate(DAY, MOMENT)),
    "never, in milliseconds as a text": (
        {"expires_at": "253402300799999"},
        EndDate(date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ),
    "a list": ({"expiration_date": ["2026-12-01", None]}, EndDate(DAY)),
    "in an object": ({"expiry": {"date": "2026-12-01"}}, EndDate(DAY)),
    "the least nested": (
        {"old": {"expires": "2020-01-01"}, "expires": "2026-12-01"},
        EndDate(DAY),
    ),
    "two that agree": ({"expires": "2026-12-01", "expiry": "1-Dec-2026"}, EndDate(DAY)),
    "two that differ": (
        {"expires": "2027-01-01", "validUntil": "2026-12-01"},
        EndDate(DAY, also=(date(2027, 1, 1),)),
    ),
    "of another thing": ({"createdDate": "2026-12-01"}, None),
    "unreadable": ({"expires": "soon"}, None),
    "nothing": (None, None),
}


@loop_over(("whois", "end"), ENDS.values(), ids=ENDS)
def test_the_end_of_a_registration_is_found_by_its_name(whois: Any, end: EndDate | None) -> None:
    assert facts_of({"whois": whois}, NOW).registration == end


def test_the_title_of_an_error_is_the_reason_where_no_other_text_gives_one() -> None:
    whois = {"errorCode": 429, "title": "Too Many Requests", "description": []}  # RFC 9083

    assert facts_of({"whois": whois}, NOW).failed["whois"] == "Too Many Requests"


def test_two_names_for_the_end_of_a_certificate_may_differ() -> None:
    ssl = {"notAfter": "2026-12-01T01:48:01Z", "valid_to": "2027-03-01"}

    assert facts_of({"ssl": ssl}, NOW).certificate == EndDate(DAY, MOMENT, (date(2027, 3, 1),))


def test_days_are_counted_in_utc() -> None:
    end = EndDate(DAY, MOMENT)

    assert end.days_left(datetime(2026, 11, 30, 23, 59, tzinfo=UTC)) == 1
    assert end.days_left(datetime(2026, 12, 4, tzinfo=UTC)) == -3
    assert not end.has_ended(datetime(2026, 12, 1, 1, 0, tzinfo=UTC))
    assert end.has_ended(datetime(2026, 12, 1, 2, 0, tzinfo=UTC))
    assert not EndDate(DAY).has_ended(datetime(2026, 12, 1, 23, 0, tzinfo=UTC))


NAMES = st.sampled_from(["issues", "severity", "title", "expires", "notAfter", "level", "x", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(["whois", "dns", "ssl", "security"]), JSON))
def test_any_json_has_facts(sections: dict[str, object]) -> None:
    facts = facts_of(sections, NOW)

    assert sum(facts.counts.values()) == len(facts.issues)


def test_depth_and_size_do_no_harm() -> None:
    deep: object = {"title": "T", "severity": "low"}
    for _ in range(5_000):  # more than Python's stack holds
        deep = {"issues": [deep]}

    with at_most(processor_s=5):
        facts = facts_of({"security": deep, "ssl": deep}, NOW)

    assert facts.counts[Severity.LOW] == 2
