"""Digests as people meet them (D1–D20): real sockets, a real store, a clock that is moved."""

import asyncio

import pytest

from tests.whole.digests import (
    DAY,
    at_nine,
    block_of,
    digests,
    headline,
    make,
    move_to,
    new_form,
    next_digest,
    next_notice,
    nine,
    open_list,
    press_in,
    score,
    settled,
    when,
)
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


@pytest.mark.transports("socket", "shared")
async def test_d1_a_member_makes_a_digest_in_the_channel_and_it_comes(ready: Harness) -> None:
    saved = await make(ready)

    post = await at_nine(ready)

    assert "1 digest" in saved.everything
    assert "3 domains" in headline(post)
    assert post.user == ready.slack.bot_user_id


async def test_d2_a_digest_comes_on_its_weekdays_only(ready: Harness) -> None:
    day = nine(ready) + DAY
    await make(ready, {"Days": [f"{day:%a}"]})
    await make(
        ready, channel="secret"
    )  # every day, so that one sees when the other had its chance

    for _ in range(3):
        slot = nine(ready)
        await at_nine(ready, "secret")
        if slot == day:
            await next_digest(ready)

    assert [when(post) for post in digests(ready)] == [day]


@pytest.mark.transports("shared")
async def test_d2_a_digest_comes_by_the_clock_of_its_zone(ready: Harness) -> None:
    await make(ready, {"Time": "18:00", "Time zone": "Asia/Tokyo"})

    await at_nine(ready)  # UTC

    assert len(digests(ready)) == 1


@pytest.mark.transports("shared")
async def test_d3_a_channel_has_several_digests(ready: Harness) -> None:
    await make(ready, {"Filter": "tag:prod"})
    listed = await make(ready, {"Time": "10:00"})

    move_to(ready, nine(ready))
    first = await next_digest(ready)
    move_to(ready, nine(ready) - DAY + DAY / 24)
    second = await next_digest(ready)

    assert "2 digests" in listed.everything
    assert ("2 domains" in headline(first), "3 domains" in headline(second)) == (True, True)


async def test_d4_a_filter_that_matches_nothing_now_is_saved_with_a_warning(
    ready: Harness,
) -> None:
    await make(ready, {"Filter": "below:5"})

    warned = await settled(ready.bob)  # a moment later, as the domains have to be counted

    assert "✅ Saved." in warned.everything
    assert "no domain matches" in warned.everything


@pytest.mark.transports("socket", "shared")
async def test_d5_a_double_press_of_send_now_posts_once_and_a_second_one_again(
    ready: Harness,
) -> None:
    listed = await make(ready)
    score(ready, "shop.example", 12)

    press = ready.bob.press(listed, "Send now")
    await asyncio.gather(press, ready.bob.press(listed, "Send now"))
    sent = await settled(ready.bob)
    once = len(digests(ready))
    again = await press_in(ready.bob, sent, "Send now")

    assert ("Sent" in sent.everything, "Sent" in again.everything) == (True, True)
    assert (once, len(digests(ready))) == (1, 2)
    assert all("12" in post.everything for post in digests(ready))


async def test_d6_an_empty_digest_comes_where_it_is_to_come_always(ready: Harness) -> None:
    await make(ready, {"Filter": "below:5"})

    post = await at_nine(ready)

    assert "No domain matches" in post.everything


async def test_d7_when_something_got_worse_only_then(ready: Harness) -> None:
    await make(ready, {"Post": "When something got worse"})
    await make(ready, channel="secret")
    await at_nine(ready, "secret")
    await next_digest(ready)

    score(ready, "shop.example", 80)
    await at_nine(ready, "secret")
    better = len(digests(ready))
    score(ready, "shop.example", 20)
    await at_nine(ready)

    assert (better, len(digests(ready))) == (1, 2)


async def test_d21_what_ends_within_30_days_is_told_and_reaching_a_mark_is_worse(
    ready: Harness,
) -> None:
    end = f"{nine(ready, 15):%Y-%m-%d}"
    ready.tracker.answer_next(body=f'{{"ssl": {{"notAfter": "{end}"}}}}'.encode(), on="scan")
    await ready.ask(ready.bob, "/scan shop.example")
    await make(ready, {"Post": "When something got worse"})
    await make(ready, channel="secret")  # every day: one sees when the other had its chance
    await at_nine(ready, "secret")
    first = await next_digest(ready)  # 15 days are left

    await at_nine(ready, "secret")  # 14
    second = await next_digest(ready)
    await at_nine(ready, "secret")  # 13
    await at_nine(ready, "secret")

    for post, left, age in ((first, 15, "scanned"), (second, 14, "scanned 1 day ago")):
        assert f"certificate expires in {left} days" in post.everything
        assert age in post.everything
    assert "1 became more urgent" in second.everything
    assert len(digests(ready)) == 2


async def test_a_new_issue_is_worse_and_the_details_of_a_digest_are_for_who_presses(
    ready: Harness,
) -> None:
    await make(ready, {"Post": "When something got worse"})
    first = await at_nine(ready)
    for number in range(4):
        ready.account.add(f"added{number}.example", health=99)
    issue = b'{"severity": "critical", "title": "Listed on a mail blacklist"}'
    ready.tracker.answer_next(body=b'{"security": {"issues": [%s]}}' % issue, on="scan")
    await ready.bob.type("/scan shop.example")
    await ready.bob.next_message(where=lambda message: "Scan of" in message.everything)
    second = await at_nine(ready)
    requests = ready.service_requests()

    await ready.ada.press(second, "Details")
    details = await ready.ada.next_message(where=lambda each: "Digest details" in each.everything)
    await ready.ada.press(first, "Details")
    gone = await ready.ada.next_message(where=lambda each: "newer digest" in each.everything)

    assert "New issues" in second.everything
    assert "Critical: Listed on a mail blacklist" in second.text
    assert "1 domain with open critical or high issues" in second.everything
    assert "4 domains new" in second.everything
    assert "added3.example" not in second.everything
    assert "added3.example" in details.everything
    assert (details.is_ephemeral, gone.is_ephemeral) == (True, True)
    assert ready.service_requests() == requests
    assert len(digests(ready)) == 2


async def test_d8_what_has_changed_since_the_last_one_is_told(ready: Harness) -> None:
    await make(ready)
    await at_nine(ready)
    score(ready, "www.example", 60)
    ready.account.add("added.example", health=99)

    post = await at_nine(ready)

    assert "added.example" in post.everything
    assert "97" in post.everything
    assert "▼" in post.everything
    assert "www.example" in post.text


async def test_d9_the_trend_is_drawn_and_told(ready: Harness) -> None:
    await make(ready)
    await at_nine(ready)
    await at_nine(ready)
    score(ready, "shop.example", 61)

    post = await at_nine(ready)

    series = block_of(post, "data_visualization", "line")["chart"]["series"][0]["data"]
    assert [point["value"] for point in series] == [69, 69, 79]
    assert "69" in post.text


@pytest.mark.transports("shared")
async def test_d10_a_paused_digest_is_silent_until_it_is_resumed(ready: Harness) -> None:
    listed = await make(ready)
    await make(ready, channel="secret")
    listed = await open_list(ready, ready.bob)
    asked = await press_in(ready.bob, listed, "Pause")
    await ready.bob.submit(asked)
    paused = await settled(ready.bob)

    await at_nine(ready, "secret")
    silent = len(digests(ready))
    listed = await open_list(ready, ready.bob)
    await press_in(ready.bob, listed, "Resume")
    await at_nine(ready)

    assert "Paused" in paused.everything
    assert (silent, len(digests(ready))) == (0, 1)


@pytest.mark.transports("shared")
async def test_d10_a_pause_may_have_an_end(ready: Harness) -> None:
    listed = await make(ready)
    asked = await press_in(ready.bob, listed, "Pause")
    end = (nine(ready) + 2 * DAY).date()
    await ready.bob.submit(asked, {"Until": end.isoformat()})
    await settled(ready.bob)

    move_to(ready, nine(ready, days=2))
    await next_digest(ready)

    assert len(digests(ready)) == 1


@pytest.mark.transports("shared")
async def test_d11_the_channel_is_told_what_comes_when_and_by_whom(ready: Harness) -> None:
    await make(ready, {"Filter": "tag:prod"})

    text = await ready.ada.next_message(where=lambda message: "set up" in message.everything)

    for words in ("bob", "every day at 09:00 (UTC)", "tag:prod", "/domaindigest"):
        assert words in text.everything
    assert text.buttons == ["Manage"]


@pytest.mark.transports("shared")
async def test_d12_a_post_opens_its_digests_and_scans_the_worst_for_whoever_presses(
    ready: Harness,
) -> None:
    await make(ready)
    post = await at_nine(ready)

    await ready.ada.press(post, "Manage")
    listed = await settled(ready.ada)
    await ready.ada.press(post, "Scan worst")
    answer = await ready.ada.next_message(where=lambda message: "Scan of" in message.everything)

    assert "1 digest" in listed.everything
    assert "Scan of shop.example" in answer.everything
    assert answer.is_ephemeral


async def test_d13_a_long_list_says_how_much_of_it_is_shown(ready: Harness) -> None:
    for number in range(40):
        ready.account.add(f"d{number}.example", health=number)
    await make(ready, {"Worst domains shown": "5"})

    post = await at_nine(ready)

    table = block_of(post, "data_table")
    assert len(table["rows"]) == 6
    assert "5 of 43" in table["caption"]


async def test_d14_the_next_five_runs_are_shown_before_saving(ready: Harness) -> None:
    form = await new_form(ready, ready.bob)

    await ready.bob.choose(form, "Time", "07:45")
    drawn = await settled(ready.bob)

    assert drawn.everything.count("07:45") >= 5
    assert "Next five runs" in drawn.everything


@pytest.mark.transports("shared")
async def test_d15_a_late_digest_says_when_it_was_due(ready: Harness) -> None:
    await make(ready)
    move_to(ready, nine(ready) + DAY / 12)

    post = await next_digest(ready)

    assert "late" in post.everything.lower()
    assert "09:00" in post.everything
    assert "late" in post.text.lower()


async def test_d16_an_archived_channel_pauses_its_digest_until_its_owner_resumes_it(
    ready: Harness,
) -> None:
    await make(ready)
    ready.slack.archive("general")
    move_to(ready, nine(ready))
    notice = await next_notice(ready)
    ready.slack.unarchive("general")
    ready.slack.invite_bot("general")  # archiving has taken it out

    await ready.bob.press(notice, "Resume")
    answer = await ready.bob.next_message("dm", where=lambda each: "Resumed" in each.everything)
    edited = await ready.bob.next_message("dm", where=lambda each: "runs again" in each.everything)
    await at_nine(ready)

    assert "archived" in notice.everything
    assert answer.ts != edited.ts == notice.ts
    assert edited.buttons == ["Send now", "Manage"]


@pytest.mark.transports("shared")
async def test_d19_digests_that_are_due_together_cost_one_request(ready: Harness) -> None:
    await make(ready)
    await make(ready, channel="secret")  # with a filter, its maker would ask for a list too
    ready.tracker.requests.clear()

    await at_nine(ready)
    await next_digest(ready, channel="secret")

    assert ready.service_requests() == [("GET", "domain-tracker")]


async def test_d20_owners_of_what_got_worse_are_mentioned(ready: Harness) -> None:
    await make(ready, {"Tag or folder": "tag:prod", "Mention": ["ada"]})
    first = await at_nine(ready)
    score(ready, "shop.example", 10)

    post = await at_nine(ready)

    assert first.mentions == []
    assert set(post.mentions) == {f"<@{ready.ada.id}>"}


@pytest.mark.transports("shared")
async def test_a_stranger_and_a_guest_make_no_digests(ready: Harness) -> None:
    await ready.slack.person("gus").type("/domaindigest")
    answer = await ready.answer(ready.slack.person("gus"))

    assert "guest" in answer.everything.lower()
    await make(ready, channel="shared")
    zoe = ready.slack.person("zoe")
    announced = await zoe.next_message("shared", where=lambda message: "Manage" in message.buttons)
    await zoe.press(announced, "Manage")
    refused = await zoe.next_message("shared", where=lambda message: message.is_ephemeral)

    assert "workspace" in refused.everything
    assert zoe.form is None
