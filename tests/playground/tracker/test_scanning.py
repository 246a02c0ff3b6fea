"""Full scans: service document, section 4.3, over real sockets."""

import asyncio
from urllib.parse import quote

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


async def test_a_scan_shows_in_the_next_list(api: Api, acme: Account, key: str) -> None:
    record = acme.add("shop.example", health=41)

    await api.scan(key, record.domain_id)

    [item] = (await api.list(key)).json()
    assert item["healthScore"] == record.health != 41


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


@pytest.mark.parametrize("domain_id", ["a/b", "a b?c=d#e", "ünïcode", "..", "100%"])
async def test_an_id_may_hold_any_characters(
    api: Api, acme: Account, key: str, domain_id: str
) -> None:
    acme.add("shop.example", domain_id=domain_id)

    # httpx folds a bare "..", as every client must: https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4
    escaped = quote(domain_id, safe="").replace("..", "%2E%2E")

    assert (await api.scan(key, escaped)).status_code == 200


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


async def test_a_hold_says_when_enough_scans_have_arrived(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    domain_id, hold = acme.add("shop.example").domain_id, tracker.hold_scans()
    both = asyncio.create_task(hold.waiting(2))

    first = asyncio.create_task(api.scan(key, domain_id))
    await hold.waiting(1)
    await asyncio.sleep(0)  # a turn for the other waiter, if it was woken
    assert not both.done()
    second = asyncio.create_task(api.scan(key, domain_id))
    await both

    hold.release()
    await asyncio.gather(first, second)


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


@pytest.mark.parametrize("knob", ["latency_s", "scan_latency_s"])
async def test_answers_can_be_slow(
    api: Api, tracker: Tracker, acme: Account, key: str, knob: str
) -> None:
    setattr(tracker, knob, 0.05)
    began_s = asyncio.get_running_loop().time()

    await api.scan(key, acme.add("shop.example").domain_id)

    assert asyncio.get_running_loop().time() - began_s >= 0.05
