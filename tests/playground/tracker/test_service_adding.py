"""Adding a domain: service document, section 4.2, over real sockets."""

from typing import Any

import pytest

from bot.playground.tracker import Account
from tests.playground.tracker.conftest import Api


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
