"""When the Home tab asks the service, and what it shows in the meantime."""

import asyncio

from bot.playground.slack import View
from bot.tracker.models import UnavailableError
from tests.builders import a_domain
from tests.listeners.running import Bot

LONG_S = 1800.0
SOON_S = 0.02
DOWN = UnavailableError("down", is_outcome_unknown=False)


async def begin_slow_refresh(bot: Bot) -> View:
    """Let bob have an old list before him, and press `Refresh`; return what he then sees."""
    home = await bot.opened()
    bot.clock.advance(LONG_S)
    bot.lists.gate.clear()
    bot.lists.domains = (a_domain("newer.example"),)
    await bot.bob.press(home, "Refresh")
    return await bot.home_saying("⏳")


async def test_refresh_keeps_the_old_list_until_the_new_one_comes(bot: Bot) -> None:
    meanwhile = await begin_slow_refresh(bot)

    bot.lists.gate.set()
    after = await bot.home()

    assert "shop.example" in meanwhile.everything
    assert "⏳" not in after.everything
    assert "newer.example" in after.everything


async def test_another_drawing_does_not_replace_an_awaited_list(bot: Bot) -> None:
    await begin_slow_refresh(bot)

    drawn = bot.home_draws()
    bot.tasks.start(bot.redraw_home())
    while bot.home_draws() == drawn:  # noqa: ASYNC110  # no one tells
        await asyncio.sleep(SOON_S)
    bot.lists.gate.set()
    after = await bot.home()

    assert "newer.example" in after.everything
    assert "⏳" not in after.everything
    assert len(bot.lists.asked) == 2
