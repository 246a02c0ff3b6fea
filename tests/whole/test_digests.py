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
from tests.whole.town import Town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


@pytest.mark.modes("socket", "shared")
async def test_d1_a_member_makes_a_digest_in_the_channel_and_it_comes(shop: Town) -> None:
    saved = await make(shop)

    post = await at_nine(shop)

    assert "1 digest" in saved.everything
    assert "3 domains" in headline(post)
    assert post.user == shop.slack.bot_user_id


async def test_d2_a_digest_comes_on_its_weekdays_only(shop: Town) -> None:
    day = nine(shop) + DAY
    await make(shop, {"Days": [f"{day:%a}"]})
    await make(shop, channel="secret")  # every day, so that one sees when the other had its chance

    for _ in range(3):
        await at_nine(shop, "secret")

    assert [when(post) for post in digests(shop)] == [day]


@pytest.mark.modes("shared")
async def test_d2_a_digest_comes_by_the_clock_of_its_zone(shop: Town) -> None:
    await make(shop, {"Time": "18:00", "Time zone": "Asia/Tokyo"})

    await at_nine(shop)  # UTC

    assert len(digests(shop)) == 1


@pytest.mark.modes("shared")
async def test_d3_a_channel_has_several_digests(shop: Town) -> None:
    await make(shop, {"Filter": "tag:prod"})
    listed = await make(shop, {"Time": "10:00"})

    move_to(shop, nine(shop))
    first = await next_digest(shop)
    move_to(shop, nine(shop) - DAY + DAY / 24)
    second = await next_digest(shop)

    assert "2 digests" in listed.everything
    assert ("2 domains" in headline(first), "3 domains" in headline(second)) == (True, True)


async def test_d4_a_filter_that_matches_nothing_now_is_saved_with_a_warning(shop: Town) -> None:
    await make(shop, {"Filter": "below:5"})

    warned = await settled(shop.bob)  # a moment later, as the domains have to be counted

    assert "✅ Saved." in warned.everything
    assert "no domain matches" in warned.everything


@pytest.mark.modes("socket", "shared")
async def test_d5_a_double_press_of_send_now_posts_once_and_a_second_one_again(
    shop: Town,
) -> None:
    listed = await make(shop)
    score(shop, "shop.example", 12)

    press = shop.bob.press(listed, "Send now")
    await asyncio.gather(press, shop.bob.press(listed, "Send now"))
    sent = await settled(shop.bob)
    once = len(digests(shop))
    again = await press_in(shop.bob, sent, "Send now")

    assert ("Sent" in sent.everything, "Sent" in again.everything) == (True, True)
    assert (once, len(digests(shop))) == (1, 2)
    assert all("12" in post.everything for post in digests(shop))


async def test_d6_an_empty_digest_comes_where_it_is_to_come_always(shop: Town) -> None:
    await make(shop, {"Filter": "below:5"})

    post = await at_nine(shop)

    assert "No domain matches" in post.everything


async def test_d7_when_something_got_worse_only_then(shop: Town) -> None:
    await make(shop, {"Post": "When something got worse"})
    await make(shop, channel="secret")
    await at_nine(shop, "secret")
    await next_digest(shop)

    score(shop, "shop.example", 80)
    await at_nine(shop, "secret")
    better = len(digests(shop))
    score(shop, "shop.example", 20)
    await at_nine(shop)

    assert (better, len(digests(shop))) == (1, 2)


async def test_d21_what_ends_within_30_days_is_told_and_reaching_a_mark_is_worse(
    shop: Town,
) -> None:
    end = f"{nine(shop, 15):%Y-%m-%d}"
    shop.tracker.answer_next(body=f'{{"ssl": {{"notAfter": "{end}"}}}}'.encode(), on="scan")
    await shop.ask(shop.bob, "/scan shop.example")
    await make(shop, {"Post": "When something got worse"})
    await make(shop, channel="secret")  # every day: one sees when the other had its chance
    await at_nine(shop, "secret")
    first = await next_digest(shop)  # 15 days are left

    await at_nine(shop, "secret")  # 14
    second = await next_digest(shop)
    await at_nine(shop, "secret")  # 13
    await at_nine(shop, "secret")

    for post, left, age in ((first, 15, "as scanned"), (second, 14, "as scanned 1 day ago")):
        assert f"certificate expires in {left} days ({age}" in post.everything
    assert "1 came to 30, 14, 7 or 1 days since the last digest" in second.everything
    assert len(digests(shop)) == 2


async def test_d8_what_has_changed_since_the_last_one_is_told(shop: Town) -> None:
    await make(shop)
    await at_nine(shop)
    score(shop, "www.example", 60)
    shop.acme.add("added.example", health=99)

    post = await at_nine(shop)

    assert "added.example" in post.everything
    assert "97" in post.everything
    assert "▼" in post.everything
    assert "www.example" in post.text


async def test_d9_the_trend_is_drawn_and_told(shop: Town) -> None:
    await make(shop)
    await at_nine(shop)
    score(shop, "shop.example", 61)

    post = await at_nine(shop)

    series = block_of(post, "data_visualization", "line")["chart"]["series"][0]["data"]
    assert [point["value"] for point in series] == [69, 79]
    assert "69" in post.text
    assert block_of(post, "data_visualization", "bar")


@pytest.mark.modes("shared")
async def test_d10_a_paused_digest_is_silent_until_it_is_resumed(shop: Town) -> None:
    listed = await make(shop)
    await make(shop, channel="secret")
    listed = await open_list(shop, shop.bob)
    asked = await press_in(shop.bob, listed, "Pause")
    await shop.bob.submit(asked)
    paused = await settled(shop.bob)

    await at_nine(shop, "secret")
    silent = len(digests(shop))
    listed = await open_list(shop, shop.bob)
    await press_in(shop.bob, listed, "Resume")
    await at_nine(shop)

    assert "Paused" in paused.everything
    assert (silent, len(digests(shop))) == (0, 1)


@pytest.mark.modes("shared")
async def test_d10_a_pause_may_have_an_end(shop: Town) -> None:
    listed = await make(shop)
    asked = await press_in(shop.bob, listed, "Pause")
    end = (nine(shop) + 2 * DAY).date()
    await shop.bob.submit(asked, {"Until": end.isoformat()})
    await settled(shop.bob)

    move_to(shop, nine(shop, days=2))
    await next_digest(shop)

    assert len(digests(shop)) == 1


@pytest.mark.modes("shared")
async def test_d11_the_channel_is_told_what_comes_when_and_by_whom(shop: Town) -> None:
    await make(shop, {"Filter": "tag:prod"})

    told = await shop.ada.next_message(where=lambda message: "set up" in message.everything)

    for words in ("bob", "every day at 09:00 (UTC)", "tag:prod", "/domaindigest"):
        assert words in told.everything
    assert told.buttons == ["Manage"]


@pytest.mark.modes("shared")
async def test_d12_a_post_opens_its_digests_and_scans_the_worst_for_whoever_presses(
    shop: Town,
) -> None:
    await make(shop)
    post = await at_nine(shop)

    await shop.ada.press(post, "Manage")
    listed = await settled(shop.ada)
    await shop.ada.press(post, "Scan worst")
    answer = await shop.ada.next_message(where=lambda message: "Scan of" in message.everything)

    assert "1 digest" in listed.everything
    assert "Scan of shop.example" in answer.everything
    assert answer.is_ephemeral


async def test_d13_a_long_list_says_how_much_of_it_is_shown(shop: Town) -> None:
    for number in range(40):
        shop.acme.add(f"d{number}.example", health=number)
    await make(shop, {"Worst domains shown": "5"})

    post = await at_nine(shop)

    table = block_of(post, "data_table")
    assert len(table["rows"]) == 6
    assert "5 of 43" in table["caption"]


async def test_d14_the_next_five_runs_are_shown_before_saving(shop: Town) -> None:
    form = await new_form(shop, shop.bob)

    await shop.bob.choose(form, "Time", "07:45")
    drawn = await settled(shop.bob)

    assert drawn.everything.count("07:45") >= 5
    assert "Next five runs" in drawn.everything


@pytest.mark.modes("shared")
async def test_d15_a_late_digest_says_when_it_was_due(shop: Town) -> None:
    await make(shop)
    move_to(shop, nine(shop) + DAY / 12)

    post = await next_digest(shop)

    assert "late" in post.everything.lower()
    assert "09:00" in post.everything
    assert "late" in post.text.lower()


async def test_d16_an_archived_channel_pauses_its_digest_until_its_owner_resumes_it(
    shop: Town,
) -> None:
    await make(shop)
    shop.slack.archive("general")
    move_to(shop, nine(shop))
    notice = await next_notice(shop)
    shop.slack.unarchive("general")
    shop.slack.invite_bot("general")  # archiving has taken it out

    await shop.bob.press(notice, "Resume")
    answer = await next_notice(shop)
    await at_nine(shop)

    assert "archived" in notice.everything
    assert "Resumed" in answer.everything


@pytest.mark.modes("shared")
async def test_d19_digests_that_are_due_together_cost_one_request(shop: Town) -> None:
    await make(shop)
    await make(shop, channel="secret")  # with a filter, its maker would ask for a list too
    shop.tracker.requests.clear()

    await at_nine(shop)
    await next_digest(shop, channel="secret")

    assert shop.service_requests() == [("GET", "domain-tracker")]


async def test_d20_owners_of_what_got_worse_are_mentioned(shop: Town) -> None:
    await make(shop, {"Tag or folder": "tag:prod", "Mention": ["ada"]})
    first = await at_nine(shop)
    score(shop, "shop.example", 10)

    post = await at_nine(shop)

    assert first.mentions == []
    assert set(post.mentions) == {f"<@{shop.ada.id}>"}


@pytest.mark.modes("shared")
async def test_a_stranger_and_a_guest_make_no_digests(shop: Town) -> None:
    await shop.slack.person("gus").type("/domaindigest")
    answer = await shop.answer(shop.slack.person("gus"))

    assert "guest" in answer.everything.lower()
    await make(shop, channel="shared")
    zoe = shop.slack.person("zoe")
    announced = await zoe.next_message("shared", where=lambda message: "Manage" in message.buttons)
    await zoe.press(announced, "Manage")
    refused = await zoe.next_message("shared", where=lambda message: message.is_ephemeral)

    assert "workspace" in refused.everything
    assert zoe.form is None
