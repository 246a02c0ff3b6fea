import json
from datetime import timedelta

from bot.blocks.text import moment_token
from bot.domains.kept_facts import KnownChange
from bot.scans.service import ScanReport
from bot.scans.views import (
    MAX_CHANGES,
    pick_form,
    scan_message,
    section_form,
    waiting_message,
)
from bot.tracker.changes import Change
from bot.tracker.models import SECTIONS
from bot.tracker.scan_facts import MAX_KEPT_ISSUES
from bot.tracker.sections import Finding
from tests.blocks.acceptance import (
    Json,
    assert_slack_takes,
    assert_slack_takes_form,
    buttons,
    shown,
    shown_text,
)
from tests.builders import HOSTILE_TEXTS, MOMENT, a_report
from tests.loops import loop_over


def everywhere(value: object) -> dict[str, object]:
    """Return sections that all hold the same."""
    return dict.fromkeys(SECTIONS, value)


def nested(depth: int, leaf: object) -> object:
    for number in range(depth):
        leaf = {f"level{number}": leaf, "beside": [leaf]} if number < 5 else [[leaf]]
    return leaf


UGLY = {
    "nothing": {},
    "nulls": everywhere(None),
    "numbers": {"whois": 0, "dns": -1.5, "ssl": 10**400, "security": float("nan")},
    "words": everywhere("<!channel> *x* `y`"),
    "lists": {"whois": [], "dns": [1, None], "ssl": [[], [[]]], "security": ["x"] * 500},
    "30 levels": everywhere(nested(30, "&" * 2_000)),
    "5,000 records": {"dns": [{"type": "A", "value": "192.0.2.1"}] * 5_000},
    "long values": everywhere({str(n): "&" * 2_000 for n in range(50)}),
    "long records": everywhere([{f"p{m}": "😀" * 1_999 for m in range(8)} for n in range(6)]),
    "long names": everywhere({f"{n}<&>" * 200: n for n in range(50)}),
    "500 issues": everywhere(
        [{"severity": "&" * 900, "title": "<" * 900, "fix": "😀" * 900}] * 500
    ),
    "issues of any kind": everywhere(
        {"issues": ["<!channel>", 1, None, [["x"], []], {}, {"severity": {}}, {"level": "high"}]}
    ),
    "emoji": everywhere(["😀" * 2_000] * 48),
}


def forms(report: ScanReport, most: int = 3) -> list[Json]:
    """Return the first pages of every section's form, and its last one."""
    return [
        section_form(report, name, page) for name in SECTIONS for page in [*range(most), 10_000]
    ]


def section_lines(form: Json) -> list[str]:
    texts = [block["text"]["text"] for block in form["blocks"][1:] if block["type"] == "section"]
    return "\n".join(texts).split("\n")


@loop_over("sections", UGLY.values(), ids=UGLY)
def test_slack_takes_the_ugliest_scans(sections: dict[str, object]) -> None:
    report = a_report(sections)

    assert_slack_takes(scan_message(report))
    assert_slack_takes(scan_message(report, shared_by="Ana"))
    for form in forms(report, most=1):
        assert_slack_takes_form(form)


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_strangers_wrote_does_nothing(text: str) -> None:
    sections = everywhere({"registrar": text, text: [text, {text: text}]})
    change = Change("dns", Finding((text,), text), Finding((text,), (text, text)))
    report = a_report(sections, host=text, changes=(change,), since=MOMENT)

    assert_slack_takes(scan_message(report, shared_by=text))
    assert_slack_takes(scan_message(report))
    assert_slack_takes(waiting_message(text))
    for form in forms(report):
        assert_slack_takes_form(form)


ISSUES = [
    {"severity": "low", "title": "No CAA record"},
    {"severity": "CRITICAL", "title": "Listed on a *blacklist*", "fix": "Ask <them>"},
    *({"severity": "medium", "title": f"Header {number} is missing"} for number in range(5)),
]
CERTIFICATE_END = MOMENT + timedelta(days=4, hours=16)
ENDING = {
    "whois": {"expiryDate": "2030-03-15"},
    "ssl": {"notAfter": CERTIFICATE_END.isoformat()},
    "security": {"issues": ISSUES},
}


def test_the_text_alone_says_everything_that_matters_in_the_order_of_the_blocks() -> None:
    report = a_report(ENDING | {"dns": [1] * 20}, score=38, score_after=40)

    assert scan_message(report).text == (
        "Scan of shop.example. Health 38 to 40, poor, scanned 1 Mar 2030, 14:05 UTC."
        " 7 issues: 1 critical, 5 medium, 1 low."
        " Critical: Listed on a *blacklist* – Ask &lt;them&gt;. Medium: Header 0 is missing."
        " Medium: Header 1 is missing. Medium: Header 2 is missing. Medium: Header 3 is missing."
        " Medium: Header 4 is missing. Low: No CAA record."
        " Certificate expires in 5 days, 6 Mar 2030, 06:05 UTC."
        " Registration expires in 14 days, 15 Mar 2030."
        " WHOIS. DNS. SSL. Security, 7 issues."
    )
    assert buttons(scan_message(report))["Scan again"] == "/scan shop.example"
    assert len(section_lines(section_form(report, "issues", 1))) == 7


SCORES = {
    "better": (38, 40, "🔴 *Health 38 → 40 ▲*  ·  poor"),
    "worse": (90, 60.55, "🟡 *Health 90 → 60.5 ▼*  ·  fair"),
    "the same": (90, 90.04, "🟢 *Health 90, unchanged*  ·  good"),
    "vanished": (38, None, "⚪ *Health 38 → –*"),
    "come": (None, 90, "🟢 *Health 90*  ·  good"),
    "never known": (None, None, "⚪ *No score yet*"),
}


@loop_over(("before", "after", "head"), SCORES.values(), ids=SCORES)
def test_the_head_shows_both_scores(before: float | None, after: float | None, head: str) -> None:
    message = scan_message(a_report(score=before, score_after=after))

    assert message.blocks[1]["text"]["text"] == f"{head}  ·  scanned {moment_token(MOMENT)}"


ENDS = {
    "far": ("2031-03-01", "Registration expires in 365 days  ·  1 Mar 2031"),
    "in 30 days": ("2030-03-31", "Registration expires in 30 days  ·  31 Mar 2030"),
    "in 29 days": ("2030-03-30", "⚠️ *Registration expires in 29 days*  ·  30 Mar 2030"),
    "in 8 days": ("2030-03-09", "⚠️ *Registration expires in 8 days*  ·  9 Mar 2030"),
    "in 7 days": ("2030-03-08", "🔴 *Registration expires in 7 days*  ·  8 Mar 2030"),
    "today": ("2030-03-01", "🔴 *Registration expires today*  ·  1 Mar 2030"),
    "an hour ago": (
        "2030-03-01T13:00:00Z",
        f"🔴 *Registration expired today*  ·  {moment_token(MOMENT.replace(hour=13, minute=0))}",
    ),
    "past": ("2030-02-26", "🔴 *Registration expired 3 days ago*  ·  26 Feb 2030"),
    "never": ("9999-12-31", "Registration expires in 7,975 years  ·  31 Dec 9999"),
    "unreadable": ("soon", "Registration and certificate: no end date that I can read."),
}


@loop_over(("expires", "line"), ENDS.values(), ids=ENDS)
def test_an_end_has_its_days_left_its_sign_and_its_zone(expires: str, line: str) -> None:
    message = scan_message(a_report({"whois": {"expires": expires}}))

    assert line in shown_text(message).splitlines()


def test_an_end_that_only_an_issue_names_is_not_said_to_be_unknown_alone() -> None:
    issue = {"severity": "high", "title": "SSL certificate expires in 6 days"}

    lines = shown_text(scan_message(a_report({"security": {"issues": [issue]}}))).splitlines()

    assert "Certificate: no end date that I can read, but an issue is about it." in "\n".join(
        lines
    )
    assert "Registration: no end date that I can read." in lines


def test_a_certificate_for_another_name_is_no_issue_about_its_end() -> None:
    error = "x509: certificate is valid for hosting.example, not shop.example"

    text = shown_text(scan_message(a_report({"ssl": {"error": error}})))

    assert "hosting.example" in text
    assert "an issue is about it" not in text


def test_a_second_date_for_the_same_end_is_said() -> None:
    ssl = {"notAfter": "2030-03-20", "valid_to": "2030-06-01"}

    text = shown_text(scan_message(a_report({"ssl": ssl})))

    assert "expires in 19 days*  ·  20 Mar 2030 (the scan also says 1 Jun 2030)" in text


def test_a_section_with_issues_counts_them_in_its_title_and_repeats_no_line_from_above() -> None:
    sections = ENDING | {"dns": {"warnings": [{"level": "high", "name": "No DNSSEC"}]}}
    many = {"security": {"issues": [{"severity": "low", "title": "T"}] * (MAX_KEPT_ISSUES + 1)}}

    assert titles(a_report(sections)) == [
        "WHOIS",
        "DNS  ·  1 issue",
        "SSL",
        "Security  ·  7 issues",
    ]
    assert titles(a_report(many))[3] == f"Security  ·  at least {MAX_KEPT_ISSUES} issues"


def titles(report: ScanReport) -> list[str]:
    return [block["title"]["text"] for block in scan_message(report).blocks if "title" in block]


ODD_ISSUES = {
    "a text": ("Odd", "⚪ No severity: Odd"),
    "a number": (404, "⚪ No severity: 404"),
    "an unknown word": ({"severity": "<spicy>", "title": "T"}, "⚪ <spicy>: T"),
    "a number for a severity": ({"severity": 9.8, "title": "T"}, "⚪ Severity 9.8: T"),
    "without a title": ({"severity": "high"}, "🟠 High: no title given"),
    "a synonym": ({"level": "ERROR", "message": "T"}, "🟠 High: T"),
}


@loop_over(("issue", "line"), ODD_ISSUES.values(), ids=ODD_ISSUES)
def test_an_issue_is_never_invented(issue: object, line: str) -> None:
    message = scan_message(a_report({"security": {"issues": [issue]}}))

    assert line in shown_text(message).splitlines()


def test_a_section_that_was_not_given_says_so_and_is_open() -> None:
    message = scan_message(a_report({"dns": {"ttl": 60}}))

    folded = {block["title"]["text"]: block for block in message.blocks if "title" in block}
    assert list(folded) == ["WHOIS", "DNS", "SSL", "Security"]
    assert folded["SSL"]["subtitle"]["text"] == "is not included in this scan"
    assert not folded["SSL"]["default_collapsed"]
    assert "subtitle" not in folded["DNS"]
    assert folded["DNS"]["default_collapsed"]


def test_what_does_not_fit_is_counted_and_one_press_away() -> None:
    records = [{"type": "A", "value": f"192.0.2.{number}"} for number in range(51)]

    message = scan_message(a_report({"dns": records}))

    text = shown_text(message)
    assert 0 < (shown := text.count("Type A")) < 51
    assert f"and {51 - shown} more" in text
    assert json.loads(buttons(message)["Show all"]) == ["shop.example", "dns", 1]


def test_records_too_many_to_keep_are_counted_too() -> None:
    report = a_report({"dns": ["x" * 100] * 5_000})
    kept = len(report.section("dns").findings)

    assert f"and at least {kept - 10:,} more" in shown_text(scan_message(report))
    assert f"{5_000 - kept:,} more are not kept." in "".join(shown(section_form(report, "dns", 1)))


def test_a_form_of_long_texts_shows_everything_too() -> None:
    report = a_report({"dns": {f"k{number}": f"{number}" + "😀" * 540 for number in range(95)}})
    page, lines = 1, list[str]()

    while True:
        form = section_form(report, "dns", page)
        assert_slack_takes_form(form)
        lines += section_lines(form)
        turn = buttons(form).get("Next page")
        if turn is None:
            break
        page = json.loads(turn)[2]

    assert lines == [f"*K{n}*  {n}{'😀' * 540}" for n in range(95)]


@loop_over(
    ("page", "labels"),
    [
        (0, {"Next page": 2}),
        (1, {"Next page": 2}),
        (2, {"Previous page": 1, "Next page": 3}),
        (3, {"Previous page": 2}),
        (99, {"Previous page": 2}),
    ],
)
def test_pages_of_a_form_are_turned_by_buttons(page: int, labels: dict[str, int]) -> None:
    report = a_report({"dns": {f"k{number}": number for number in range(95)}})

    pressed = buttons(section_form(report, "dns", page))

    assert "95 records, page 2 of 3." in shown(section_form(report, "dns", 2))
    places = {label: json.loads(value) for label, value in pressed.items()}
    assert places == {label: ["shop.example", "dns", n] for label, n in labels.items()}


def test_an_empty_section_has_a_form_too() -> None:
    form = section_form(a_report({}), "dns", 1)

    assert "_Nothing in this section._" in shown(form)
    assert "0 records, page 1 of 1." in shown(form)


def test_changes_are_dated_and_counted() -> None:
    changes = tuple(
        Change("dns", None, Finding(("ns",), f"ns{number}.example")) for number in range(20)
    )

    message = scan_message(a_report(changes=changes, since=MOMENT))

    text = shown_text(message)
    assert f"*20 changes since the last scan ({moment_token(MOMENT)})*" in text
    assert "• *DNS › NS*  new: ns0.example" in text
    assert f"• and {20 - MAX_CHANGES} more" in text


def test_long_changes_are_counted_rather_than_cut() -> None:
    long = Change("dns", Finding(("a",), "&" * 500), Finding(("a",), "<" * 500))

    text = shown_text(scan_message(a_report(changes=(long,) * 8, since=MOMENT)))

    lines = [line for line in text.splitlines() if line.startswith("• *")]
    assert f"• and {8 - len(lines)} more" in text
    assert set(lines) == {lines[0]}


def test_that_nothing_has_changed_is_said() -> None:
    unchanged = scan_message(a_report(since=MOMENT))
    first = scan_message(a_report())

    assert "No changes since the last scan (1 Mar 2030, 14:05 UTC)." in shown_text(unchanged)
    assert "since the last scan" not in shown_text(first)


SHOWN = {
    "what the reader was shown": (90, None, 95, "Health 90 → 94 ▲*  ·  good  ·  the list said 95"),
    "the scan before": (None, 93, 93, "Health 93 → 94 ▲*  ·  good  ·  scanned"),
    "the list": (None, None, 95, "Health 95 → 94 ▼*  ·  good  ·  scanned"),
    "the same": (94, 93, 94, "Health 94, unchanged*  ·  good  ·  scanned"),
}


@loop_over(("shown_last", "last", "listed", "words"), SHOWN.values(), ids=SHOWN)
def test_the_score_stands_once_against_what_was_shown_last(
    shown_last: float | None, last: float | None, listed: float, words: str
) -> None:
    report = a_report(score=listed, score_after=94, last_score=last, since=MOMENT)

    text = shown_text(scan_message(report, shown_last))

    assert words in text
    assert text.count("→ 94") <= 1


def test_name_servers_that_changed_stand_in_the_head_and_nowhere_else() -> None:
    sign = KnownChange("whois name servers", "ns1.a.example", "ns1.b.example", 0)
    change = Change(
        "whois",
        Finding(("nameServers",), ("ns1.a.example",)),
        Finding(("nameServers",), ("ns1.b.example",)),
    )
    other = Change("dns", None, Finding(("txt",), "new"))

    message = scan_message(a_report(sign_changes=(sign,), changes=(change, other), since=MOMENT))
    alone = scan_message(a_report(sign_changes=(sign,), since=MOMENT))

    assert message.text.index("name servers ns1.a.example") < message.text.index("WHOIS")
    assert message.text.count("ns1.b.example") == 1
    assert "1 other change since" in message.text
    assert "No other changes since" in shown_text(alone)


def test_an_end_that_is_an_issue_has_one_sign() -> None:
    issue = {"severity": "high", "title": "Certificate ends within ten days"}
    sections = ENDING | {"security": {"issues": [issue]}}

    text = shown_text(scan_message(a_report(sections)))

    assert "🟠 High: Certificate ends within ten days" in text
    assert "🔴" not in text.partition("Certificate expires in 5 days")[0].rpartition("\n")[2]


@loop_over(("count", "more"), [(11, False), (12, True)])
def test_one_issue_more_is_shown_rather_than_counted(count: int, more: bool) -> None:
    issues = [{"severity": "low", "title": f"Issue {number}"} for number in range(count)]

    text = shown_text(scan_message(a_report({"security": {"issues": issues}})))

    assert ("and 2 more" in text.partition("WHOIS")[0]) is more
    assert "and 1 more" not in text


def test_waiting_is_said() -> None:
    message = waiting_message("shop.example")

    assert message.text == "Scanning shop.example. This can take up to 2 minutes."


@loop_over("ahead, words", [(1, "1 other scan comes first"), (3, "3 other scans come first")])
def test_a_wait_for_others_is_said(ahead: int, words: str) -> None:
    message = waiting_message("shop.example", ahead)

    assert message.text == f"shop.example waits: {words}. Each can take up to 2 minutes."


@loop_over("size", [0, 3_000])
def test_slack_takes_the_form_to_pick_a_domain(size: int) -> None:
    assert_slack_takes_form(pick_form("x" * size))
    assert json.dumps(pick_form("meta")).count('"meta"') == 1
