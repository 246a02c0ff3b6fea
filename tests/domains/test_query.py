import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.dispatch.command_text import NotUnderstoodError
from bot.domains.kept_facts import KnownFacts
from bot.domains.query import MAX_QUERY_CHARS, Query, Sort, parse_query, query_text, select
from bot.tracker.scan_facts import Severity
from tests.builders import MOMENT, a_domain, ending
from tests.loops import loop_over

PARSED = {
    "nothing": ("", Query()),
    "a web address": ("<https://shop.example/a?b=1&amp;c=2>", Query(words=("shop.example",))),
    "a name in its own script": ("MÜNCHEN.example", Query(words=("xn--mnchen-3ya.example",))),
    "tags": ("tag:prod tag:EU", Query(tags=("prod", "EU"))),
    "a folder": ('folder:"Web shops"', Query(folder="Web shops")),
    "a type": ("type:owned", Query(domain_type="owned")),
    "scores": ("below:70 above:12.5", Query(below=70, above=12.5)),
    "all scores": ("below:100 above:0", Query(below=100, above=0)),
    "ends": ("EXPIRES:" + "9" * 400, Query(expires=int("9" * 400))),
    "issues": ("issues:HIGH", Query(issues=Severity.HIGH)),
    "never scanned": ("scanned:Never", Query(is_unscanned=True)),
    "what ends first": ("sort:Expiry", Query(sort=Sort.EXPIRY)),
    "a page": ("page:3", Query(page=3)),
    "the same twice": ("below:70 folder:a below:70 folder:a", Query(below=70, folder="a")),
}

NOT_UNDERSTOOD = {
    "no such filter": ("colour:red", ""),
    "nearly a filter": ("exprires:30", ""),
    "no value": ("tag:", "needs a value"),
    "an empty value": ('tag:""', "needs a value"),
    "too high": ("above:101", "needs a number from 0 to 100, such as `above:90`"),
    "not a number": ("below:nan", "needs a number from 0 to 100, such as `below:70`"),
    "no order": ("sort:worst", "needs score, name or expiry"),
    "no days": ("expires:soon", "needs a whole number, such as `expires:30`"),
    "days twice": ("expires:30 expires:31", "is given twice"),
    "no moment": ("scanned:today", "needs never"),
    "a date of none": ("scanned:never expires:30", "leaves out all that has dates and issues"),
    "no severity": ("issues:bad", "needs critical, high, medium or low, such as `issues:high`"),
    "an unrated severity": (
        "issues:unknown",
        "needs critical, high, medium or low, such as `issues:high`",
    ),
    "no page": ("page:-1", "needs a whole number"),
    "digits of elsewhere": ("page:٣", "needs a whole number"),
    "two folders": ("folder:a folder:b", "is given twice"),
    "two limits": ("below:70 below:60", "is given twice"),
    "can't both hold": ("below:30 above:70", "can't both hold"),
    "nothing between": ("above:50 below:50", "can't both hold"),
    "too long": ("x" * (MAX_QUERY_CHARS + 1), "is longer than 2000 characters"),
}

SCORES = st.floats(0, 100).map(repr) | st.integers(0, 100).map(str)
VALUES = st.text(st.characters(), min_size=1, max_size=8).map(lambda text: text.replace('"', ""))
PARTS = st.one_of(
    st.text(st.characters(), max_size=8),
    st.sampled_from(['"', "&amp;copy", "&quot;", "R&amp;D", "&lt;!here&gt;", "«a b»", "ß", "ŉ.x"]),
    st.sampled_from(
        ["<http://a.example|tag:b>", '"tag:b"', "münchen.example", "\u017fhop.ex", "a:b"]
    ),
    st.builds('tag:"{}"'.format, VALUES),
    st.builds("tag:{}".format, VALUES),
    st.builds('folder:"{}"'.format, VALUES),
    st.builds("type:{}".format, VALUES),
    st.builds("below:{}".format, SCORES),
    st.builds("above:{}".format, SCORES),
    st.builds("expires:{}".format, st.integers(0, 9_999)),
    st.sampled_from(
        [
            "issues:low",
            "scanned:never",
            "sort:expiry",
            "sort:name",
            "sort:score",
            "page:1",
            "page:77",
            "page:100000",
        ]
    ),
)
TEXTS = st.lists(PARTS, max_size=6).map(" ".join)


@loop_over(("text", "query"), PARSED.values(), ids=PARSED)
def test_a_text_spells_a_query(text: str, query: Query) -> None:
    assert parse_query(text) == query


@loop_over(("text", "why"), NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_what_means_nothing_says_why(text: str, why: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        parse_query(text)

    assert [problem.why for problem in caught.value.problems] == [why]


def test_every_part_that_means_nothing_is_named_and_every_other_too() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        parse_query("shop color:red tag:prod below:200 page:x above:90 below:10")

    parts = [problem.part for problem in caught.value.problems]
    assert parts == ["color:red", "below:200", "page:x", "below:10 above:90"]
    assert caught.value.understood == ["shop", "tag:prod", "above:90", "below:10"]


@given(TEXTS)
@example('"a &quot;b"')
@example('"tag:x" <h|tag:x"y>')
@example('tag:"//x"')
@example("tag:R&amp;copy tag:&amp;amp;")
@example("below:70.123456789 above:1e-7")
def test_a_query_is_spelled_so_that_it_is_read_again(text: str) -> None:
    try:
        query = parse_query(text)
    except NotUnderstoodError:
        return

    assert parse_query(query_text(query)) == query


@loop_over("char", ["a", "&", "ü", '"', "ß "])
def test_the_longest_query_is_read_again_or_too_long_for_a_button(char: str) -> None:
    query = parse_query(char * (MAX_QUERY_CHARS // len(char)))

    text = query_text(query)

    assert len(text) > MAX_QUERY_CHARS or parse_query(text) == query


@loop_over(
    ("text", "is_filter"),
    [
        ("", False),
        ("sort:name page:3", False),
        ("x", True),
        ("tag:x", True),
        ("below:70", True),
        ("expires:7", True),
    ],
)
def test_order_and_page_leave_nothing_out(text: str, is_filter: bool) -> None:
    assert parse_query(text).is_filter is is_filter


PORTFOLIO = (
    a_domain("shop.example", 41, tags=("Prod", "eu"), folder="Web shops", domain_type="owned"),
    a_domain("Blog.example", 90, tags=("prod",), folder="Blogs"),
    a_domain("new.example", None, domain_type="Watched"),
    a_domain("xn--mnchen-3ya.example", 70),
    a_domain("KÖLN.example", 70, folder="web SHOPS"),
    a_domain("zero.example", 0),
)
WORST_FIRST = ["zero", "shop", "KÖLN", "xn--mnchen-3ya", "Blog", "new"]
CHOSEN = {
    "everything, worst first, unknown last": ("", WORST_FIRST),
    "by name": ("sort:name", ["Blog", "KÖLN", "new", "shop", "xn--mnchen-3ya", "zero"]),
    "a word": ("o", ["zero", "shop", "Blog"]),
    "every word": ("o sh", ["shop"]),
    "a whole name": ("blog.EXAMPLE.", ["Blog"]),
    "a web address": ("http://shop.example/a", ["shop"]),
    "own script for punycode": ("münchen", ["xn--mnchen-3ya"]),
    "own name for punycode": ("MÜNCHEN.example", ["xn--mnchen-3ya"]),
    "punycode for own script": ("xn--kln-sna.example", ["KÖLN"]),
    "a tag": ("tag:PROD", ["shop", "Blog"]),
    "every tag": ("tag:prod tag:EU", ["shop"]),
    "no part of a tag": ("tag:pro", []),
    "a folder": ('folder:"web shops"', ["shop", "KÖLN"]),
    "a type": ("type:watched", ["new"]),
    "below leaves the limit and the unknown out": ("below:41", ["zero"]),
    "above too": ("above:70", ["Blog"]),
    "all of it": ("shop tag:prod folder:web* below:50", []),
    "nothing": ("nowhere", []),
}


@loop_over(("text", "names"), CHOSEN.values(), ids=CHOSEN)
def test_a_query_chooses_domains_in_its_order(text: str, names: list[str]) -> None:
    chosen = select(PORTFOLIO, parse_query(text))

    assert [domain.domain.removesuffix(".example") for domain in chosen] == names


@given(st.text(st.characters(), max_size=30), TEXTS)
def test_whatever_a_domain_is_called_it_can_be_looked_through(name: str, text: str) -> None:
    try:
        query = parse_query(text)
    except NotUnderstoodError:
        return

    assert len(select([a_domain(name), a_domain(f"xn--{name}")], query)) <= 2


KNOWN = KnownFacts(
    {
        "shop.example": ending(100, 30, issues={Severity.HIGH: 2, Severity.LOW: 1}),
        "blog.example": ending(10, None, issues={Severity.MEDIUM: 1}),
        "zero.example": ending(None, -3, issues={Severity.UNKNOWN: 4}),
        "xn--kln-sna.example": ending(31, 31),
        "new.example": ending(),
    },
    MOMENT,
)
CHOSEN_BY_SCAN = {
    "either end, ended ones too": ("expires:30", ["zero", "Blog", "shop"]),
    "what has ended": ("expires:0", ["zero"]),
    "at least high, and the unrated": ("issues:high", ["zero", "shop"]),
    "at least low takes the unrated in": ("issues:low", ["zero", "shop", "Blog"]),
    "never scanned": ("scanned:never", ["xn--mnchen-3ya"]),
    "what ends first": ("sort:expiry", ["zero", "Blog", "shop", "KÖLN", "new", "xn--mnchen-3ya"]),
    "the worst first": ("expires:30 sort:score", ["zero", "shop", "Blog"]),
    "with other parts": ("expires:30 tag:prod sort:expiry", ["Blog", "shop"]),
}


@loop_over(("text", "names"), CHOSEN_BY_SCAN.values(), ids=CHOSEN_BY_SCAN)
def test_a_query_chooses_by_what_scans_said(text: str, names: list[str]) -> None:
    chosen = select(PORTFOLIO, parse_query(text), KNOWN)

    assert [domain.domain.removesuffix(".example") for domain in chosen] == names


@loop_over(
    ("text", "needs"),
    [("", False), ("tag:prod", False), ("sort:expiry", True), ("issues:low", True)],
)
def test_only_what_scans_said_needs_their_results(text: str, needs: bool) -> None:
    assert parse_query(text).needs_ends is needs


def test_without_scans_nothing_ends_and_the_order_is_by_score() -> None:
    assert select(PORTFOLIO, parse_query("expires:30")) == []
    assert select(PORTFOLIO, parse_query("sort:expiry")) == select(PORTFOLIO, parse_query(""))
