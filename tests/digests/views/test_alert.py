"""An alert as a message, before and after its buttons were pressed."""

from dataclasses import replace
from datetime import timedelta

from bot.digests.alert_card import Fall
from bot.digests.alert_cards import drawn
from bot.digests.alert_life import alert_of
from bot.digests.baseline import Baseline, baseline_of
from bot.digests.models import Snooze
from bot.digests.report import Post
from bot.digests.views.alert import alert_preview, expected_line
from bot.digests.views.post import announcement_message
from bot.domains.kept_facts import KnownChange, KnownFacts
from bot.domains.lookup import index_by_host
from tests.blocks.acceptance import buttons, shown_text
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, MOMENT, a_domain, ending
from tests.digests.builders import a_digest, a_mention, a_post, a_report, report_on
from tests.digests.views.parts import MANAGED, card, everywhere, taken, title
from tests.loops import loop_over

NAME = "d1/token"
PRESSABLE = {"I'm on it": NAME} | MANAGED


def a_fall(*, mentioned: bool = False) -> Post:
    domains = [a_domain("a.example", 41, tags=("prod",)), a_domain("b.example", 97)]
    before = Baseline(scores={"a.example": 85, "b.example": 97}, taken_at=MOMENT)
    mentions = (a_mention("tag:prod"),) if mentioned else ()
    return a_post(report=report_on(domains, before, worst_count=10), mentions=mentions)


def test_an_alert_says_what_fell_from_what_to_what() -> None:
    message = taken(card(a_fall(), NAME))

    assert title(message) == "a.example fell to 41"
    assert message.text == (
        "a.example: health 85 to 41. a.example fell to 41."
        " a.example health 85 good to 41 poor, down 44."
    )
    assert "📉 *a.example* health 🟢 85 good → 🔴 41 poor  ▼" in shown_text(message).replace(
        "\xa0", " "
    )
    assert buttons(message) == PRESSABLE | {"Scan": "/scan a.example"}


def test_an_alert_that_comes_a_minute_after_its_slot_says_that_it_is_late() -> None:
    post = a_fall()
    assert post.slot is not None
    late = taken(card(replace(post, sent_at=post.slot.due_at + timedelta(minutes=3)), NAME))

    assert everywhere(late, "Late: due 09:00, sent 09:03")
    assert "Late" not in card(post, NAME).text


def test_an_alert_is_announced_without_the_number_of_worst_domains_that_it_never_shows() -> None:
    schedule = replace(a_post().digest.plan.schedule, every=15)

    message = taken(announcement_message(a_digest(schedule=schedule, worst_count=7)))

    assert "The alert of Ada is posted in this channel from now on" in shown_text(message)
    assert "only notes how things stand. Alerts begin with the next one." in shown_text(message)
    assert "As soon as something gets worse" in shown_text(message)
    assert "Worst domains shown" not in shown_text(message)


def test_an_alert_says_what_ends_soon() -> None:
    domain, ends = a_domain("a.example", 85), {"a.example": ending(certificate=7)}
    then = MOMENT - timedelta(days=1)
    index = index_by_host([domain])
    before = baseline_of(index, then, KnownFacts(ends, then))
    report = report_on([domain], before, worst_count=10, facts=KnownFacts(ends, MOMENT))

    message = taken(card(a_post(report=report, sent_at=MOMENT), NAME))

    assert "a.example certificate expires in 7 days" in message.text


def test_a_certificate_that_has_ended_is_worse_news_than_a_fall() -> None:
    domains = [a_domain("a.example", 60), a_domain("b.example", 85)]
    index, then = index_by_host(domains), MOMENT - timedelta(days=10)
    ends = {"b.example": ending(certificate=-1)}
    before = replace(
        baseline_of(index, then, KnownFacts(ends, then)), scores={"a.example": 85, "b.example": 85}
    )
    report = report_on(domains, before, worst_count=10, facts=KnownFacts(ends, MOMENT))

    message = taken(card(a_post(report=report, sent_at=MOMENT), NAME))

    assert message.text.startswith("b.example: certificate expired 1 day ago.")
    assert "a.example health 85 good to 60" in message.text


def test_a_thousand_domains_that_fall_at_once_are_one_post_of_ten_lines() -> None:
    before = {f"d{number}.example": 90.0 for number in range(1_000)}
    now = dict.fromkeys(before, 10.0)

    message = taken(card(a_post(report=a_report(now, before)), NAME))

    assert title(message) == "1,000 domains got worse. Worst: d0.example fell to 10"
    assert "and 990 more" in message.text
    assert "Details" in buttons(message)


@loop_over("text", HOSTILE_TEXTS.values(), ids=list(HOSTILE_TEXTS))
def test_names_from_outside_do_nothing(text: str) -> None:
    domain = a_domain(text, 10)
    before = Baseline(scores=dict.fromkeys(index_by_host([domain]), 90), taken_at=MOMENT)

    taken(card(a_post(report=report_on([domain], before, worst_count=10)), NAME))


def test_a_preview_is_an_alert_without_buttons_or_mentions() -> None:
    post = a_fall(mentioned=True)
    preview = alert_preview(alert_of(post, "C0OPS"), post.digest, MOMENT)
    text = shown_text(taken(preview))

    assert "It would mention" in text
    assert "a.example fell to 41" in text
    assert buttons(preview) == {}
    assert "🔔" not in text


def test_a_preview_where_nothing_got_worse_says_so() -> None:
    post = a_post(report=report_on([a_domain(score=41)], None, worst_count=10))
    text = shown_text(taken(alert_preview(alert_of(post, "C0OPS"), post.digest, MOMENT)))

    assert text.endswith("Nothing got worse since the last check.")


def test_a_new_issuer_is_no_worse_than_a_fall_in_a_title() -> None:
    sign = "ssl certificate issuer"
    issuer = KnownChange(sign, "A CA", "B CA", (MOMENT - timedelta(hours=1)).timestamp())
    domains = [a_domain("a.example", 90), a_domain("b.example", 60)]
    known = {"a.example": ending(300, 80, changes=(issuer,)), "b.example": ending(300, 80)}
    before = Baseline(
        scores={"a.example": 90, "b.example": 85}, taken_at=MOMENT - timedelta(days=1)
    )
    report = report_on(domains, before, worst_count=10, facts=KnownFacts(known, MOMENT))
    post = a_post(report=report)

    assert title(taken(card(post))) == (
        "2 domains changed or got worse. Worst: b.example fell to 60"
    )


def test_each_change_is_expected_by_who_knew_of_it() -> None:
    since = MOMENT.timestamp()
    changes = (
        KnownChange("whois registrar", "A Ltd", "B Ltd", since, "U0ADA"),
        KnownChange("dns ns", "ns1", "ns2", since + 60, "U0BOB"),
    )
    line = expected_line(Fall(host="a.example", at=MOMENT, told_at=MOMENT, changes=changes))

    assert (
        line.index("B Ltd") < line.index("<@U0ADA>") < line.index("ns2") < line.index("<@U0BOB>")
    )


def test_the_last_word_of_a_deleted_alert_says_nothing_of_its_snooze() -> None:
    alert = replace(alert_of(a_fall(), "C0OPS"), snooze=Snooze(by=ADMIN_ID))

    text = shown_text(taken(drawn(NAME, alert, None, MOMENT)))

    assert "This alert was deleted." in text
    assert "snoozed" not in text


@loop_over(("seconds", "words"), [(20, "1 minute"), (44 * 60 + 40, "45 minutes")])
def test_the_end_of_a_fall_says_how_long_it_lasted_to_the_nearest_minute(
    seconds: int, words: str
) -> None:
    alert = alert_of(a_fall(), "C0OPS")
    ended = MOMENT + timedelta(seconds=seconds)
    falls = tuple(replace(each, at=MOMENT, recovered_at=ended) for each in alert.falls)

    text = shown_text(taken(drawn(NAME, replace(alert, falls=falls), None, ended)))

    assert f", after {words}" in text
