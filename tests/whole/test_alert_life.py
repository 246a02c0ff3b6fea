"""The life of an alert's card: further falls, its end, who is on it, and snoozes (D23–D25)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from bot.blocks.text import moment_text
from bot.playground.slack import Message
from tests.whole.digests import (
    headline,
    make,
    new_form,
    open_list,
    press_in,
    score,
    settled,
    until_listed,
)
from tests.whole.harness import Harness
from tests.whole.test_alerts import (
    ALERT,
    LOOK,
    alerts,
    is_alert,
    next_look,
    redrawn,
    to_next_look,
)

pytestmark = pytest.mark.transports("socket")


def thread(app: Harness, card: Message, channel: str = "general") -> list[str]:
    """Return the lines in the thread of a card."""
    messages = app.slack.channel(channel).messages
    return [each.text for each in messages if each.thread_ts == card.ts and not each.is_ephemeral]


async def fallen(app: Harness, scores: Mapping[str, float], words: str, **more: Any) -> Message:
    """Give domains these scores; return the card that says these words at the next look."""
    for domain, health in scores.items():
        score(app, domain, health)
    to_next_look(app)
    return await app.bob.next_message(  # a line in its thread may come before
        where=lambda each: is_alert(each) and words in each.everything, **more
    )


async def until_thread(app: Harness, card: Message, lines: int) -> list[str]:
    """Wait for so many lines in the thread of a card; return them."""
    for _ in range(lines):
        await app.bob.next_message(
            where=lambda each: each.thread_ts == card.ts and not each.is_ephemeral
        )
    return thread(app, card)


async def watched(app: Harness) -> None:
    """Let there be an alert that has looked once."""
    await make(app, ALERT)
    await next_look(app)


@pytest.mark.transports("shared")
async def test_a_card_names_the_domain_and_says_when_it_has_recovered(
    ready: Harness,
) -> None:
    await watched(ready)
    card = await fallen(ready, {"www.example": 30}, "fell to 30")
    score(ready, "www.example", 91)
    ready.clock.ahead += 2 * LOOK
    to_next_look(ready)
    recovered = await redrawn(ready.bob, "Recovered")
    lines = await until_thread(ready, card, 1)
    later = await fallen(ready, {"www.example": 20}, "fell to 20")

    assert headline(card) == "www.example fell to 30"
    assert recovered.ts == card.ts
    assert headline(recovered) == "✅ Recovered: www.example 30 → 91, after 45 minutes"
    assert "I'm on it" not in recovered.buttons
    assert lines == ["Recovered: www.example 30 to 91, after 45 minutes."]
    assert later.ts != card.ts
    assert len(alerts(ready)) == 2


async def test_of_several_the_card_shows_which_are_still_worse(ready: Harness) -> None:
    await watched(ready)
    card = await fallen(ready, {"www.example": 60, "shop.example": 10}, "2 domains")
    partly = await fallen(ready, {"www.example": 96}, "1 of 2 domains")
    whole = await fallen(ready, {"shop.example": 41}, "Recovered: 2 domains")

    assert headline(card).startswith("2 domains got worse. Worst: www.example fell to 60")
    assert card.buttons.count("Scan") == 2
    assert "Scan all" in card.buttons
    assert headline(partly) == "1 of 2 domains still worse. Worst: shop.example fell to 10"
    assert "✅ *www.example* 60 → 96" in partly.everything
    assert "*shop.example* health" in partly.everything
    assert partly.buttons.count("Scan") == 1
    assert whole.ts == partly.ts == card.ts
    assert len(await until_thread(ready, card, 1)) == 1


async def test_a_section_that_cannot_be_checked_ends_no_card(ready: Harness) -> None:
    async def scanned(ssl: str) -> None:
        body = '{"security": {"issues": []}, "ssl": ' + ssl + "}"
        ready.tracker.answer_next(body=body.encode(), on="scan")
        await ready.bob.type("/scan www.example")
        await ready.bob.next_message(where=lambda each: "Scan of www.example" in each.everything)

    await watched(ready)
    await scanned('{"issues": [{"severity": "critical", "title": "The chain is incomplete"}]}')
    card = await fallen(ready, {}, "critical issue")
    await scanned('{"error": "timeout"}')
    await fallen(ready, {"shop.example": 10}, "fell to 10")  # at the next look
    await scanned('{"validTo": "2031-01-01", "issues": []}')
    to_next_look(ready)

    recovered = await redrawn(ready.bob, "Recovered: www.example")
    assert recovered.ts == card.ts
    assert "after 30 minutes" in headline(recovered)  # and not at the look in between


async def test_a_line_says_what_a_scan_has_found_and_scans_again(ready: Harness) -> None:
    await watched(ready)
    issue = b'{"severity": "critical", "title": "Listed on a mail blacklist"}'
    ready.tracker.answer_next(body=b'{"security": {"issues": [%s]}}' % issue, on="scan")
    await ready.bob.type("/scan www.example")
    await ready.bob.next_message(where=lambda each: "Scan of www.example" in each.everything)
    card = await fallen(ready, {"www.example": 60}, "fell to 60")
    partly = await fallen(ready, {"www.example": 97}, "new critical issue")
    ready.tracker.answer_next(body=b'{"security": {"issues": []}}', on="scan")
    await ready.bob.press(card, "Scan")
    await ready.bob.next_message(where=lambda each: "Scan of www.example" in each.everything)
    recovered = await fallen(ready, {}, "Recovered: www.example")

    assert "Critical: Listed on a mail blacklist" in card.everything
    assert headline(partly) == "www.example has a new critical issue"
    assert "📉" not in partly.everything
    assert recovered.ts == partly.ts == card.ts


async def test_taking_is_let_go_and_taken_over(ready: Harness) -> None:
    await watched(ready)
    card = await fallen(ready, {"www.example": 60}, "fell to 60")
    now = ready.clock()
    await ready.ada.press(card, "I'm on it")
    by_ada = await redrawn(ready.bob, "is on it since")
    await ready.bob.press(by_ada, "Let go")
    refused = await ready.bob.next_message(where=lambda each: "is on it. " in each.everything)
    await ready.bob.press(by_ada, "Take over")
    by_bob = await redrawn(ready.bob, f"<@{ready.bob.id}> is on it")
    await ready.bob.press(by_bob, "Take over")
    again = await ready.bob.next_message(where=lambda each: "You are on it" in each.everything)
    await ready.bob.press(by_bob, "Let go")
    free = await ready.bob.next_message(where=lambda each: "I'm on it" in each.buttons)
    lines = await until_thread(ready, card, 2)

    assert f"<@{ready.ada.id}> is on it since {moment_text(now)}" in by_ada.everything
    assert {"Take over", "Let go"} <= set(by_ada.buttons)
    assert refused.is_ephemeral
    assert again.is_ephemeral
    assert lines[0] == f"<@{ready.bob.id}> took over from <@{ready.ada.id}>."
    assert "let go" in lines[1]
    assert "is on it since" not in free.everything
    assert len(alerts(ready)) == 1


async def test_people_are_mentioned_when_no_one_is_on_it(ready: Harness) -> None:
    form = await press_in(ready.bob, await new_form(ready, ready.bob), "More options")
    await ready.bob.choose(form, "Post", "Alert, every 15 minutes")
    form = await settled(ready.bob)
    await ready.bob.choose(form, "If no one is on it", "After 1 hour")
    form = await settled(ready.bob)
    fields = {"Channel": "general", "Time zone": "UTC"}
    refused = await ready.bob.submit(form, fields)
    await ready.bob.submit(form, {**fields, "Then mention": ["cy"]})
    listed = await settled(ready.bob)
    await next_look(ready)
    card = await fallen(ready, {"www.example": 30}, "fell to 30")
    ready.clock.ahead += timedelta(hours=1)
    [line] = await until_thread(ready, card, 1)
    await ready.ada.press(card, "I'm on it")
    await redrawn(ready.bob, "is on it since")

    assert "mention" in refused.errors["If no one is on it"]
    assert "mentions 1 person or group after 1 hour if no one is on it" in listed.everything
    cy = ready.slack.person("cy").id
    assert line.startswith(f"<@{cy}>: www.example fell to 30. No one is on it after 1 hour.")
    assert thread(ready, card) == [line]


async def test_a_snooze_stands_in_card_list_and_form_and_is_ended_there(
    ready: Harness,
) -> None:
    await watched(ready)
    card = await fallen(ready, {"www.example": 60}, "fell to 60")
    await ready.bob.choose(card, "Snooze", "1 day")
    snoozed = await redrawn(ready.bob, "snoozed www.example until")
    listed = await open_list(ready, ready.ada)
    form = await press_in(ready.ada, listed, "Change")
    quiet = await fallen(ready, {"www.example": 30}, "fell to 30")
    silent = thread(ready, card)
    awake = await press_in(ready.ada, form, "End snooze")
    drawn = await ready.bob.next_message(where=lambda each: "End snooze" not in each.buttons)
    to_next_look(ready)
    lines = await until_thread(ready, card, 1)

    words = f"<@{ready.bob.id}> snoozed www.example until"
    assert all(words in each.everything for each in (snoozed, listed, form))
    assert "End snooze" in snoozed.buttons
    assert "End snooze" in listed.buttons
    assert (quiet.ts, silent) == (card.ts, [])
    assert "The snooze is over" in awake.everything
    assert "snoozed" not in drawn.everything
    assert "60 fair to 30 poor" in lines[0]


async def test_a_whole_alert_is_snoozed_from_the_list_without_a_card(
    ready: Harness,
) -> None:
    await watched(ready)
    listed = await open_list(ready, ready.bob)
    await ready.bob.choose(listed, "Snooze", "1 hour")
    snoozed = await settled(ready.bob)
    score(ready, "www.example", 60)
    await next_look(ready)
    quiet = len(alerts(ready))
    ready.clock.ahead += timedelta(hours=1)
    to_next_look(ready)
    card = await redrawn(ready.bob, "fell to 60")
    listed = await until_listed(ready, f"Last run {moment_text(ready.clock())}")
    await ready.bob.choose(listed, "Snooze", "until recovered")
    by_card = await settled(ready.bob)
    drawn = await redrawn(ready.bob, "until recovered")
    await fallen(ready, {"www.example": 97}, "Recovered")
    free = await until_listed(ready, "Last run")

    assert "snoozed all domains until" in snoozed.everything
    assert quiet == 0
    assert "snoozed www.example until recovered" in by_card.everything
    assert drawn.ts == card.ts
    assert "snoozed" not in free.everything


@pytest.mark.parametrize("how", ["Delete", "Pause", "channel"])
async def test_a_digest_that_goes_leaves_its_cards_a_last_word(ready: Harness, how: str) -> None:
    await watched(ready)
    card = await fallen(ready, {"www.example": 60}, "fell to 60")
    words = {"Delete": "was deleted", "Pause": "is paused", "channel": "posts elsewhere"}[how]
    listed = await open_list(ready, ready.bob)
    if how == "Delete":
        await ready.bob.press(listed, "Delete")
    elif how == "Pause":
        await ready.bob.submit(await press_in(ready.bob, listed, "Pause"))
    else:
        form = await press_in(ready.bob, listed, "Change")
        await ready.bob.submit(form, {"Channel": "secret"})
    last = await redrawn(ready.bob, words)

    assert last.ts == card.ts
    assert "I'm on it" not in last.buttons
    assert headline(last) == headline(card)
    if how == "Pause":
        await press_in(ready.bob, await open_list(ready, ready.bob), "Resume")
        assert "I'm on it" in (await redrawn(ready.bob, "I'm on it")).buttons


async def test_more_than_ten_domains_are_in_the_details(ready: Harness) -> None:
    for number in range(12):
        ready.account.add(f"d{number}.example", health=90)
    ready.clock.ahead += timedelta(minutes=2)
    await watched(ready)
    scores = {f"d{number}.example": 50.0 + number for number in range(12)}
    card = await fallen(ready, scores, "12 domains got worse")
    await ready.ada.press(card, "Details")
    details = await ready.ada.next_message(where=lambda each: "d11.example" in each.everything)

    assert headline(card) == "12 domains got worse. Worst: d0.example fell to 50"
    assert card.buttons.count("Scan") == 10
    assert "and 2 more" in card.everything
    assert details.is_ephemeral
    assert all(domain in details.everything for domain in scores)
