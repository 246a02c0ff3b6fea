"""Who sees what on the Home tab, and that nothing older takes the place of something newer."""

import asyncio

import pytest

from bot.keys.key_record import KeyDraft, NoKeyError
from bot.tracker.models import InvalidKeyError, RateLimitedError, UnavailableError
from tests.builders import KEY, a_domain
from tests.fakes import TIME_LIMIT_S
from tests.listeners.running import Bot


async def test_everything_else_is_shown_before_a_slow_list(bot: Bot) -> None:
    bot.lists.gate.clear()
    await bot.ada.by_id.open_home()

    first = await bot.home_saying("⏳", bot.ada)
    bot.lists.gate.set()
    last = await bot.home(bot.ada)

    assert "Set key" in first.buttons
    assert "shop.example" in last.everything
    assert "⏳" not in last.everything


async def test_a_stop_leaves_no_tab_that_waits(bot: Bot) -> None:
    bot.lists.gate.clear()
    await bot.bob.by_id.open_home()
    await bot.home_saying("⏳")

    await bot.tasks.cancel()

    home = await bot.home()
    assert "⏳" not in home.everything
    assert "The app is restarting" in home.everything
    assert "Refresh" in home.buttons


async def test_a_slow_look_does_not_take_the_place_of_a_newer_one(bot: Bot) -> None:
    bot.lists.gate.clear()
    await bot.bob.by_id.open_home()
    await asyncio.wait_for(bot.lists.is_asked.wait(), TIME_LIMIT_S)
    bot.portfolio.forget(bot.workspace)
    bot.lists.quick.add(bot.workspace)
    bot.lists.domains = (a_domain("newer.example"),)
    await bot.bob.by_id.open_home()
    await bot.home_saying("newer.example")

    bot.lists.gate.set()

    assert "newer.example" in (await bot.home()).everything


@pytest.mark.parametrize(
    ("error", "words", "label"),
    [
        (NoKeyError("none"), "not connected", "Set key"),
        (InvalidKeyError("no"), "no longer works", "Set key"),
        (RateLimitedError(60, is_ours=True), "rate limit is reached", "Refresh"),
        (UnavailableError("down", is_outcome_unknown=False), "is unavailable", "Refresh"),
        (ZeroDivisionError("ours"), "Something went wrong in the app", "Refresh"),
    ],
)
async def test_errors_are_explained(bot: Bot, error: Exception, words: str, label: str) -> None:
    bot.lists.error = error

    home = await bot.opened(bot.ada)

    assert words in home.everything
    assert label in home.buttons
    assert bot.direct_messages(bot.ada) == []


async def test_the_state_of_the_key_is_that_of_the_same_request(bot: Bot) -> None:
    draft = KeyDraft(secret=KEY, label="bot", expires_on=None, scopes=("read_domains",))
    await bot.keys.save(bot.workspace, draft, set_by=bot.ada.id)
    bot.lists.gate.clear()
    bot.lists.error = InvalidKeyError("no")
    await bot.ada.by_id.open_home()
    await asyncio.wait_for(bot.lists.is_asked.wait(), TIME_LIMIT_S)
    key = await bot.keys.stored(bot.workspace)
    await bot.keys.note_refused(bot.workspace, key)  # as the connection does

    bot.lists.gate.set()

    assert "API key: no longer works" in (await bot.home(bot.ada)).everything


async def test_a_store_that_is_down_is_said_and_the_domains_are_there(bot: Bot) -> None:
    bot.documents.cannot_be_read = {
        f"{bot.workspace}/managers",
        f"{bot.workspace}/home-viewers",
    }

    home = await bot.opened(bot.ada)

    assert "database is unavailable" in home.everything
    assert "shop.example" in home.everything


async def test_an_unknown_reader_sees_nothing_of_the_workspace(bot: Bot) -> None:
    bot.slack.fail_next("users.info", error="fatal_error", times=9)

    home = await bot.opened(bot.ada)

    assert "Slack returned an unexpected response" in home.everything
    assert "shop.example" not in home.everything
    assert home.buttons == ["Refresh"]


@pytest.mark.parametrize("is_drawn_anew", [True, False])
async def test_a_former_manager_does_not_see_the_key(bot: Bot, is_drawn_anew: bool) -> None:
    await bot.managers.name(bot.workspace, (bot.bob.id,))
    bot.lists.gate.clear()
    await bot.bob.by_id.open_home()
    waiting = await bot.home_saying("⏳")
    await bot.managers.name(bot.workspace, ())
    if is_drawn_anew:
        bot.tasks.start(bot.redraw_home())

    bot.lists.gate.set()
    home = await bot.home()

    assert "Set key" in waiting.buttons
    assert "Set key" not in home.buttons
    assert "shop.example" in home.everything
