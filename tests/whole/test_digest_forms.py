"""What people do with digests in forms, and what of that one sees in the channel."""

import contextlib
import json
import secrets
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.whole.digests import (
    DAY,
    at_nine,
    digests,
    headline,
    make,
    move_to,
    new_form,
    next_digest,
    nine,
    open_list,
    press_in,
    score,
    settled,
)
from tests.whole.town import Town, make_store, running_bot, running_stand_ins

pytestmark = pytest.mark.anyio

MOST = 20


@pytest.fixture
def mode() -> str:
    """What forms do is the same whatever carries them."""
    return "socket"


async def test_a_preview_is_for_one_person_alone_and_changes_nothing(shop: Town) -> None:
    listed = await make(shop)

    preview = await press_in(shop.bob, listed, "Preview")
    await shop.bob.close(preview)
    below = shop.bob.form
    again = await open_list(shop, shop.bob)

    assert "only you can see this" in preview.everything
    assert "3 domains" in preview.everything
    assert preview.buttons == []
    assert below is not None
    assert below.id == listed.id
    assert "Preview" in below.buttons
    assert "Has not run yet" in again.everything
    for person in (shop.bob, shop.ada):
        assert not any("Preview" in each.everything for each in person.messages())


async def test_a_digest_is_changed_and_moves_to_another_channel(shop: Town) -> None:
    listed = await make(shop)
    form = await press_in(shop.bob, listed, "Change")

    changed = {"Channel": "secret", "Time": "10:30", "Filter": "tag:prod"}
    delivery = await shop.bob.submit(form, changed)
    saved = await settled(shop.bob)
    announced = await shop.ada.next_message(
        "secret", where=lambda each: "every day at 10:30" in each.everything
    )
    move_to(shop, nine(shop) + timedelta(minutes=90))
    post = await next_digest(shop, channel="secret")

    assert not delivery.errors
    assert "Saved" in saved.everything
    assert "tag:prod" in announced.everything
    assert "2 domains" in headline(post)
    assert digests(shop) == []


async def test_clocks_that_go_forward_are_noted_before_a_digest_is_saved(shop: Town) -> None:
    spring = datetime(datetime.now(UTC).year + 1, 3, 31, tzinfo=UTC)
    move_to(shop, spring - (spring.isoweekday() % 7 + 2) * DAY)  # some days before that Sunday
    form = await new_form(shop, shop.bob)

    await shop.bob.choose(form, "Time zone", "Europe/Berlin")
    form = await settled(shop.bob)
    await shop.bob.choose(form, "Time", "02:30")
    drawn = await settled(shop.bob)

    assert "The clocks in Berlin go forward an hour on Sun" in drawn.everything


async def test_what_was_sent_by_hand_is_what_the_next_one_compares_with(shop: Town) -> None:
    listed = await make(shop, {"Post": "When something got worse"})
    await press_in(shop.bob, listed, "Send now")
    by_hand = await next_digest(shop)
    score(shop, "www.example", 60)

    at_its_time = await at_nine(shop)

    posts = [call for call in shop.slack.calls if call.method == "chat.postMessage"]
    assert "Sent now by `bob`" in by_hand.everything
    assert "▼ \N{MINUS SIGN}37" in at_its_time.everything
    for post in posts:
        assert str(post.arguments["unfurl_links"]).lower() == "false"
        assert str(post.arguments["unfurl_media"]).lower() == "false"


async def test_when_something_changed_it_is_posted_also_if_that_is_better(shop: Town) -> None:
    await make(shop, {"Post": "When something changed"})
    await make(shop, channel="secret")  # every day, so that one sees when the other had its chance
    await at_nine(shop)
    await at_nine(shop, "secret")
    unchanged = len(digests(shop))
    score(shop, "shop.example", 80)

    post = await at_nine(shop)

    assert unchanged == 1
    assert "▲ +39" in post.everything


async def test_a_channel_has_twenty_digests_at_most(tmp_path: Path) -> None:
    async with running_stand_ins(tmp_path, "socket") as town:
        await make_store(town)
        async with running_bot(town):
            await town.connect()
            await make(town)
        copy_digest(town, MOST - 1)
        async with running_bot(town):
            form = await new_form(town, town.bob)
            delivery = await town.bob.submit(form, {"Time zone": "UTC"})
            refused = str(delivery.errors) + (await settled(town.bob)).everything
            listed = await open_list(town, town.bob)

    assert "20 digests" in refused
    assert "*20 digests in `#general`*" in listed.everything


def copy_digest(town: Town, times: int) -> None:
    """Put copies of the only digest into the file, while no bot uses it."""
    with contextlib.closing(sqlite3.connect(town.settings.database_path)) as file:
        query = "SELECT key, value FROM docs WHERE key LIKE '%/digest/%'"
        [(key, value)] = file.execute(query).fetchall()
        for _ in range(times):
            row, name = json.loads(value), secrets.token_hex(6)
            row["value"]["digest_id"] = name
            place = f"{key.rpartition('/')[0]}/{name}"
            file.execute("INSERT INTO docs VALUES (?, ?)", (place, json.dumps(row)))
        file.commit()
