"""Admins choose who may add domains and who may scan; each request asks Slack who it is."""

import pytest

from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import settled
from tests.whole.harness import Harness
from tests.whole.test_home import opened

pytestmark = pytest.mark.transports("http")

MANAGERS = "Admins, owners, and managers"
NO_GUESTS = "Everyone except guests"


async def choose(app: Harness, **who: str) -> str:
    """Choose who may `add` and `scan` in the key's panel; return what it says then."""
    await app.ada.type("/domainkey")
    state = await app.ada.next_message(where=lambda each: "Permissions" in each.buttons)
    await app.ada.press(state, "Permissions")
    fields = {f"Who may {operation} domains": each for operation, each in who.items()}
    delivery = await app.ada.submit(await settled(app.ada), fields)
    assert not delivery.errors, delivery.errors
    return (await settled(app.ada)).everything


async def test_admins_choose_the_people_who_may_add_and_scan(ready: Harness) -> None:
    listed = await ready.ask(ready.bob, "/domains shop.example")
    await ready.bob.type("/scan")
    form = await ready.bob.next_form()
    home = await opened(ready, ready.bob)

    saved = await choose(ready, add=NO_GUESTS, scan=MANAGERS)
    ready.tracker.requests.clear()
    refused = [
        (await ready.ask(ready.bob, "/scan shop.example")).everything,
        (await ready.ask(ready.bob, "/scan")).everything,
        (await ready.press(ready.bob, listed, "Scan")).everything,
    ]
    await ready.bob.submit(form, {"Domain": "shop.example"})
    refused.append((await ready.answer(ready.bob)).everything)
    await ready.bob.press(home, "Refresh")
    home_then = await ready.slack.world.workspace.change_event.until(
        lambda: home if (home := ready.bob.home) and "`/scan`" not in home.everything else None,
        TIME_LIMIT_S,
    )

    assert f"Scan domains: {MANAGERS.lower()}" in saved
    for answer in refused:
        assert "Only admins, owners, and managers can scan domains" in answer
        assert "Admins and owners can change that with `/domainkey`" in answer
    assert "POST" not in [method for method, _ in ready.service_requests()]
    assert ("Scan" in home.buttons, "Scan" in home_then.buttons) == (True, False)
    assert "Added" in (await ready.ask(ready.bob, "/adddomain blog.example")).everything
    assert "Scan of" in (await ready.ask(ready.ada, "/scan shop.example")).everything
    await ready.ada.type("/domainkey")
    state = await ready.ada.next_message(where=lambda each: "History" in each.buttons)
    assert f"Scan domains: {MANAGERS.lower()}" in state.everything
    await ready.ada.press(state, "History")
    history = (await settled(ready.ada)).everything
    assert f"<@{ready.ada.id}> changed who may add and scan" in history


async def test_a_guest_may_add_only_after_an_admin_allows_it(ready: Harness) -> None:
    gus = ready.slack.person("gus")

    refused = await ready.ask(gus, "/adddomain blog.example")
    form = await ready.ask(gus, "/adddomain")
    scanned = await ready.ask(gus, "/scan shop.example")
    offered = [await ready.ask(who, "/scan shop.exmaple") for who in (gus, ready.bob)]
    await choose(ready, add="Everyone", scan=NO_GUESTS)
    added = await ready.ask(gus, "/adddomain blog.example")
    ready.tracker.requests.clear()
    unscanned = await ready.ask(gus, "/scan shop.example")

    assert "Guests can't add domains in this workspace" in refused.everything
    assert "Admins and owners can change that" in form.everything
    assert "Try again" not in refused.buttons
    assert "Scan of" in scanned.everything
    assert ["Add it" in each.buttons for each in offered] == [False, True]
    assert "Added" in added.everything
    assert "Guests can't scan domains" in unscanned.everything
    assert ready.tracker.requests == []


async def test_new_guests_and_unknown_people_may_not_add(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.slack.fail_next("users.info", "internal_error")
    unnamed = await ready.ask(ready.bob, "/adddomain blog.example")
    await ready.bob.type("/adddomain")
    form = await ready.bob.next_form()
    ready.bob.member.is_restricted = True
    refused = await ready.ask(ready.bob, "/adddomain blog.example")
    await ready.bob.submit(form, {"Domain": "blog.example"})
    submitted = await ready.answer(ready.bob)

    assert "Slack" in unnamed.everything
    assert "Guests can't add domains" in refused.everything
    assert "Guests can't add domains" in submitted.everything
    assert "blog.example" not in [each.domain for each in ready.account.domains.values()]


async def test_a_kept_command_is_checked_again_when_it_runs(app: Harness) -> None:
    kept = await app.ask(app.bob, "/adddomain blog.example")
    guest = await app.ask(app.slack.person("gus"), "/adddomain other.example")
    app.bob.member.is_restricted = True

    await app.connect()

    assert "kept your command" in kept.everything
    assert "kept your command" not in guest.everything
    assert "Guests can't add domains" in (await app.answer(app.bob)).everything
    assert app.account.domains == {}
