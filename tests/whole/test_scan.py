"""`/scan`: every way to name a domain, every way to wait, every way to look at the result."""

from datetime import timedelta

import pytest

from tests.loops import loop_over
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/scan late.example", "Scan of late"),
        ("/scan late.example shop.example", "Scan 2 domains?"),
    ],
)
async def test_a_domain_added_elsewhere_is_found(ready: Harness, line: str, words: str) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.account.add("late.example")
    ready.clock.ahead += timedelta(seconds=6)

    answer = await ready.ask(ready.bob, line)

    assert words in answer.everything


@loop_over("line", ["/scan none.example", "/scan none.example shop.example"])
async def test_the_list_is_refreshed_before_a_domain_is_unknown(ready: Harness, line: str) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.clock.ahead += timedelta(seconds=6)
    ready.tracker.requests.clear()

    answer = await ready.ask(ready.bob, line)
    first = ready.service_requests()
    await ready.ask(ready.bob, line)

    assert "not in your portfolio" in answer.everything
    assert first == ready.service_requests() == [("GET", "domain-tracker")]


async def test_a_name_that_is_longer_than_an_option_s_value_is_picked_too(ready: Harness) -> None:
    long = f"{'.'.join(['a' * 60] * 3)}.example"
    ready.account.add(long)
    await ready.bob.type("/scan")
    form = await ready.bob.next_form()
    [offered] = await ready.bob.suggest(form, "Domain", "aaa")

    await ready.bob.submit(form, {"Domain": offered})

    scan = await ready.answer(ready.bob)
    assert f"Scan of {long[:60]}" in scan.everything
    assert ready.service_requests()[-2] == ("POST", "scan")
    again = await ready.bob.type("/scan")
    assert again.status == 200
    form = await ready.bob.next_form()
    await ready.bob.submit(form, {"Domain": [offered, "shop.example"]})
    assert "Scan 2 domains?" in (await ready.answer(ready.bob)).everything


@pytest.mark.transports("http")
async def test_everything_of_a_section_opens_in_a_form_with_pages(ready: Harness) -> None:
    ready.account.scan_results["shop.example"] = {"dns": {f"name{n}": n for n in range(100)}}
    answer = await ready.ask(ready.bob, "/scan shop.example")

    await ready.bob.press(answer, "Show all")
    first = await ready.bob.next_form()
    await ready.bob.press(first, "Next page")
    second = await ready.bob.next_form()

    assert "Name0" in first.everything
    assert "100 records, page 1 of 3" in first.everything
    assert "Name40" in second.everything
    assert "page 2 of 3" in second.everything


@pytest.mark.transports("http")
async def test_share_shows_the_scan_to_the_channel_and_scans_nothing(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/scan shop.example")
    ready.tracker.requests.clear()

    await ready.bob.press(answer, "Share")
    shared = await ready.slack.person("cy").next_message()

    assert not shared.is_ephemeral
    assert "Scan of shop.example" in shared.everything
    assert shared.mentions == []
    assert ready.tracker.requests == []


@pytest.mark.transports("http")
async def test_a_near_miss_is_offered_as_a_button_that_scans(ready: Harness) -> None:
    miss = await ready.ask(ready.bob, "/scan shop.exmaple")

    answer = await ready.press(ready.bob, miss, "Scan shop.example")

    assert "Scan of shop.example" in answer.everything


async def test_a_picker_says_when_the_service_does_not_answer(ready: Harness) -> None:
    ready.tracker.fail_next("invalid_key", on="list")
    await ready.bob.type("/scan")
    form = await ready.bob.next_form()

    options = await ready.bob.suggest(form, "Domain", "")

    assert options == ["Domain Tracker does not answer right now"]


async def test_a_domain_without_an_id_cannot_be_scanned_and_says_so(ready: Harness) -> None:
    ready.tracker.answer_next(body=b'[{"domain": "odd.example", "healthScore": 5}]', on="list")

    answer = await ready.ask(ready.bob, "/scan odd.example")

    assert "without an ID" in answer.everything
