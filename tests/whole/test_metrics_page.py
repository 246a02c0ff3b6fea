"""What Prometheus reads of a bot that is at work, and who may read it."""

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.whole.digests import at_nine, make
from tests.whole.harness import Harness


@pytest.fixture
def transport() -> str:
    """The page is the same on both stores."""
    return "http"


async def page(app: Harness, token: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        aiohttp.ClientSession() as http,
        http.get(app.url("/metrics"), headers=headers) as answer,
    ):
        return answer.status, await answer.text()


async def test_work_is_counted_without_names(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    await ready.ask(ready.bob, "/scan shop.example")
    _, before = await page(ready)
    await make(ready)
    await at_nine(ready)
    status, text = await page(ready)

    families = {each.name: each for each in text_string_to_metric_families(text)}
    samples = [sample for each in families.values() for sample in each.samples]
    assert status == 200
    assert len(families) > 10
    assert all(each.documentation for each in families.values())
    assert text != before
    assert any("/scan" in sample.labels.values() and sample.value for sample in samples)
    for secret in (ready.slack.team_id, ready.bob.id, "shop.example", ready.key[11:]):
        assert secret not in text
