"""The budget meter: what is left of the hour's requests, and who used the others."""

import pytest

from tests.whole.digests import at_nine, make
from tests.whole.town import Town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


@pytest.mark.modes("shared")
async def test_an_admin_sees_what_is_left_and_who_used_it(shop: Town) -> None:
    await shop.ask(shop.bob, "/scan shop.example")
    await shop.press(shop.ada, await shop.ask(shop.ada, "/domainkey"), "Check key")

    told = (await shop.ask(shop.ada, "/domainkey")).everything

    bob = shop.bob.member.id
    assert "left this hour, as of" in told
    assert "are reserved for digests" in told
    assert f"<@{bob}> 3" in told  # the list, the scan, and the list with the new score
    assert "checks of the key 2" in told  # when it was set, and now


@pytest.mark.modes("shared")
async def test_a_digest_is_counted_for_its_channel(shop: Town) -> None:
    await make(shop)
    await at_nine(shop)

    await shop.ada.type("/domainkey")
    state = await shop.ada.next_message(where=lambda each: "API key:" in each.everything)

    assert "digests of <#" in state.everything


async def test_members_are_told_who_can_see_what_used_the_requests(shop: Town) -> None:
    shop.tracker.retry_after_s = 90
    shop.tracker.fail_next("rate_limit")

    to_bob = await shop.ask(shop.bob, "/domains")
    to_ada = await shop.ask(shop.ada, "/domains")

    bob = shop.bob.member.id
    assert "can see what used them with `/domainkey`" in to_bob.everything
    assert bob not in to_bob.everything
    assert f"<@{bob}> 1" in to_ada.everything
