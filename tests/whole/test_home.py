"""The Home tab, from its event to what stands there, in a workspace with the whole bot."""

import pytest

from bot.playground.slack import Person, View
from tests.fakes import TIME_LIMIT_S
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")


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


async def test_a_first_conversation_is_greeted_once(ready: Harness) -> None:
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
    home = await opened(ready, ready.bob, "shop.example")
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
    assert strangers.buttons == []
    wanted = {"Replace key", "Check key", "Managers", "History"}
    assert wanted <= set(admins.buttons)
    assert "No digests yet" in admins.everything
    assert ready.key not in admins.everything


@pytest.mark.transports("http")
async def test_a_key_is_set_from_home_and_home_shows_it(app: Harness) -> None:
    app.account.add("shop.example", health=41)
    home = await opened(app, app.ada, "not connected")
    key = app.account.create_key("bot", scopes=("read_domains",), days=90)

    await app.ada.press(home, "Set key")
    await app.ada.submit(await app.ada.next_form(), {"API key": key})

    offered = await window(app.ada, "Nightly scans are on")
    await app.ada.press(offered, "Make a digest")
    form = await window(app.ada, "Post a scheduled health summary")
    shown = await home_where(app, app.ada, "API key: active", "shop.example")
    assert {"Scan all 1", "Make a digest"} <= set(offered.buttons)
    assert "Save" in form.everything
    assert {"Replace key", "Scan", "Scan all 1", "Stop nightly scans"} <= set(shown.buttons)
    assert "each domain about every night" in shown.everything


@pytest.mark.transports("http")
async def test_a_scan_from_home_is_shown_in_a_window(ready: Harness) -> None:
    home = await opened(ready, ready.bob)

    await ready.bob.press(home, "Scan", nth=1)

    shown = await window(ready.bob, "Open messages")
    assert "Scan of shop.example" in shown.everything
    sent = await ready.bob.next_message("dm", TIME_LIMIT_S)
    assert sent.buttons
    assert "Share" not in sent.buttons


async def test_a_workspace_without_the_new_blocks_gets_a_plain_home(ready: Harness) -> None:
    ready.slack.refuse_block_types("container")

    home = await opened(ready, ready.ada)

    assert "Why the app needs each permission" in home.everything
