import re
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.blocks.text import day_token, moment_token
from bot.scans.finding_views import change_line, finding_lines, label, record_count, value_text
from bot.tracker.changes import Change
from bot.tracker.sections import Finding, section_of
from tests.blocks.acceptance import OUR_MARKUP
from tests.builders import HOSTILE_TEXTS, KEY, KEY_TAIL
from tests.loops import loop_over

MOMENT = moment_token(datetime(2027, 2, 3, 14, 5, tzinfo=UTC))
SECONDS = int(datetime(2027, 2, 3, 14, 5, tzinfo=UTC).timestamp())

LABELS = {
    "camel case": (("notAfter",), "Not after"),
    "snake case": (("creation_date",), "Creation date"),
    "abbreviation": (("MX",), "MX"),
    "written small": (("ttl",), "TTL"),
    "inside": (("dnsRecords",), "DNS records"),
    "numbered": (("MX", "1", "host"), "MX 1 › Host"),
    "one of several": (("nameServers", "2"), "Name server 2"),
    "a plural that is not sure": (("entries", "1"), "Entries 1"),
    "a number first": (("1", "host"), "1 › Host"),
    "no name": ((), "Value"),
    "an empty name inside": (("a", "", "b"), "A › B"),
    "only markup": (("*~`|<>&",), "Value"),
    "markup": (("<!channel> *x*",), "!channel x"),
    "a key": ((KEY,), "Service sk [hidden]"),
    "deep": ((*"abc", "…", *"de"), "A › B › C › … › D › E"),
}

VALUES = {
    "null": (None, "–"),
    "empty": ("", "–"),
    "nothing visible": ("\u200b", "(nothing)"),
    "yes": (True, "yes"),
    "a number": (3600, "3600"),
    "words": ("v=spf1 -all", "v=spf1 -all"),
    "a list": (("a", None, True, 2), "a, –, yes, 2"),
    "an empty list": ((), "none"),
    "a day": ("2027-02-03", day_token(date(2027, 2, 3))),
    "a moment": ("2027-02-03T14:05:00Z", MOMENT),
    "a moment of elsewhere": ("2027-02-03 16:05:00.000+02:00", MOMENT),
    "no such day": ("2027-02-30", "2027-02-30"),
    "no such moment": ("2027-02-03T25:05:00Z", "`2027-02-03T25:05:00Z`"),
    "a moment without zone": ("2027-02-03T14:05:00", "`2027-02-03T14:05:00`"),
}


@loop_over(("path", "shown"), LABELS.values(), ids=LABELS)
def test_a_way_reads_as_a_label(path: tuple[str, ...], shown: str) -> None:
    assert label(path) == shown


@loop_over(("value", "shown"), VALUES.values(), ids=VALUES)
def test_values_read_naturally(value: str | float | tuple[str, ...] | None, shown: str) -> None:
    assert value_text(Finding(("x",), value), 100) == shown


@loop_over("name", ["expires", "notAfter", "created_at", "validTo", "updatedDate"])
@loop_over("value", [SECONDS, float(SECONDS), SECONDS * 1000])
def test_a_number_whose_name_says_so_is_a_moment(name: str, value: float) -> None:
    assert value_text(Finding((name,), value), 100) == MOMENT


@loop_over("value", [0, -1, 90, 10**400, 1e308, float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_no_moment_of_our_time_stays_a_number(value: float) -> None:
    assert value_text(Finding(("expires",), value), 500) == str(value)
    assert value_text(Finding(("validity days",), SECONDS), 100) == str(SECONDS)


@given(st.lists(st.text(st.characters()) | st.sampled_from(list(HOSTILE_TEXTS.values()))))
def test_no_label_formats_links_or_grows(path: list[str]) -> None:
    shown = label(tuple(path))

    assert shown.strip() == shown != ""
    assert len(shown) <= 90
    assert not re.search(r"[*~`|<>&\n]", shown)
    assert KEY_TAIL.casefold()[:12] not in shown.casefold()


def lines_of(value: object, **options: int) -> list[tuple[str, int]]:
    return list(finding_lines(section_of("dns", {"dns": value}).findings, **options))


def test_a_record_of_a_few_parts_is_one_line() -> None:
    lines = lines_of({"MX": [{"host": "a.example", "ttl": 60}, {"host": "b.example", "ttl": 60}]})

    assert lines == [
        ("*MX 1*  Host a.example  ·  TTL 60", 1),
        ("*MX 2*  Host b.example  ·  TTL 60", 1),
    ]


def test_a_record_of_one_part_and_one_of_many_is_a_line_each() -> None:
    many = {f"part{number}": number for number in range(9)}

    lines = lines_of({"A": [{"ip": "192.0.2.1"}], "B": [many]})

    assert lines[0] == ("*A 1 › IP*  192.0.2.1", 1)
    assert lines[1:3] == [("*B 1 › Part0*  0", 0), ("*B 1 › Part1*  1", 0)]
    assert lines[9:] == [("*B 1 › Part8*  8", 1)]  # the end of the record


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=30,
)


@given(JSON)
def test_every_record_is_shown_and_counted_once(value: object) -> None:
    section = section_of("dns", {"dns": value})

    lines = lines_of(value)

    assert sum(count for _line, count in lines) == record_count(section.findings)
    assert len(lines) >= record_count(section.findings)
    assert all("\n" not in line and "<" not in OUR_MARKUP.sub("", line) for line, _ in lines)


BEFORE, AFTER = Finding(("ns",), "a.example"), Finding(("ns",), "b.example")


@loop_over(
    ("change", "line"),
    [
        (Change("dns", BEFORE, AFTER), "*DNS › NS*  a.example → b.example"),
        (Change("ssl", None, AFTER), "*SSL › NS*  new: b.example"),
        (Change("security", BEFORE, None), "*Security › NS*  gone: a.example"),
        (
            Change("dns", BEFORE, AFTER, of=("TXT", "<x>"), also=("isPresent",)),
            "*DNS › NS*  TXT, &lt;x&gt;  a.example → b.example (also Is present)",
        ),
        (
            Change("security", None, Finding(("headers", "xContentTypeOptions"), None)),
            "*Security › X-Content-Type-Options*  new: missing",
        ),
    ],
    ids=["changed", "new", "gone", "of a record", "score"],
)
def test_a_change_says_what_was_and_what_is(change: Change, line: str) -> None:
    assert change_line(change) == line
