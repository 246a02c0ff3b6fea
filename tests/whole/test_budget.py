"""The budget meter: what is left of the hour's requests, and who used the others."""

import pytest

from tests.whole.digests import at_nine, make
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


@pytest.mark.transports("shared")
async def test_an_admin_sees_what_is_left_and_who_used_it(ready: Harness) -> None:
    await ready.ask(ready.bob, "/scan shop.example")
    await ready.press(ready.ada, await ready.ask(ready.ada, "/domainkey"), "Check key")

    text = (await ready.ask(ready.ada, "/domainkey")).everything

    bob = ready.bob.member.id
    assert "left this hour, as of" in text
    assert "are reserved for digests" in text
    assert f"<@{bob}> 3" in text  # the list, the scan, and the list with the new score
    assert "key checks 2" in text  # when it was set, and now


@pytest.mark.transports("shared")
async def test_a_digest_is_counted_for_its_channel(ready: Harness) -> None:
    await make(ready)
    await at_nine(ready)

    await ready.ada.type("/domainkey")
    state = await ready.ada.next_message(where=lambda each: "API key:" in each.everything)

    assert "digests of <#" in state.everything
