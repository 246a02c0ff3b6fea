"""Full scans: service document, section 4.3, over real sockets."""

import asyncio

import pytest

from bot.playground.tracker import Account, Tracker
from bot.playground.tracker.samples import sample_scan
from tests.playground.tracker.conftest import Api, Clock

pytestmark = pytest.mark.anyio


async def test_a_scan_answers_with_the_id_and_the_four_sections(
    api: Api, acme: Account, clock: Clock, key: str
) -> None:
    record = acme.add("shop.example", health=41)

    response = await api.scan(key, record.domain_id)

    expected = sample_scan("shop.example", today=clock.now.date(), health=record.health)
    assert response.json() == {"domainId": record.domain_id, **expected}


@pytest.mark.parametrize("action", ["quick_scan", "", None, 7, ["full_scan"]])
async def test_a_scan_of_another_kind_is_refused(
    api: Api, acme: Account, key: str, action: object
) -> None:
    response = await api.scan(key, acme.add("shop.example").domain_id, action)

    assert (response.status_code, response.json()) == (400, {"error": "action must be full_scan"})


async def test_an_unknown_domain_cannot_be_scanned(api: Api, key: str) -> None:
    response = await api.scan(key, "dom_nowhere")

    assert (response.status_code, response.json()) == (404, {"error": "Domain not found"})


async def test_a_domain_of_another_account_cannot_be_scanned(
    api: Api, tracker: Tracker, key: str
) -> None:
    foreign = tracker.account("globex").add("shop.example")

    assert (await api.scan(key, foreign.domain_id)).status_code == 404


async def test_held_scans_wait_until_they_are_released(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    ids = [acme.add(name).domain_id for name in ("a.example", "b.example")]
    hold = tracker.hold_scans()

    scans = [asyncio.create_task(api.scan(key, domain_id)) for domain_id in ids]
    await hold.waiting(2)
    assert [request.status for request in tracker.requests] == [None, None]
    hold.release()

    assert [reply.status_code for reply in await asyncio.gather(*scans)] == [200, 200]


async def test_requests_of_every_kind_can_be_held(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    domain_id, hold = acme.add("shop.example").domain_id, tracker.hold_requests()

    asked = [
        asyncio.create_task(each)
        for each in (api.list(key), api.add(key, domain="b.example"), api.scan(key, domain_id))
    ]
    await hold.waiting(3)
    assert [request.status for request in tracker.requests] == [None] * 3
    hold.release()

    assert [reply.status_code for reply in await asyncio.gather(*asked)] == [200, 201, 200]
