"""Digests of one's own: in one's direct messages with the app, seen by no one else."""

import asyncio

import pytest

from tests.whole.digests import headline, move_to, nine, open_list, press_in, settled, until_listed
from tests.whole.harness import Harness
from tests.whole.test_home import opened

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]

LINE = '/domaindigest daily 9:00 UTC name:"Mine" me'


async def test_a_digest_of_ones_own_comes_as_a_direct_message(ready: Harness) -> None:
    made = await ready.ask(ready.bob, LINE)
    in_channel = await open_list(ready, ready.bob)
    move_to(ready, nine(ready))
    post = await ready.bob.next_message("dm", where=lambda each: headline(each).startswith("Mine"))
    manage = await press_in(ready.bob, post, "Manage")  # type: ignore[arg-type]  # a message too

    assert LINE in made.everything
    assert "1 for you alone" in in_channel.everything
    assert "3 domains" in headline(post)
    assert "*Mine*" in manage.everything
    assert not any(
        "Mine" in each.everything for each in ready.ada.messages() + ready.ada.messages("dm")
    )


async def test_no_one_else_sees_it_in_a_list_on_home_or_by_its_name(ready: Harness) -> None:
    await ready.ask(ready.bob, LINE)

    listed = await open_list(ready, ready.ada)
    home = await opened(ready, ready.ada, "No digests yet")
    unknown = await ready.ask(ready.ada, "/domaindigest pause Mine")
    paused = await ready.ask(ready.bob, "/domaindigest pause Mine")
    own = await until_listed(ready, "Paused")

    for seen in (listed.everything, home.everything, unknown.everything):
        assert "Mine" not in seen.replace("`Mine`", "")
    assert "No digest here is called" in unknown.everything
    assert "Paused" in paused.everything
    assert "*Mine*" in own.everything


async def test_a_form_of_ones_own_has_no_channel_and_is_saved(ready: Harness) -> None:
    await ready.bob.type("/domaindigest daily 9am me")
    form = await settled(ready.bob)
    delivery = await ready.bob.submit(form, {"Time": "08:00"})
    assert not delivery.errors
    saved = await settled(ready.bob)
    change = await press_in(ready.bob, saved, "Change")
    await ready.bob.submit(change, {"Time": "07:00"})
    changed = await settled(ready.bob)

    assert "`9am`" in form.everything
    assert "Channel" not in form.values
    assert "at 08:00" in saved.everything
    assert "at 07:00" in changed.everything
    assert "for you alone" in changed.everything


async def test_it_is_paused_without_a_word_when_its_person_has_left(ready: Harness) -> None:
    await ready.ask(ready.bob, LINE)
    before = len(ready.ada.messages("dm")), len(ready.bob.messages("dm"))
    ready.slack.deactivate("bob")
    move_to(ready, nine(ready))
    await asyncio.sleep(60)
    told = len(ready.ada.messages("dm")), len(ready.bob.messages("dm"))
    ready.slack.world.workspace.member_named("bob").deleted = False
    listed = await until_listed(ready, "Paused")

    assert told == before
    assert "account was closed" in listed.everything


async def test_guests_make_none(ready: Harness) -> None:
    ready.slack.world.workspace.member_named("bob").is_restricted = True

    answer = await ready.ask(ready.bob, LINE)

    assert "Guests can't see or change digests" in answer.everything
