"""Ten thousand domains: lists, filters, pages and type-ahead answer, and no ack waits for them."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fakes import TIME_LIMIT_S
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("http")

COUNT = 10_000


@pytest.fixture
async def big(app: Harness) -> Harness:
    app.account.fill(COUNT, seed=1)
    await app.connect()
    return app


async def test_ten_thousand_domains_are_listed_and_filtered(big: Harness) -> None:
    names = [each.domain for each in big.account.domains.values()]
    everything = await big.ask(big.bob, "/domains")
    assert "10,000 domains" in everything.everything
    poor = await big.ask(big.bob, "/domains below:50")
    assert "of 10,000" in poor.everything

    last = await big.ask(big.bob, "/domains page:100000")
    assert "Next page" not in last.buttons
    assert "rows 9,9" in last.everything or "–10,000" in last.everything

    near_miss = await big.ask(big.bob, f"/scan {names[5_000]}x")
    assert names[5_000] in near_miss.everything

    await big.bob.type("/scan")
    form = await big.bob.next_form()
    assert len(await big.bob.suggest(form, "Domain", "")) == 100
    assert names[7_777] in await big.bob.suggest(form, "Domain", names[7_777][:12])


async def test_no_ack_waits_for_the_threads_that_make_big_lists(big: Harness) -> None:
    """How soon acks come is measured by `make bench`."""
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
