"""Full scans: service document, section 4.3, over real sockets."""

import pytest

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import Api

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("action", ["quick_scan", "", None, 7, ["full_scan"]])
async def test_a_scan_of_another_kind_is_refused(
    api: Api, acme: Account, key: str, action: object
) -> None:
    response = await api.scan(key, acme.add("shop.example").domain_id, action)

    assert (response.status_code, response.json()) == (400, {"error": "action must be full_scan"})


async def test_a_domain_of_another_account_cannot_be_scanned(
    api: Api, tracker: Tracker, key: str
) -> None:
    foreign = tracker.account("globex").add("shop.example")

    assert (await api.scan(key, foreign.domain_id)).status_code == 404
