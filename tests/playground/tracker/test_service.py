"""Adding a domain: service document, section 4.2, over real sockets.

What the tracker remembers of requests, and that a key is nowhere in it.
Full scans: service document, section 4.3, over real sockets.
"""

from typing import Any

import pytest

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import LIST, Api


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param({"domain": None}, "domain is required", id="null-domain"),
        pytest.param({"domain": ["a.example"]}, "domain is required", id="list-of-domains"),
        pytest.param({"domain": "localhost"}, "domain must be a domain name", id="single-label"),
        pytest.param({"domain": "https://a.example"}, "domain must be", id="url"),
        pytest.param({"domainType": None}, "domainType is required", id="null-type"),
        pytest.param({"domainType": " "}, "domainType is required", id="blank-type"),
        pytest.param({"tags": "prod"}, "tags must be an array", id="tags-as-text"),
        pytest.param({"tags": None}, "tags must be an array", id="null-tags"),
        pytest.param({"tags": ["a", 7]}, "tags must be an array", id="a-number-among-tags"),
        pytest.param({"folder": 7}, "folder must be a string", id="folder-as-number"),
        pytest.param({"folder": None}, "folder must be a string", id="null-folder"),
        pytest.param({"tag": ["prod"]}, "Unknown fields: tag", id="misspelt-field"),
    ],
)
async def test_a_wrong_domain_is_not_added(
    api: Api, acme: Account, key: str, body: dict[str, Any], message: str
) -> None:
    response = await api.add(key, **body)

    assert response.status_code == 400
    assert response.json()["error"].startswith(message)
    assert acme.domains == {}


@pytest.mark.parametrize("again", ["shop.example", "SHOP.EXAMPLE"])
async def test_a_duplicate_is_refused(api: Api, acme: Account, key: str, again: str) -> None:
    acme.add("shop.example")

    response = await api.add(key, domain=again)

    assert response.status_code == 409
    assert response.json() == {"error": "shop.example is in the portfolio already"}
    assert len(acme.domains) == 1


async def test_no_key_is_logged(api: Api, tracker: Tracker, acme: Account, key: str) -> None:
    await api.scan(key, key, f"my key is {key}!")
    await api.http.get(LIST, params={"key": key})
    acme.delete_key(key)
    await api.list(key)

    seen = repr((tracker, tracker.requests, acme, acme.keys, vars(acme)))
    assert len(tracker.requests) == 3
    assert key[11:] not in seen


async def test_a_moved_domain_has_another_registrar(api: Api, acme: Account, key: str) -> None:
    record = acme.add("shop.example")
    before = (await api.scan(key, record.domain_id)).json()["whois"]

    record.registrar_moves = record.dns_moves = 1
    after = (await api.scan(key, record.domain_id)).json()["whois"]

    assert after["registrar"] != before["registrar"]
    assert not set(after["nameServers"]) & set(before["nameServers"])


async def test_domains_of_others_cannot_be_scanned(api: Api, tracker: Tracker, key: str) -> None:
    foreign = tracker.account("globex").add("shop.example")

    assert (await api.scan(key, foreign.domain_id)).status_code == 404
