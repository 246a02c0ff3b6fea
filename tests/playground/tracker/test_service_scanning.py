"""Full scans: service document, section 4.3, over real sockets."""

import pytest

from bot.playground.tracker import Account, Tracker
from bot.playground.tracker.samples.dialects import CHECKLIST, sample_scan
from bot.playground.tracker.samples.facts import Facts
from tests.playground.tracker.conftest import Api, Clock


async def test_a_scan_has_four_sections(api: Api, acme: Account, clock: Clock, key: str) -> None:
    acme.dialect = CHECKLIST
    record = acme.add("shop.example", health=41)

    response = await api.scan(key, record.domain_id)

    assert isinstance(record.health, int)
    facts = Facts("shop.example", clock.now.date(), record.health)
    expected = sample_scan(facts, CHECKLIST)
    assert response.json() == {"domainId": record.domain_id, **expected}


async def test_a_moved_domain_has_another_registrar(api: Api, acme: Account, key: str) -> None:
    record = acme.add("shop.example")
    before = (await api.scan(key, record.domain_id)).json()["whois"]

    record.registrar_moves = record.dns_moves = 1
    after = (await api.scan(key, record.domain_id)).json()["whois"]

    assert after["registrar"] != before["registrar"]
    assert not set(after["nameServers"]) & set(before["nameServers"])


@pytest.mark.parametrize("action", ["quick_scan", "", None, 7, ["full_scan"]])
async def test_another_kind_is_refused(api: Api, acme: Account, key: str, action: object) -> None:
    response = await api.scan(key, acme.add("shop.example").domain_id, action)

    assert (response.status_code, response.json()) == (400, {"error": "action must be full_scan"})


async def test_domains_of_others_cannot_be_scanned(api: Api, tracker: Tracker, key: str) -> None:
    foreign = tracker.account("globex").add("shop.example")

    assert (await api.scan(key, foreign.domain_id)).status_code == 404
