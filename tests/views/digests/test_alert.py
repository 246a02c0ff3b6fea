"""An alert as a message, before and after its buttons were pressed."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.blocks.message import Message
from bot.digests.baseline import Baseline, baseline_of
from bot.digests.models import Alert
from bot.digests.report import Post
from bot.digests.views.alert import alert_message, alert_preview, redrawn
from bot.digests.views.post import announcement_message
from bot.domains.end_dates import KnownEnds
from bot.domains.lookup import index_by_host
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, MOMENT, a_domain, ending
from tests.digests.builders import a_digest, a_mention, a_post, a_report, report_on
from tests.loops import loop_over
from tests.views.acceptance import buttons, shown_text
from tests.views.digests.parts import MANAGED, everywhere, taken, title

NAME = "d1/token"
PRESSABLE = {"Take it": NAME, "Snooze 7 days": NAME} | MANAGED


def an_alert(**fields: Any) -> Alert:
    return Alert(channel_id="C0OPS", hosts=("a.example",), **fields)


def posted(message: Message) -> dict[str, Any]:
    """Return a message as Slack sends it with a press."""
    return {"ts": "1.1", "user": "U0BOT", **message.as_args()}


def a_fall(*, mentioned: bool = False) -> Post:
    domains = [a_domain("a.example", 41, tags=("prod",)), a_domain("b.example", 97)]
    before = Baseline(scores={"a.example": 85, "b.example": 97}, taken_at=MOMENT)
    mentions = (a_mention("tag:prod"),) if mentioned else ()
    return a_post(report=report_on(domains, before, worst_count=10), mentions=mentions)


def test_an_alert_says_what_fell_from_what_to_what() -> None:
    message = taken(alert_message(a_fall(), NAME))

    assert title(message) == "1 domain got worse"
    assert message.text == (
        "a.example: health 85 to 41. 1 domain got worse."
        " a.example health 85 good to 41 poor, down 44."
    )
    assert "📉 *a.example* health 🟢 85 good → 🔴 41 poor  ▼" in shown_text(message).replace(
        "\xa0", " "
    )
    assert buttons(message) == PRESSABLE | {"Scan": "/scan a.example"}


def test_an_alert_that_comes_a_minute_after_its_slot_says_that_it_is_late() -> None:
    post = a_fall()
    assert post.slot is not None
    late = taken(
        alert_message(replace(post, sent_at=post.slot.due_at + timedelta(minutes=3)), NAME)
    )

    assert everywhere(late, "Late: due 09:00, sent 09:03")
    assert "Late" not in alert_message(post, NAME).text


def test_an_alert_is_announced_without_the_number_of_worst_domains_that_it_never_shows() -> None:
    schedule = replace(a_post().digest.plan.schedule, every=15)

    message = taken(announcement_message(a_digest(schedule=schedule, worst_count=7)))

    assert "As soon as something gets worse" in shown_text(message)
    assert "Worst domains shown" not in shown_text(message)


def test_an_alert_says_what_ends_soon() -> None:
    domain, ends = a_domain("a.example", 85), {"a.example": ending(certificate=7)}
    then = MOMENT - timedelta(days=1)
    index = index_by_host([domain])
    before = baseline_of(index, then, KnownEnds(ends, then))
    report = report_on([domain], before, worst_count=10, ends=KnownEnds(ends, MOMENT))

    message = taken(alert_message(a_post(report=report, sent_at=MOMENT), NAME))

    assert "a.example certificate expires in 7 days" in message.text


def test_a_certificate_that_has_ended_is_worse_news_than_a_fall() -> None:
    domains = [a_domain("a.example", 60), a_domain("b.example", 85)]
    index, then = index_by_host(domains), MOMENT - timedelta(days=10)
    ends = {"b.example": ending(certificate=-1)}
    before = replace(
        baseline_of(index, then, KnownEnds(ends, then)), scores={"a.example": 85, "b.example": 85}
    )
    report = report_on(domains, before, worst_count=10, ends=KnownEnds(ends, MOMENT))

    message = taken(alert_message(a_post(report=report, sent_at=MOMENT), NAME))

    assert message.text.startswith("b.example: certificate expired 1 day ago.")
    assert "a.example health 85 good to 60" in message.text


def test_the_owners_of_what_fell_are_mentioned() -> None:
    message = alert_message(a_fall(mentioned=True), NAME)

    assert f"<@{ADMIN_ID}>" in message.text
    assert f"<@{ADMIN_ID}>" in str(message.blocks)


def test_a_thousand_domains_that_fall_at_once_are_one_post_of_ten_lines() -> None:
    before = {f"d{number}.example": 90.0 for number in range(1_000)}
    now = dict.fromkeys(before, 10.0)

    message = taken(alert_message(a_post(report=a_report(now, before)), NAME))

    assert title(message) == "1,000 domains got worse"
    assert "and 990 more" in message.text
    assert "Scan" not in buttons(message)


@loop_over("text", HOSTILE_TEXTS.values(), ids=list(HOSTILE_TEXTS))
def test_names_from_outside_do_nothing(text: str) -> None:
    domain = a_domain(text, 10)
    before = Baseline(scores=dict.fromkeys(index_by_host([domain]), 90), taken_at=MOMENT)

    taken(alert_message(a_post(report=report_on([domain], before, worst_count=10)), NAME))


def test_the_post_names_the_person_who_takes_or_snoozes_it() -> None:
    first = alert_message(a_fall(), NAME)
    by_one = redrawn(posted(first), NAME, an_alert(taken_by=ADMIN_ID))
    until = MOMENT + timedelta(days=7)
    both = an_alert(taken_by=ADMIN_ID, snoozed_by=ADMIN_ID, snoozed_until=until)
    # From whichever message the press came: the state of the store counts.
    from_new, from_old = (redrawn(posted(each), NAME, both) for each in (by_one, first))

    for message in (by_one, from_new):
        taken(message)
        assert message.text == first.text
    assert f"<@{ADMIN_ID}> takes it" in str(by_one.blocks)
    assert "Take it" not in buttons(by_one)
    assert from_new == from_old
    assert "snoozed these domains until" in str(from_new.blocks)
    assert buttons(from_new) == MANAGED | {"Scan": "/scan a.example"}


def test_a_preview_is_an_alert_without_buttons_or_mentions() -> None:
    text = shown_text(taken(alert_preview(a_fall(mentioned=True))))

    assert "It would mention" in text
    assert "1 domain got worse" in text
    assert "Take it" not in text
    assert "🔔" not in text


def test_a_preview_where_nothing_got_worse_says_so() -> None:
    report = report_on([a_domain(score=41)], None, worst_count=10)

    text = shown_text(taken(alert_preview(a_post(report=report))))

    assert text.endswith("Nothing got worse since the last look.")
