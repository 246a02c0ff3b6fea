"""The Home tab, from its event to what stands there, in a workspace with the whole bot."""

from datetime import timedelta
from typing import Any

import pytest

from bot.playground.slack import Person, View
from bot.portfolio.service import FRESH_FOR
from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import make, move_to, nine
from tests.whole.town import Town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


async def home_where(town: Town, person: Person, *words: str) -> View:
    """Return somebody's Home tab once it says all of that."""

    def look() -> View | None:
        home = person.home
        is_so = home is not None and all(each in home.everything for each in words)
        return home if is_so else None

    return await town.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)


async def opened(town: Town, person: Person, words: str = "Commands") -> View:
    await person.by_id.open_home()
    return await home_where(town, person, words)


async def window(person: Person, words: str) -> View:
    """Return the window over Home once it says that."""
    while words not in (form := await person.next_form()).everything:
        pass
    return form


def ahead(town: Town) -> None:
    """Let every list be too old to be shown without asking."""
    town.clock.ahead += FRESH_FOR


def buttons(view: Any) -> list[str]:
    return list(view.buttons)


async def test_members_see_domains_admins_settings_too_and_strangers_nothing(shop: Town) -> None:
    home = await opened(shop, shop.bob)
    requests = shop.service_requests()
    guests = await opened(shop, shop.slack.person("gus"))
    strangers = await opened(shop, shop.slack.person("zoe"), "workspace")
    admins = await opened(shop, shop.ada)

    assert "shop.example" in home.everything
    assert "41" in home.everything
    assert "Set-up" not in home.everything
    assert len(requests) == 1
    assert "/domainkey" not in guests.everything
    assert "/domaindigest" not in guests.everything
    assert "shop.example" not in strangers.everything
    assert buttons(strangers) == []
    wanted = {"Replace key", "Rotate key", "Check key", "Managers", "History"}
    assert wanted <= set(buttons(admins))
    assert "No digests yet" in admins.everything
    assert shop.key not in admins.everything


async def test_a_member_without_a_key_reads_whom_to_ask(town: Town) -> None:
    home = await opened(town, town.bob, "not connected")

    assert "ask a workspace admin or owner" in home.everything


@pytest.mark.modes("shared")
async def test_a_key_is_set_from_home_and_home_shows_it(town: Town) -> None:
    town.acme.add("shop.example", health=41)
    home = await opened(town, town.ada, "not connected")
    key = town.acme.create_key("bot", scopes=("read_domains",), days=90)

    await town.ada.press(home, "Set key")
    await town.ada.submit(await town.ada.next_form(), {"API key": key})

    shown = await home_where(town, town.ada, "API key: active", "shop.example")
    assert {"Replace key", "Scan"} <= set(buttons(shown))


@pytest.mark.modes("shared")
async def test_a_scan_from_home_is_read_in_a_window_and_lies_in_the_messages(shop: Town) -> None:
    home = await opened(shop, shop.bob)

    await shop.bob.press(home, "Scan", nth=1)

    shown = await window(shop.bob, "Open messages")
    assert "Scan of shop.example" in shown.everything
    sent = await shop.bob.next_message("dm", TIME_LIMIT_S)
    assert buttons(sent)
    assert "Share" not in buttons(sent)


async def test_what_ends_soon_comes_to_home_with_its_scan(shop: Town) -> None:
    home = await opened(shop, shop.bob, "3 domains were never scanned")
    end = f"{shop.clock() + timedelta(days=21):%Y-%m-%d}"
    shop.tracker.answer_next(body=f'{{"whois": {{"expires": "{end}"}}}}'.encode(), on="scan")

    await shop.bob.press(home, "Scan", nth=1)

    shown = await home_where(shop, shop.bob, "Ends soon", "2 domains were never scanned")
    assert "⚠️ registration expires in 21 days (as scanned just now)" in shown.everything
    assert shown.buttons.count("Scan") == home.buttons.count("Scan") + 1


async def test_a_domain_added_from_home_is_there_at_once(shop: Town) -> None:
    home = await opened(shop, shop.bob)
    await shop.bob.press(home, "Add domain")

    await shop.bob.submit(await shop.bob.next_form(), {"Domain": "fresh.example"})

    assert "Scan" in buttons(await window(shop.bob, "Added "))
    await home_where(shop, shop.bob, "4 domains")


@pytest.mark.modes("shared")
async def test_a_key_checked_from_home_is_said_in_a_window(shop: Town) -> None:
    home = await opened(shop, shop.ada)

    await shop.ada.press(home, "Check key")

    await window(shop.ada, "It sees 3 domains")
    assert shop.ada.messages("dm") == []


async def test_whoever_is_no_manager_any_more_is_refused_and_sees_it(shop: Town) -> None:
    home = await opened(shop, shop.ada)
    shop.ada.member.is_admin = False

    await shop.ada.press(home, "Check key")

    await window(shop.ada, "Only admins and owners")
    left = await home_where(shop, shop.ada, "ask an admin or owner")
    assert "Set-up" not in left.everything


async def test_a_service_that_is_down_leaves_everything_else_on_home(shop: Town) -> None:
    ahead(shop)
    shop.tracker.fail_next("500", times=9)

    home = await opened(shop, shop.ada, "Reference")

    assert {"Refresh", "Replace key"} <= set(buttons(home))
    shop.tracker.faults.clear()
    await shop.ada.press(home, "Refresh")
    await home_where(shop, shop.ada, "shop.example")


async def test_a_workspace_without_the_new_blocks_gets_a_plain_home(shop: Town) -> None:
    shop.slack.refuse_block_types("container")

    home = await opened(shop, shop.ada)

    assert "Why each Slack permission is asked" in home.everything


@pytest.mark.modes("shared")
async def test_a_digest_that_the_bot_pauses_is_said_on_home(shop: Town) -> None:
    await make(shop)
    slot = nine(shop)
    move_to(shop, slot - timedelta(minutes=5))
    await opened(shop, shop.ada, "1 digest")
    shop.slack.archive("general")

    move_to(shop, slot)

    await home_where(shop, shop.ada, "Paused")
