"""Ten thousand domains: lists, filters, pages and type-ahead answer, and no ack waits for them."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.playground.slack import Message
from tests.fakes import TIME_LIMIT_S
from tests.whole.town import Town, running_town

pytestmark = pytest.mark.anyio

COUNT = 10_000


@pytest.fixture(params=["socket", "http"])
async def big(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Town]:
    async with running_town(tmp_path, str(request.param)) as town:
        town.acme.fill(COUNT, seed=1)
        await town.connect()
        yield town


def names(message: Message) -> list[str]:
    table = next(block for block in message.blocks if block["type"] == "data_table")
    return [row[0]["text"] for row in table["rows"][1:]]


async def test_ten_thousand_domains_are_listed_filtered_and_paged(big: Town) -> None:
    everything = await big.ask(big.bob, "/domains")
    assert "10,000 domains" in everything.everything
    poor = await big.ask(big.bob, "/domains below:50")
    assert "of 10,000" in poor.everything

    last = await big.ask(big.bob, "/domains page:100000")

    assert "Next page" not in last.buttons
    assert "rows 9,9" in last.everything or "–10,000" in last.everything


async def test_type_ahead_answers_in_ten_thousand(big: Town) -> None:
    wanted = list(big.acme.domains.values())[7_777].domain
    await big.bob.type("/scan")
    form = await big.bob.next_form()

    assert len(await big.bob.suggest(form, "Domain", "")) == 100
    assert wanted in await big.bob.suggest(form, "Domain", wanted[:12])


async def test_a_near_miss_is_found_in_ten_thousand(big: Town) -> None:
    wanted = list(big.acme.domains.values())[5_000].domain

    answer = await big.ask(big.bob, f"/scan {wanted}x")

    assert wanted in answer.everything


async def test_no_ack_waits_for_the_threads_that_make_big_lists(big: Town) -> None:
    """How soon acks come is measured in `tests/benchmarks/acks.py`."""
    threads, may_go_on = ThreadPoolExecutor(1), threading.Event()
    asyncio.get_running_loop().set_default_executor(threads)
    await big.ask(big.ada, "/domains")
    threads.submit(may_go_on.wait, TIME_LIMIT_S)

    people = [big.slack.person(name) for name in ("olga", "bob", "cy", "gus")]
    deliveries = [await person.type("/domains above:1") for person in people]
    said = [person.messages() for person in people]
    may_go_on.set()
    answers = [await big.answer(person) for person in people]

    assert {(sent.status, sent.problem) for sent in deliveries} == {(200, None)}
    assert said == [[]] * len(people)
    assert all("of 10,000" in answer.everything for answer in answers)
