"""The Home tab, from its event to what stands there, in a workspace with the whole bot."""

from datetime import timedelta
from typing import Any

import pytest

from bot.playground.slack import Person, View
from bot.portfolio.service import FRESH_FOR
from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import make, move_to, next_notice, nine
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


async def home_where(app: Harness, person: Person, *words: str) -> View:
    """Return somebody's Home tab once it says all of that."""

    def look() -> View | None:
        home = person.home
        is_so = home is not None and all(each in home.everything for each in words)
        return home if is_so else None

    return await app.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)


async def opened(app: Harness, person: Person, words: str = "Commands") -> View:
    await person.by_id.open_home()
    return await home_where(app, person, words)


async def window(person: Person, words: str) -> View:
    """Return the window over Home once it says that."""
    while words not in (form := await person.next_form()).everything:
        pass
    return form


def ahead(app: Harness) -> None:
    """Let every list be too old to be shown without asking."""
    app.clock.ahead += FRESH_FOR


def buttons(view: Any) -> list[str]:
    return list(view.buttons)


async def test_m27_who_opens_the_conversation_first_is_greeted_with_the_commands_once(
    ready: Harness,
) -> None:
    await ready.slack.person("zoe").by_id.open_home("messages")
    for _ in range(2):
        await ready.bob.by_id.open_home("messages")
    greeting = await ready.bob.next_message("dm")
    await ready.bob.press(greeting, "All domains")
    answer = await ready.bob.next_message("dm")
    await ready.slack.lines.settled()

    assert {"All domains", "Scan", "Add domain"} <= set(greeting.buttons)
    assert "3 domains" in answer.everything
    assert len(ready.bob.messages("dm")) == 2
    assert ready.slack.person("zoe").messages("dm") == []


async def test_members_see_domains_admins_settings_too_and_strangers_nothing(
    ready: Harness,
) -> None:
    home = await opened(ready, ready.bob)
    requests = ready.service_requests()
    guests = await opened(ready, ready.slack.person("gus"))
    strangers = await opened(ready, ready.slack.person("zoe"), "workspace")
    admins = await opened(ready, ready.ada)

    assert "shop.example" in home.everything
    assert "41" in home.everything
    assert "Setup" not in home.everything
    assert len(requests) == 1
    assert "/domainkey" not in guests.everything
    assert "/domaindigest" not in guests.everything
    assert "shop.example" not in strangers.everything
    assert buttons(strangers) == []
    wanted = {"Replace key", "Rotate key", "Check key", "Managers", "History"}
    assert wanted <= set(buttons(admins))
    assert "No digests yet" in admins.everything
    assert ready.key not in admins.everything


async def test_a_member_without_a_key_reads_whom_to_ask(app: Harness) -> None:
    home = await opened(app, app.bob, "not connected")

    assert "ask a workspace admin or owner" in home.everything


@pytest.mark.transports("shared")
async def test_a_key_is_set_from_home_and_home_shows_it(app: Harness) -> None:
    app.account.add("shop.example", health=41)
    home = await opened(app, app.ada, "not connected")
    key = app.account.create_key("bot", scopes=("read_domains",), days=90)

    await app.ada.press(home, "Set key")
    await app.ada.submit(await app.ada.next_form(), {"API key": key})

    shown = await home_where(app, app.ada, "API key: active", "shop.example")
    assert {"Replace key", "Scan"} <= set(buttons(shown))


@pytest.mark.transports("shared")
async def test_a_scan_from_home_is_read_in_a_window_and_lies_in_the_messages(
    ready: Harness,
) -> None:
    home = await opened(ready, ready.bob)

    await ready.bob.press(home, "Scan", nth=1)

    shown = await window(ready.bob, "Open messages")
    assert "Scan of shop.example" in shown.everything
    sent = await ready.bob.next_message("dm", TIME_LIMIT_S)
    assert buttons(sent)
    assert "Share" not in buttons(sent)


async def test_m23_what_ends_soon_comes_to_home_with_its_scan(ready: Harness) -> None:
    home = await opened(ready, ready.bob, "Dates known for 0 of 3 domains")
    end = f"{ready.clock() + timedelta(days=21):%Y-%m-%d}"
    ready.tracker.answer_next(body=f'{{"whois": {{"expires": "{end}"}}}}'.encode(), on="scan")
    await ready.bob.press(home, "Scan", nth=1)

    shown = await home_where(ready, ready.bob, "Ends soon")
    assert "Scan the rest" in shown.buttons
    assert "⚠️ registration expires in 21 days (scanned just now)" in shown.everything
    assert shown.buttons.count("Scan") == home.buttons.count("Scan") + 1


async def test_a_domain_added_from_home_is_there_at_once(ready: Harness) -> None:
    home = await opened(ready, ready.bob)
    await ready.bob.press(home, "Add domain")

    await ready.bob.submit(await ready.bob.next_form(), {"Domain": "fresh.example"})

    assert "Scan" in buttons(await window(ready.bob, "Added "))
    await home_where(ready, ready.bob, "4 domains")


@pytest.mark.transports("shared")
async def test_a_key_checked_from_home_is_said_in_a_window(ready: Harness) -> None:
    home = await opened(ready, ready.ada)

    await ready.ada.press(home, "Check key")

    await window(ready.ada, "It sees 3 domains")
    assert ready.ada.messages("dm") == []


async def test_whoever_is_no_manager_any_more_is_refused_and_sees_it(ready: Harness) -> None:
    home = await opened(ready, ready.ada)
    ready.ada.member.is_admin = False

    await ready.ada.press(home, "Check key")

    await window(ready.ada, "Only admins, owners, and appointed managers")
    left = await home_where(ready, ready.ada, "ask an admin or owner")
    assert "Setup" not in left.everything


async def test_a_service_that_is_down_leaves_everything_else_on_home(ready: Harness) -> None:
    ahead(ready)
    ready.tracker.fail_next("500", times=9)

    home = await opened(ready, ready.ada, "Reference")

    assert {"Refresh", "Replace key"} <= set(buttons(home))
    ready.tracker.faults.clear()
    await ready.ada.press(home, "Refresh")
    await home_where(ready, ready.ada, "shop.example")


async def test_a_workspace_without_the_new_blocks_gets_a_plain_home(ready: Harness) -> None:
    ready.slack.refuse_block_types("container")

    home = await opened(ready, ready.ada)

    assert "Why the app needs each permission" in home.everything


@pytest.mark.transports("shared")
async def test_a_digest_that_the_bot_pauses_is_said_on_home(ready: Harness) -> None:
    await make(ready)
    slot = nine(ready)
    move_to(ready, slot - timedelta(minutes=5))
    await opened(ready, ready.ada, "1 digest")
    ready.slack.archive("general")

    move_to(ready, slot)
    await next_notice(ready)

    await opened(ready, ready.ada, "Paused")
