"""Answers that stay true: one score change, questions that can be canceled, no wait for ever."""

import re
from datetime import timedelta

import pytest

from bot.playground.slack import Message
from tests.whole.digests import score
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")


async def test_a_scan_shows_one_change_against_what_the_person_was_shown(ready: Harness) -> None:
    first = score_of(await ready.ask(ready.bob, "/scan shop.example"))
    score(ready, "shop.example", 20)
    ready.clock.ahead += timedelta(minutes=2)  # the list that the bot keeps is old
    await ready.ask(ready.ada, "/domains")
    to_bob = await ready.ask(ready.bob, "/scan shop.example")
    second = score_of(to_bob)
    to_ada = await ready.ask(ready.ada, "/scan shop.example")

    assert f"Health {first} → {second}" in to_bob.everything
    assert "the list said 20 just before this scan" in to_bob.everything
    assert f"Health 20 → {score_of(to_ada)}" in to_ada.everything
    assert "*Health*" not in to_bob.everything


def score_of(scan: Message) -> str:
    """Return the newest score in a scan's head."""
    found = re.search(r"\*Health (?:[\d.]+ → )?([\d.]+)", scan.everything)
    assert found
    return found[1]


async def test_a_question_names_its_domains_and_can_be_canceled(ready: Harness) -> None:
    question = await ready.ask(ready.bob, "/scan tag:prod")
    canceled = await ready.press(ready.bob, question, "Cancel")

    assert "shop.example, www.example" in question.everything
    assert "Canceled" in canceled.everything
    assert canceled.ts == question.ts
    to_add = await ready.ask(ready.bob, "/adddomain x.example y.example")
    await ready.press(ready.bob, to_add, "Cancel")
    assert ("POST", "domain-tracker") not in ready.service_requests()


async def test_a_part_of_a_summary_opens_whole(ready: Harness) -> None:
    for number in range(9):
        ready.account.add(f"n{number}.example", health=50, tags=("many",))
        issues = [{"severity": "high", "title": f"Issue {number}"}]
        ready.account.scan_results[f"n{number}.example"] = {"security": {"issues": issues}}
    ready.clock.ahead += timedelta(minutes=2)
    await ready.press(ready.bob, await ready.ask(ready.bob, "/scan tag:many"), "Start")
    summary = await ready.bob.next_message(
        "dm", where=lambda each: "9 domains scanned" in each.everything
    )
    await ready.bob.press(summary, "Show all")
    form = await ready.bob.next_form()

    assert "and 4 more" in summary.everything
    assert all(f"Issue {number}" in form.everything for number in range(9))


async def test_the_first_word_after_a_press_stays_true(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/scan shop.example")
    held = ready.tracker.hold_scans()
    await ready.bob.press(answer, "Scan again")
    word = await ready.bob.next_message(where=lambda each: "Scanning" in each.everything)
    held.release()
    result = await ready.answer(ready.bob)

    assert "Scanning shop.example. The result comes as a new message." in word.everything
    assert "⏳" not in word.everything
    assert result.ts != word.ts


async def test_the_end_of_a_domain_of_others_is_no_alarm(ready: Harness) -> None:
    ready.account.add("rival.example", domain_type="competitor")
    day = (ready.clock() + timedelta(days=3)).date().isoformat()
    for name in ("rival.example", "shop.example"):
        ready.account.scan_results[name] = {"whois": {"expiryDate": day}}
    ready.clock.ahead += timedelta(minutes=2)
    scans = [await ready.ask(ready.bob, f"/scan {each}.example") for each in ("rival", "shop")]
    table = await ready.ask(ready.bob, "/domains expires:30 sort:name")

    assert ["🔴 *Registration" in each.everything for each in scans] == [False, True]
    assert table.everything.count("🔴 3 days") == 1
