from collections import Counter
from dataclasses import replace
from datetime import timedelta

from bot.blocks.message import Message
from bot.digests.baseline import baseline_of
from bot.digests.report import Report, make_report
from bot.digests.views.post import details_message, digest_message
from bot.domains.kept_facts import KeptFacts, KnownFacts, KnownIssue
from bot.domains.lookup import index_by_host
from bot.tracker.scan_facts import Knowledge, Severity
from tests.blocks.acceptance import buttons, shown_text
from tests.builders import HOSTILE_TEXTS, MOMENT, a_domain, ending
from tests.digests.builders import a_baseline, a_digest, a_post, a_report, a_run, a_trend
from tests.digests.views.parts import MANAGED, block, everywhere, rows, taken
from tests.loops import loop_over


def test_each_kind_of_change_is_shown_everywhere() -> None:
    now = {"fell.example": 41, "rose.example": 90, "new.example": 93, "lost.example": None,
           "found.example": 70, "same.example": 77}  # fmt: skip
    before = {"fell.example": 82, "rose.example": 85, "gone.example": 64, "lost.example": 90,
              "found.example": None, "same.example": 76}  # fmt: skip

    message = taken(digest_message(a_post(report=a_report(now, before))))

    for words in (
        "1 domain got worse",
        "1 domain with no score now, 1 had one before",
        "1 domain gone",
        "1 domain new",
        "1 domain got better",
        "1 domain with a score now",
    ):
        assert everywhere(message, words), words
    assert "Nothing changed" not in shown_text(message)


def test_long_lists_say_how_many_more() -> None:
    names = [f"d{number:02}.example" for number in range(12)]
    new = {f"new-{name}": 90.0 for name in names}
    report = a_report(dict.fromkeys(names, 60.0) | new, dict.fromkeys(names, 70.0))

    message = taken(digest_message(a_post(report=report)))

    assert "• *d02.example*" in shown_text(message)
    assert "d03.example" not in shown_text(Message("", message.blocks[:4]))
    assert "• and 9 more" in shown_text(message)
    assert "d02.example 70 to 60 fair, down 10; and 9 more." in message.text
    assert everywhere(message, "12 domains new")
    assert "new-d00" not in shown_text(message)


def test_a_digest_with_nothing_to_compare_with_tells_no_changes() -> None:
    message = taken(digest_message(a_post(report=a_report({"a.example": 41, "b.example": None}))))

    assert "nothing to compare with yet" in shown_text(message)
    assert "Nothing changed" not in shown_text(message)
    assert rows(message)[0] == ["Domain", "Health"]
    assert everywhere(message, "1 domain with no score yet: b.example")


def test_with_a_filter_new_and_gone_may_be_about_the_filter() -> None:
    report = a_report({"new.example": 60}, {"gone.example": 60})

    message = digest_message(a_post(report=report, filter_text="below:70"))

    assert everywhere(message, "1 domain new, or now matching the filter: new.example")
    assert everywhere(message, "1 domain gone, or no longer matching the filter: gone.example")


def test_ends_within_30_days_are_shown_everywhere() -> None:
    domains = [a_domain(f"{letter}.ex", 90) for letter in "abcdefgh"]
    index, day = index_by_host(domains), timedelta(days=1)
    rows = {host: ending(place, age=2 * day) for place, host in enumerate(index, -1)}
    baseline = baseline_of(index, MOMENT - day, KnownFacts(rows, MOMENT - day))
    ends = KnownFacts(rows | {"h.ex": ending(300)}, MOMENT)
    report = make_report(index, baseline, worst_count=3, facts=ends)

    message = taken(digest_message(a_post(report=report, sent_at=MOMENT)))

    expected = "Expires within 30 days, 2 closer than last time, scanned 2 days ago"
    assert expected in message.text
    assert everywhere(message, "registration expired 1 day ago")
    assert everywhere(message, "registration expires in 1 day")
    assert everywhere(message, "and 4 more")
    assert not everywhere(message, "in 2 days")
    assert "Nothing changed" not in shown_text(message)


def test_a_date_that_came_to_seven_days_is_read_before_dates_that_were_already_near() -> None:
    index, day = index_by_host([a_domain(f"{letter}.ex", 90) for letter in "abcde"]), timedelta(1)
    rows = {host: ending(place, age=2 * day) for place, host in enumerate(index, 3)}
    baseline = baseline_of(index, MOMENT - day, KnownFacts(rows, MOMENT - day))
    report = make_report(index, baseline, worst_count=5, facts=KnownFacts(rows, MOMENT))

    text = shown_text(taken(digest_message(a_post(report=report, sent_at=MOMENT))))

    assert [domain.domain for domain in report.nearer] == ["e.ex"]
    lines = [line[:9] for line in text.splitlines() if line.startswith("• *")]
    assert lines == ["• *e.ex* ", "• *a.ex* ", "• *b.ex* "]
    assert "and 2 more" in text


def test_what_ends_by_tomorrow_is_read_first_also_of_domains_that_are_not_owned() -> None:
    index = index_by_host([a_domain(f"{letter}.ex", 90) for letter in "abcd"])
    index |= index_by_host([a_domain("parked.ex", 90, domain_type="parked")])
    rows = {host: ending(days) for days, host in enumerate(index, 5)} | {"parked.ex": ending(0)}
    report = make_report(
        index, None, worst_count=5, facts=KnownFacts(rows, MOMENT), owned_type="owned"
    )

    text = shown_text(taken(digest_message(a_post(report=report, sent_at=MOMENT))))

    first, *_ = [line for line in text.splitlines() if line.startswith("• *")]
    assert "parked.ex" in first
    assert "and 2 more" in text


def test_scans_of_one_day_have_one_age_in_the_title_and_others_an_age_each() -> None:
    hour = timedelta(hours=1)
    one_night = {"a.ex": ending(5, age=3 * hour), "b.ex": ending(5, age=7 * hour)}
    two_weeks = {"a.ex": ending(5, age=3 * hour), "b.ex": ending(5, age=340 * hour)}

    once, each = (
        shown_text(taken(digest_message(a_post(report=reported(rows), sent_at=MOMENT))))
        for rows in (one_night, two_weeks)
    )

    assert "closer than last time  ·  oldest scan 7 hours ago" in once
    assert once.count("oldest scan") == 2  # in the text and in the block
    assert each.count("(scanned") == 4
    assert "(scanned 14 days ago)" in each


def issues_of(*found: tuple[Severity, str], days: int = 0) -> KeptFacts:
    """Return a scan that has found these issues, so many days after `MOMENT`."""
    since = (MOMENT + timedelta(days=days)).timestamp()
    counts = Counter(severity for severity, _ in found)
    return ending(issues=counts, worst=tuple(KnownIssue(*each, since) for each in found))


def reported(rows: dict[str, KeptFacts], *, is_first: bool = False) -> Report:
    """Return the report of a day after `MOMENT`, when the last digest was posted."""
    index = index_by_host([a_domain(host, 90) for host in rows])
    baseline = None if is_first else baseline_of(index, MOMENT)
    ends = KnownFacts(rows, MOMENT + timedelta(days=1))
    return make_report(index, baseline, worst_count=5, facts=ends)


def test_only_new_issues_are_listed_worst_first() -> None:
    blocked, weak = (Severity.CRITICAL, "Listed on a blacklist"), (Severity.LOW, "No DNSSEC")
    rows = {
        "a.ex": issues_of(weak, days=1),
        "b.ex": issues_of(blocked, days=1),
        "c.ex": issues_of(blocked),
    }

    message = taken(digest_message(a_post(report=reported(rows), sent_at=MOMENT)))
    first = digest_message(a_post(report=reported(rows, is_first=True), sent_at=MOMENT))

    text = shown_text(message)
    assert text.index("*b.ex* 🔴 Critical: Listed on a blacklist") < text.index("*a.ex* 🔵 Low")
    assert everywhere(message, "New issues")
    assert "c.ex" not in message.text.partition("Still open")[0]
    assert everywhere(first, "Known issues")
    assert everywhere(first, "c.ex")


CRITICAL, HIGH = (Severity.CRITICAL, "Listed on a blacklist"), (Severity.HIGH, "Open port")


def test_open_issues_that_are_not_new_are_counted_the_worst_named_and_findable() -> None:
    low = (Severity.LOW, "No DNSSEC")
    rows = {"a.ex": issues_of(HIGH), "b.ex": issues_of(HIGH, HIGH), "c.ex": issues_of(low)}
    rows |= {"d.ex": issues_of(CRITICAL, low), "e.ex": issues_of(HIGH)}

    message = taken(digest_message(a_post(report=reported(rows), sent_at=MOMENT)))
    first = digest_message(a_post(report=reported(rows, is_first=True), sent_at=MOMENT))

    shown = shown_text(message).replace("*", "").replace("`", "")
    assert (
        "Still open: d.ex 🔴 critical, b.ex 🟠 high, a.ex 🟠 high and 1 more."
        " All: /domains issues:high" in shown
    )
    details = shown_text(details_message(a_post(report=reported(rows), sent_at=MOMENT)))
    assert "*d.ex* 🔴 Listed on a blacklist" in details
    assert "Nothing changed" in shown
    assert "Still open" not in shown_text(first)  # it names all known issues


@loop_over(
    ("filter_text", "line"),
    [
        ('tag:"web shop"', '/domains tag:"web shop" issues:high'),
        ("below:70 issues:medium", "/domains below:70 issues:high"),
        ("issues:critical", "/domains issues:critical"),
    ],
)
def test_open_issues_follow_the_filter_of_the_digest(filter_text: str, line: str) -> None:
    report = reported({"a.ex": issues_of(CRITICAL)})

    message = digest_message(a_post(report=report, sent_at=MOMENT, filter_text=filter_text))

    assert everywhere(message, f"All: {line}")


def test_nothing_is_said_of_open_issues_where_none_is_grave() -> None:
    rows = {"a.ex": issues_of((Severity.MEDIUM, "Slow"))}

    text = shown_text(digest_message(a_post(report=reported(rows), sent_at=MOMENT)))

    assert "Still open" not in text
    assert "✅" not in text


def test_the_sign_of_well_being_needs_every_domain_known_without_an_issue_or_a_near_end() -> None:
    well = ending(300, 300, issue_knowledge=Knowledge.NONE)
    others = {
        "an issue": replace(well, issue_knowledge=Knowledge.KNOWN),
        "unknown issues": replace(well, issue_knowledge=Knowledge.UNRECOGNIZED),
        "an end unknown": replace(well, certificate=None),
        "an end near": replace(well, certificate=ending(9).registration),
        "a section unchecked": replace(well, failed=("dns",)),
    }

    report = reported({"a.ex": well})
    assert report.is_well
    assert "✅" in shown_text(digest_message(a_post(report=report)))
    assert "✅" not in shown_text(digest_message(a_post(report=replace(report, is_well=False))))
    for name, other in others.items():
        assert not reported({"a.ex": well, "b.ex": other}).is_well, name
    for score in (12, None):
        facts, poor = KnownFacts({"a.ex": well}, MOMENT), index_by_host([a_domain("a.ex", score)])
        assert not make_report(poor, None, worst_count=5, facts=facts).is_well
    assert not make_report({}, None, worst_count=5, facts=KnownFacts({}, MOMENT)).is_well


def test_sections_that_could_not_be_checked_are_named() -> None:
    rows = {"a.ex": replace(ending(300, 300), failed=("dns", "security"))}

    message = taken(digest_message(a_post(report=reported(rows), sent_at=MOMENT)))

    assert everywhere(message, "Could not be checked in the last scan: a.ex DNS, Security")


@loop_over("title", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_the_title_of_an_issue_does_nothing(title: str) -> None:
    rows = {"a.ex": issues_of((Severity.UNKNOWN, title), days=1)}

    taken(digest_message(a_post(report=reported(rows), sent_at=MOMENT)))


def test_a_post_reads_what_got_worse_what_ends_what_is_new_and_then_the_rest() -> None:
    domains = [a_domain("fell.ex", 10), a_domain("rose.ex", 90), a_domain("new.ex", 80)]
    rows = {"rose.ex": ending(5, worst=issues_of((Severity.HIGH, "Open port"), days=1).worst)}
    ends = KnownFacts(rows, MOMENT + timedelta(days=1))
    before = a_baseline({"fell.ex": 90, "rose.ex": 60, "gone.ex": 70}, MOMENT)
    report = make_report(index_by_host(domains), before, worst_count=5, facts=ends)
    post = a_post(report=report, trend=a_trend([80, 70, 60]), digest=a_digest(run=a_run()))

    message = taken(digest_message(post))

    words = ("1 domain got worse", "Expires within", "New issues", "1 domain gone",
             "1 domain got better", "All 3 domains", "Details")  # fmt: skip
    for shown in (shown_text(message), shown_text(message.fallback() or message)):
        places = [shown.index(each) for each in words]
        assert places == sorted(places)
    assert not [block for block in message.blocks if block["type"] == "data_visualization"]
    assert "average 80 → 60 over 3 digests" in shown_text(message)


def test_details_do_not_say_that_nothing_changed_where_a_date_came_nearer() -> None:
    report = a_report({"a.ex": 60}, {"a.ex": 60})  # as the details know it: without what came near

    assert "Nothing changed" in shown_text(digest_message(a_post(report=report)))
    assert "Nothing changed" not in shown_text(taken(details_message(a_post(report=report))))


def test_the_details_of_a_digest_name_what_the_post_only_counts() -> None:
    now = {f"d{number:03}.ex": 60.0 for number in range(150)}
    report = a_report(now | {"n1.ex": 1, "n2.ex": 2, "n3.ex": 3, "n4.ex": 4}, now, worst_count=200)

    message = taken(details_message(a_post(report=report, filter_text="tag:prod below:70")))

    assert everywhere(message, "4 domains new, or now matching the filter: n1.ex")
    assert everywhere(message, "n4.ex")
    table = block(message, "data_table")
    assert 60 < len(table["rows"]) <= 101
    assert table["caption"].endswith(" of 154 domains")
    assert buttons(message) == {"All domains": "/domains tag:prod below:70"} | MANAGED
