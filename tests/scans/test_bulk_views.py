"""The messages of a bulk scan: what Slack takes, worst first, nothing from outside acts."""

from dataclasses import replace
from datetime import timedelta

from bot.domainkey.views import first_steps_message
from bot.scans.bulk_record import MAX_DOMAINS, BulkScan, End, Item
from bot.scans.bulk_summary import summary_message
from bot.scans.bulk_views import (
    NEVER_SCANNED,
    STOPPING,
    price_message,
    progress_message,
    running_message,
    started_message,
)
from bot.tracker.facts import facts_of
from bot.tracker.rate_limit import Allowance
from tests.blocks.acceptance import assert_slack_takes, buttons, shown_text
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, MOMENT, a_key_record
from tests.loops import loop_over


def an_item(host: str = "shop.example", *severities: str, **fields: object) -> Item:
    issues = [{"severity": each, "title": f"{each} of {host}"} for each in severities]
    facts = facts_of({"security": {"issues": issues}}, MOMENT)
    return replace(Item(host=host, domain_id="d1", facts=facts), **fields)  # type: ignore[arg-type]


def a_run(*done: Item, left: int = 0, **fields: object) -> BulkScan:
    run = BulkScan(
        run_id="r1",
        asked_by=ADMIN_ID,
        what="tag:prod",
        done=done,
        left=tuple(an_item(f"n{number}.example") for number in range(left)),
    )
    return replace(run, **fields)  # type: ignore[arg-type]


def an_allowance(remaining: int | None) -> Allowance:
    return Allowance(remaining=remaining, highest_seen=1000)


def test_the_price_says_the_time_what_is_left_and_what_it_is_for() -> None:
    message = price_message([an_item()] * 37, [], "tag:prod", an_allowance(840))

    assert message.text.startswith(
        "Scan 37 domains? About 25 minutes and 38 of the 790 requests left this hour."
        " shop.example, shop.example, "
    )
    assert message.text.endswith("more.")
    assert buttons(message) == {"Start": "tag:prod", "Cancel": ""}


def test_a_price_above_what_is_left_says_that_it_pauses() -> None:
    message = price_message([an_item()] * 37, [], "tag:prod", an_allowance(60))

    assert "goes on by itself" in message.text


def test_of_too_many_the_first_can_be_scanned_and_the_way_to_narrow_is_named() -> None:
    message = price_message([an_item()] * (MAX_DOMAINS + 1), [], "tag:prod", None)

    assert f"one bulk scan takes {MAX_DOMAINS}" in message.text
    assert "below:50" in message.text
    assert "goes on by itself" not in message.text
    assert buttons(message) == {"Scan 200": "tag:prod", "Cancel": ""}


def test_after_the_first_key_all_can_be_scanned_and_a_digest_made() -> None:
    message = first_steps_message(a_key_record(), 12, an_allowance(999), digest_id="d1")

    assert_slack_takes(message)
    assert "It sees 12 domains." in message.text
    assert (
        "Scan 12 domains? About 8 minutes and 13 of the 949 requests left this hour."
        in message.text
    )
    assert "weekdays at 9:00, when something got worse or expires soon" in message.text
    assert "pauses" not in message.text
    assert buttons(message) == {"Scan all 12": NEVER_SCANNED, "Digest here": "d1"}


@loop_over(
    ("domains", "digest_id", "labels", "words"),
    [
        (0, "d1", ["Add domain", "Digest here"], "It sees 0 domains. Digest here"),
        (
            5_000,
            "d1",
            ["Scan 200", "Digest here"],
            "Scan 200 domains? About 2 hours and 201 requests; how many",
        ),
        (12, "", ["Scan all 12", "Make a digest"], "Digest in a channel: weekdays"),
    ],
)
def test_offers_after_the_first_key_fit_the_portfolio(
    domains: int, digest_id: str, labels: list[str], words: str
) -> None:
    message = first_steps_message(a_key_record(), domains, None, digest_id=digest_id)

    assert_slack_takes(message)
    assert words in message.text
    assert list(buttons(message)) == labels


def test_names_too_long_for_a_button_are_not_cut() -> None:
    message = price_message([an_item()], [], "a" * 2_001, None)

    assert "too long" in message.text
    assert buttons(message) == {}


def test_names_that_are_unknown_are_listed_up_to_ten() -> None:
    unknown = [(f"x{number}.example", ["shop.example"]) for number in range(12)]
    message = price_message([an_item()], unknown, "shop.example", None)

    assert "x9.example is not in your portfolio. Did you mean shop.example?" in message.text
    assert "and 2 more names" in message.text
    assert set(buttons(message)) == {"Start", "Cancel"}


def test_where_no_name_is_known_the_list_of_domains_is_the_next_step() -> None:
    message = price_message([], [("one.example", []), ("two.example", [])], "one two", None)

    assert buttons(message) == {"All domains": "/domains"}


def test_the_summary_names_the_worst_issue_first() -> None:
    done = [
        an_item("low.example", "low", "low", "low"),
        an_item("crit.example", "critical"),
        an_item("fine.example", score=81, score_after=79),
        an_item("odd.example", trouble="timed_out", facts=None),
    ]
    message = summary_message(a_run(*done, left=1, end=End.STOPPED), MOMENT)

    places = [
        message.text.index(part)
        for part in (
            "Stopped: 3 of 5 domains scanned, 1 failed",
            "crit.example",
            "low.example",
            "fine.example: 81 to 79",
            "odd.example: no answer in time",
        )
    ]
    assert places == sorted(places)
    assert buttons(message)["Scan the rest"].startswith("/scan ")
    assert buttons(message)["Scan the rest"].endswith(" odd.example")


def test_issues_are_not_known_where_security_failed() -> None:
    sections = {"whois": {"status": "clientHold"}, "security": {"error": "timeout"}}

    message = summary_message(a_run(an_item(facts=facts_of(sections, MOMENT))), MOMENT)

    assert "Both dates known for 0 of 1 domain, issues for 0." in message.text


def test_the_sign_of_a_domain_is_that_of_its_worst_issue_an_end_too() -> None:
    sections = {
        "ssl": {"notAfter": (MOMENT + timedelta(days=5)).isoformat()},
        "security": {
            "issues": [
                {"severity": "high", "title": "The certificate expires in 5 days"},
                {"severity": "medium", "title": "No DMARC record"},
            ]
        },
    }
    item = an_item(facts=facts_of(sections, MOMENT))

    shown = shown_text(summary_message(a_run(item, end=End.DONE), MOMENT))

    assert "🟠 *shop.example*: No DMARC record (2 issues: 1 high, 1 medium)" in shown


@loop_over(("count", "rest"), [(5, None), (6, None), (7, "and 2 more")])
def test_a_part_of_the_summary_does_not_end_with_one_more(count: int, rest: str | None) -> None:
    done = [an_item(f"d{number}.example", "low") for number in range(count)]
    shown = shown_text(summary_message(a_run(*done, end=End.DONE), MOMENT))

    assert [f"d{number}.example" in shown for number in (5, 6)] == [count == 6, False]
    assert ("more" in shown) is (rest is not None and rest in shown)


def test_all_that_ends_soon_is_named_and_what_ends_later_is_not() -> None:
    def ending(host: str, certificate: int, registration: int) -> Item:
        ends = [(MOMENT + timedelta(days)).isoformat() for days in (certificate, registration)]
        sections: dict[str, object] = {
            "whois": {"expires": ends[1]},
            "dns": {"A": ["192.0.2.1"]},
            "ssl": {"notAfter": ends[0]},
            "security": {"issues": []},
        }
        return an_item(host, facts=facts_of(sections, MOMENT))

    done = [ending("a.example", 31, 90), ending("b.example", 9, 90), ending("c.example", 20, 6)]
    text = summary_message(a_run(*done, end=End.DONE), MOMENT).text

    assert "c.example: registration expires in 6 days, certificate expires in 20 days" in text
    assert "b.example: certificate expires in 9 days" in text
    assert text.index("c.example: ") < text.index("b.example: ")
    assert "90 days" not in text
    assert "a.example: " not in text
    many = [ending(f"{number}.example", 9, 90) for number in range(7)]
    text = summary_message(a_run(*many, end=End.DONE), MOMENT).text
    assert "and 2 more" in text


def test_progress_says_where_it_is_and_loses_its_button_in_the_end() -> None:
    run = a_run(an_item(), left=2)
    texts = {
        "Now: n0.example. About 2 minutes left.": run,
        "Stopping after the current domain.": replace(run, stopped_by=ADMIN_ID),
        "as <@U0BOB> asked.": replace(run, stopped_by="U0BOB"),
        "Waiting for free requests": replace(run, waits_until=MOMENT + timedelta(minutes=5)),
        "summary is below": replace(run, end=End.DONE),
    }

    for text, each in texts.items():
        message = progress_message(each, MOMENT)
        assert "1 of 3 done." in message.text
        assert text in message.text
        assert ("Stop" in buttons(message)) is not bool(each.stopped_by or each.end)


def test_a_second_person_reads_the_progress() -> None:
    run = a_run(an_item(), left=2)
    own, others, managed = (
        running_message(run, reader, may_configure=may_configure)
        for reader, may_configure in ((ADMIN_ID, False), ("U2", False), ("U2", True))
    )

    assert "You have a bulk scan under way: 1 of 3 domains done" in own.text
    assert "The progress is in your direct messages." in own.text
    assert f"<@{ADMIN_ID}> has a bulk scan under way: 1 of 3 domains done" in others.text
    assert ["Stop" in buttons(each) for each in (own, others, managed)] == [True, False, True]


@loop_over("text", HOSTILE_TEXTS.values(), ids=lambda _: "text")
def test_slack_takes_every_message_and_nothing_from_outside_acts(text: str) -> None:
    sections = {"security": {"issues": [{"severity": "high", "title": text, "fix": text}]}}
    items = [an_item(text, facts=facts_of(sections, MOMENT))] * 30
    failures = [an_item(text, trouble="rejected")] * 30
    runs = [a_run(*items, *failures, what=text, left=30, end=end) for end in (None, *End)]
    runs[0] = replace(runs[0], left=(an_item(text),))

    for run in runs:
        assert_slack_takes(progress_message(run, MOMENT))
        assert_slack_takes(summary_message(run, MOMENT))
        assert_slack_takes(running_message(run, "U2", may_configure=True))
    assert_slack_takes(STOPPING)
    assert_slack_takes(started_message(runs[0], "T1"))
    assert_slack_takes(price_message(items, [(text, [text])] * 30, text, None, without_id=2))


def test_an_empty_one_is_drawn_too() -> None:
    assert_slack_takes(running_message(a_run(), "U2", may_configure=True))
    assert "0 domains scanned" in shown_text(summary_message(a_run(end=End.DONE), MOMENT))
