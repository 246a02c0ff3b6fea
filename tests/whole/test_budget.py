"""The budget meter: what is left of the hour's requests."""

import pytest

from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")


@pytest.mark.transports("shared")
async def test_an_admin_sees_what_is_left_and_what_is_reserved(ready: Harness) -> None:
    await ready.ask(ready.bob, "/scan shop.example")
    await ready.press(ready.ada, await ready.ask(ready.ada, "/domainkey"), "Check key")

    text = (await ready.ask(ready.ada, "/domainkey")).everything

    assert "left this hour, as of" in text
    assert "are reserved for digests" in text
