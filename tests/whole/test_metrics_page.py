"""What Prometheus reads of a bot that is at work, and who may read it."""

from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from tests.whole.digests import at_nine, make
from tests.whole.harness import Harness, running_bot, running_stand_ins

pytestmark = pytest.mark.transports("http")

TOKEN = "a-token-of-enough-letters"


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


async def test_metrics_need_the_token(tmp_path: Path) -> None:
    async with running_stand_ins(tmp_path, "http") as app:
        more = {"metrics_token": SecretStr(TOKEN)}
        app.settings = app.settings.model_copy(update=more)
        async with running_bot(app):
            answers = [(await page(app, token))[0] for token in ("", "another", TOKEN)]

    assert answers == [401, 401, 200]
