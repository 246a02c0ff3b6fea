"""Digests that keep what they know fresh by scans at night."""

from datetime import timedelta

import pytest

from tests.whole.digests import DAY, make, move_to, nine, until_listed
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket", "shared")]

NIGHT_FIELD = "Scan up to … domains a night"
HOUR = timedelta(hours=1)


def go_to_night(app: Harness) -> None:
    """Let it be half past one in the next night, by the clock of the digests."""
    half_past_one = nine(app) - 7.5 * HOUR
    move_to(app, half_past_one + (DAY if half_past_one <= app.clock() else timedelta()))


def scans_of(app: Harness) -> list[str]:
    """Return the path of each scan that the service was asked for."""
    return [sent.path for sent in app.tracker.requests if sent.method == "POST"]


async def test_d22_a_digest_scans_so_many_domains_a_night_and_says_what_it_cost(
    ready: Harness,
) -> None:
    await make(ready, {NIGHT_FIELD: "2"})
    await make(ready, {NIGHT_FIELD: "1", "Time": "10:00"})
    ready.tracker.requests.clear()

    go_to_night(ready)
    await until_listed(ready, "scanned 2 domains")
    listed = await until_listed(ready, "scanned 1 domain,")

    assert "requests" in listed.everything
    assert len(scans_of(ready)) == len(set(scans_of(ready))) == 3


async def test_d22_a_key_that_is_revoked_in_the_middle_ends_the_night(ready: Harness) -> None:
    await make(ready, {NIGHT_FIELD: "3"})
    ready.tracker.requests.clear()
    held = ready.tracker.hold_scans()

    go_to_night(ready)
    await held.waiting()
    ready.account.revoke_key(ready.key)
    held.release()
    listed = await until_listed(ready, "Stopped")

    assert "no API key that works" in listed.everything
    assert len(scans_of(ready)) <= 2
