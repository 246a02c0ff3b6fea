"""What scans tell digests and alerts beside scores: possible hijacks, renewals, what ends when."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from bot.blocks.message import Message
from bot.digests.baseline import baseline_of
from bot.digests.report import Post, fallen, got_worse, has_changed, make_report
from bot.digests.views.post import digest_message, heartbeat_message
from bot.domains.kept_facts import KeptFacts, KnownChange, KnownFacts, KnownIssue
from bot.domains.lookup import index_by_host
from bot.tracker.models import Domain
from bot.tracker.scan_facts import EndDate, Knowledge, Severity
from tests.blocks.acceptance import shown_text
from tests.builders import HOSTILE_TEXTS, MOMENT, TODAY, a_domain, ending
from tests.digests.builders import a_post
from tests.digests.views.parts import card, everywhere, taken, title
from tests.loops import loop_over

DAY = timedelta(days=1)
Rows = dict[str, KeptFacts]


def post_on(now: Rows, then: Rows | None = None, *domains: Domain) -> Post:
    """Return the post at `MOMENT` about domains that these scans know, a day after `then`."""
    index = index_by_host(domains or [a_domain(host, 90) for host in now])
    known = KnownFacts(now, MOMENT)
    before = KnownFacts(now if then is None else then, MOMENT - DAY)
    baseline = baseline_of(index, before.now, before)
    report = make_report(index, baseline, worst_count=5, facts=known, owned_type="owned")
    return a_post(report=report, sent_at=MOMENT)


def changed(sign: str, before: str, after: str, **more: Any) -> KeptFacts:
    change = KnownChange(sign, before, after, (MOMENT - DAY / 2).timestamp())
    return ending(300, 80, changes=(change,), **more)


SIGNS = {
    "name servers": (
        ("dns name servers", "ns1.a.example, ns2.a.example", "ns1.b.example, ns2.a.example"),
        "name servers ns1.a.example → ns1.b.example",
    ),
    "one more": (
        ("dns mail servers", "mx.a.example", "mx.a.example, mx.b.example"),
        "mail servers mx.b.example added",
    ),
    "many": (
        ("whois name servers", "a.example", "b.example, c.example, d.example, e.example"),
        "name servers a.example → b.example, c.example and 2 more",
    ),
    "registrar": (("whois registrar", "A Ltd", "B Inc."), "registrar A Ltd → B Inc."),
    "lock": (("whois registrar lock", "on", "off"), "registrar lock on → off"),
}


@loop_over(("change", "words"), SIGNS.values(), ids=[*SIGNS])
def test_a_possible_hijack_comes_first(change: tuple[str, str, str], words: str) -> None:
    post = post_on({"a.example": changed(*change), "b.example": ending(-1, 80)})

    digest, alert = taken(digest_message(post)), taken(card(post))

    assert got_worse(post.report)
    assert fallen(post.report)[0] == "a.example"
    for message in (digest, alert):
        news = words.replace(" → ", " to ").rstrip(".")
        assert message.text.startswith(f"a.example: {news}. "), message.text
        assert words.split(" → ")[0] in shown_text(message)


def test_a_change_is_posted_once() -> None:
    row = changed("whois registrar", "A", "B")
    older = ending(
        300, 80, changes=(row.changes[0]._replace(since=(MOMENT - 2 * DAY).timestamp()),)
    )

    assert got_worse(post_on({"a.example": row}).report)
    assert not has_changed(post_on({"a.example": older}).report)


@pytest.mark.parametrize("sign", ["whois registrar lock", "dns DNSSEC"])
def test_to_lock_or_to_sign_a_domain_is_a_change_and_not_worse(sign: str) -> None:
    report = post_on({"a.example": changed(sign, "off", "on")}).report

    assert has_changed(report)
    assert not got_worse(report)
    assert not fallen(report)


def test_a_renewal_is_posted_once_and_no_longer_ends_soon() -> None:
    then = {"a.example": ending(9, 80)}
    now = {"a.example": ending(374, 80)}

    post = post_on(now, then)

    message = taken(digest_message(post))
    assert has_changed(post.report)
    assert not got_worse(post.report)
    assert everywhere(message, "Renewed: a.example registration until 10 Mar 2031")
    assert not everywhere(message, "Expires within 30 days")
    assert not has_changed(post_on(now).report)


def test_a_heartbeat_speaks_of_what_is_known_where_that_is_not_all() -> None:
    all_known = ending(300, 80, issue_knowledge=Knowledge.NONE)

    for row, words in (
        (all_known, "Nothing changed in"),
        (ending(300), "Nothing known changed in"),
        (replace(all_known, failed=("dns",)), "Nothing known changed in"),
        (
            replace(all_known, failed=("dns",)),
            "Could not be checked in the last scan: a.example DNS",
        ),
    ):
        assert everywhere(heartbeat_message(post_on({"a.example": row})), words)


def test_hosts_under_one_registration_are_one_line() -> None:
    ends = ending(9, 80)
    below = ending(9, 80, registered="a.example")
    rows = {"www.a.example": below, "a.example": ends, "shop.a.example": below, "b.example": ends}

    message = taken(digest_message(post_on(rows)))

    text = shown_text(Message("", message.blocks))
    assert text.count("registration expires in 9 days") == 2
    assert "*a.example* ⚠️ registration expires in 9 days (and 2 hosts under it)" in text
    assert "www.a.example" not in text.split("Expires within")[1].split("Domain")[0]


def test_hosts_without_the_name_of_whois_are_under_one_that_ends_the_same_day() -> None:
    known = KnownFacts(
        {
            "a.example": ending(9),
            "www.a.example": ending(9),
            "old.a.example": ending(3),  # another day: another registration
            "x.co.example": ending(9),
            "y.co.example": ending(9),
        },
        MOMENT,
    )

    assert [(each.host, each.hosts_under) for each in known.soon(known.by_host)] == [
        ("old.a.example", 0), ("a.example", 1), ("x.co.example", 0), ("y.co.example", 0),
    ]  # fmt: skip


def test_a_host_under_a_registration_still_tells_its_own_certificate() -> None:
    rows = {"a.example": ending(9), "www.a.example": ending(9, 3, registered="a.example")}

    first, second = KnownFacts(rows, MOMENT).soon(rows)

    assert (first.host, first.ends.registration) == ("www.a.example", None)
    assert (second.host, second.hosts_under) == ("a.example", 1)


def test_both_dates_of_a_scan_are_shown() -> None:
    end = EndDate(TODAY + 7 * DAY, also=(date(2027, 1, 1),))
    rows = {"a.example": KeptFacts(MOMENT, end, EndDate(TODAY + 80 * DAY))}

    for message in (digest_message(post_on(rows)), digest_message(post_on(rows, {}))):
        said = "registration expires in 7 days (the scan also says 1 Jan 2027)"
        assert everywhere(taken(message), said)


def test_the_end_of_a_domain_that_is_not_owned_has_no_alarm() -> None:
    mine, theirs = a_domain("a.example", 90), a_domain("b.example", 90, domain_type="competitor")
    rows = {"a.example": ending(5), "b.example": ending(2)}

    message = taken(digest_message(post_on(rows, {}, mine, theirs)))

    assert message.text.startswith("a.example: registration expires in 5 days.")
    assert "*b.example* registration expires in 2 days (not an owned domain" in shown_text(message)


def test_a_digest_that_knows_less_says_so_and_is_posted_when_only_worse_counts() -> None:
    known = Knowledge.KNOWN
    then = {"a.example": ending(300, 80, issue_knowledge=known), "b.example": ending(300, 80)}
    now = {"a.example": ending(300), "b.example": ending(300, 80)}

    post = post_on(now, then)

    assert got_worse(post.report)
    words = "Less is known than at the last digest: end dates of 1 domain and issues of 1 domain"
    for message in (digest_message(post), heartbeat_message(post)):
        assert everywhere(taken(message), words)
    assert not got_worse(post_on(then, now).report)


@loop_over("text", HOSTILE_TEXTS.values(), ids=[*HOSTILE_TEXTS])
def test_what_a_scan_says_of_a_registrar_does_nothing(text: str) -> None:
    post = post_on({"a.example": changed("whois registrar", "A", text or "B")})

    taken(digest_message(post))
    taken(card(post))


def test_the_first_digest_tells_what_changed_since_it_was_made() -> None:
    row = changed("whois registrar", "A Ltd", "B Inc")
    index, known = (
        index_by_host([a_domain("a.example", 90)]),
        KnownFacts({"a.example": row}, MOMENT),
    )

    since, before = (
        make_report(index, None, worst_count=5, facts=known, made_at=at)
        for at in (MOMENT - DAY, MOMENT)
    )

    assert "registrar A Ltd → B Inc" in shown_text(digest_message(a_post(report=since)))
    assert before.changed == ()


def test_what_has_ended_stands_first_and_is_an_alert() -> None:
    then = {"a.example": ending(10, 80), "b.example": ending(1, 80)}
    now = {"a.example": ending(7, 80), "b.example": ending(-1, 80)}

    post = post_on(now, then)

    text = shown_text(taken(digest_message(post)))
    assert fallen(post.report) == ("b.example", "a.example")
    assert text.index("*b.example* 🔴 registration expired") < text.index("*a.example* 🔴")


def test_the_first_check_of_an_alert_posts_no_issues_that_were_known_before() -> None:
    issue = KnownIssue(Severity.CRITICAL, "Listed on a blacklist", MOMENT.timestamp())
    known = KnownFacts({"a.example": ending(300, 80, worst=(issue,))}, MOMENT)

    report = make_report(
        index_by_host([a_domain("a.example", 90)]), None, worst_count=5, facts=known
    )

    assert report.grave
    assert fallen(report) == ()


def test_the_title_of_an_alert_tells_changes_from_what_got_worse() -> None:
    then = {"a.example": ending(300, 80), "b.example": ending(8, 80)}
    now = {"a.example": changed("whois registrar", "A", "B"), "b.example": ending(7, 80)}

    assert title(card(post_on(now, then))) == (
        "2 domains changed or got worse. Worst: a.example changed: registrar"
    )
    del now["b.example"], then["b.example"]
    assert title(card(post_on(now, then))) == "a.example changed: registrar"


def test_a_new_grave_issue_is_an_alert() -> None:
    issue = KnownIssue(Severity.CRITICAL, "Listed on a blacklist", (MOMENT - DAY / 2).timestamp())
    post = post_on({"a.example": ending(300, 80, worst=(issue,))})

    message = taken(card(post))

    assert fallen(post.report) == ("a.example",)
    assert "🚨 *a.example* 🔴 Critical: Listed on a blacklist" in shown_text(message)
