"""The list, and the paths that are not there: service document, section 4, over real sockets."""

import pytest

from bot.playground.tracker import NO_SCORE, Account
from tests.playground.tracker.conftest import LIST, Api, bearer

pytestmark = pytest.mark.anyio


async def test_the_list_is_an_array_of_domain_objects(api: Api, acme: Account, key: str) -> None:
    record = acme.add("shop.example", health=41, tags=("prod",), folder="Shops")

    response = await api.list(key)

    assert response.headers["Content-Type"].startswith("application/json")
    assert response.json() == [record.as_json()]


async def test_odd_scores_are_listed_as_they_are(api: Api, acme: Account, key: str) -> None:
    for place, health in enumerate([NO_SCORE, None, "41", -1, float("nan")]):
        acme.add(f"d{place}.example", health=health)

    text = (await api.list(key)).text

    assert text.count("healthScore") == 4
    assert '"healthScore": NaN' in text


async def test_a_list_request_with_a_body_is_refused(api: Api, key: str) -> None:
    response = await api.http.request("GET", LIST, headers=bearer(key), json={})

    assert response.status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/", 404, id="root"),
        pytest.param("GET", LIST + "/", 404, id="trailing-slash"),
        pytest.param("DELETE", LIST, 405, id="delete"),
        pytest.param("HEAD", LIST, 405, id="head"),
        pytest.param("GET", LIST + "/x/scan", 405, id="get-a-scan"),
        pytest.param("POST", LIST + "//scan", 404, id="scan-without-id"),
    ],
)
async def test_what_is_not_in_the_document_is_not_there(
    api: Api, key: str, method: str, path: str, status: int
) -> None:
    response = await api.http.request(method, path, headers=bearer(key))

    assert response.status_code == status
