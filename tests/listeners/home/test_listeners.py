"""Who sees what on the Home tab, and that nothing older takes the place of something newer.

Where people read the answer to what they press on the Home tab.
When the Home tab asks the service, and what it shows in the meantime.
"""

import asyncio

import pytest

from bot.blocks.builders import actions, form, run_button, section
from bot.blocks.message import Message
from bot.dispatch.request import Request
from bot.keys.key_record import KeyDraft, NoKeyError
from bot.playground.slack import View
from bot.slack.client import open_form
from bot.tracker.models import InvalidKeyError, RateLimitedError, UnavailableError
from tests.builders import KEY, a_domain
from tests.fakes import TIME_LIMIT_S
from tests.listeners.running import Bot


@pytest.fixture
def bot(bot: Bot) -> Bot:
    """A workspace with two domains; no one has opened Home."""
    bot.lists.domains = (a_domain(), a_domain("www.example", 97))
    return bot


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
    await bot.permissions.name_managers(bot.workspace, (bot.bob.id,))
    bot.lists.gate.clear()
    await bot.bob.by_id.open_home()
    waiting = await bot.home_saying("⏳")
    await bot.permissions.name_managers(bot.workspace, ())
    if is_drawn_anew:
        bot.tasks.start(bot.redraw_home())

    bot.lists.gate.set()
    home = await bot.home()

    assert "Set key" in waiting.buttons
    assert "Set key" not in home.buttons
    assert "shop.example" in home.everything


SHORT = Message("All is well", (section("All is well"),))


def answering(bot: Bot, message: Message, gate: asyncio.Event | None = None) -> None:
    """Let `/domains`, which a button on the tab runs, be answered by this, once `gate` is open."""

    async def answer(conversation: Request, _text: str) -> None:
        if gate:
            await gate.wait()
        await conversation.reply(message)

    bot.dispatcher.command("/domains", answer)


async def test_a_slow_answer_is_announced_and_takes_the_place_of_that(bot: Bot) -> None:
    gate = asyncio.Event()
    answering(bot, SHORT, gate)

    await bot.bob.press(await bot.opened(), "All domains")
    waiting = await bot.form_saying("⏳")
    gate.set()
    answered = await bot.form_saying("All is well")

    assert answered.id == waiting.id
    assert "⏳" not in answered.everything


async def test_closing_the_window_sends_the_answer_to_the_messages(bot: Bot) -> None:
    gate = asyncio.Event()
    answering(bot, SHORT, gate)
    await bot.bob.press(await bot.opened(), "All domains")

    await bot.bob.close(await bot.form_saying("⏳"))
    gate.set()
    await bot.home()

    assert "All is well" in str(bot.direct_messages())


async def test_what_is_pressed_in_the_window_is_answered_in_it(bot: Bot) -> None:
    button = run_button("Once more", "/domains")
    answering(bot, Message("More?", (section("More?"), *actions(button))))
    await bot.bob.press(await bot.opened(), "All domains")
    window = await bot.form_saying("More?")
    answering(bot, SHORT)

    await bot.bob.press(window, "Once more")

    assert (await bot.form_saying("All is well")).id == window.id
    assert bot.direct_messages() == []


async def test_a_slow_form_still_opens(bot: Bot) -> None:
    opens = asyncio.Event()
    pick = form("pick", "Pick", "Scan", [section("Pick one")])

    async def ask(conversation: Request, _text: str) -> None:
        await asyncio.sleep(0.1)  # longer than the first word waits
        await open_form(conversation.client, conversation.trigger_id or "", pick)
        opens.set()

    bot.dispatcher.command("/scan", ask)

    await bot.bob.press(await bot.opened(), "Scan")

    await asyncio.wait_for(opens.wait(), TIME_LIMIT_S)
    assert "Pick one" in (await bot.form_saying("Pick one")).everything


async def test_a_form_from_home_is_answered_in_a_window(bot: Bot) -> None:
    async def ask(conversation: Request, _text: str) -> None:
        pick = form("pick", "Pick", "Scan", [section("Pick")], metadata=conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", pick)

    async def answer(conversation: Request, _given: None) -> None:
        await conversation.reply(SHORT)

    bot.dispatcher.command("/scan", ask)
    bot.dispatcher.view("pick", lambda _values: None, answer)
    await bot.bob.press(await bot.opened(), "Scan")

    await bot.bob.submit(await bot.form_saying("Pick"))

    await bot.form_saying("All is well")
    assert bot.direct_messages() == []


async def test_a_window_that_does_not_take_the_answer_says_where_it_is(bot: Bot) -> None:
    gate = asyncio.Event()
    answering(bot, SHORT, gate)
    await bot.bob.press(await bot.opened(), "All domains")
    await bot.form_saying("⏳")
    bot.slack.fail_next("views.update", error="view_too_large")

    gate.set()
    window = await bot.form_saying("in your direct messages")
    await bot.home()

    assert "⏳" not in window.everything
    assert len(bot.direct_messages()) == 1


LONG_S = 1800.0
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
