"""`/scan`: every way to name a domain, every way to wait, every way to look at the result."""

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.portfolio.service import FRESH_FOR
from tests.loops import loop_over
from tests.whole.harness import PATIENT, Harness, running_harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]

# The typed forms of contract: all of them mean shop.example.
TYPED = [
    "shop.example",
    "SHOP.example.",
    "http://shop.example/path",
    "<http://shop.example>",
    "<http://shop.example|shop.example>",
    "<https://shop.example/a?b=1&amp;c=2>",
]


@loop_over("typed", TYPED)
async def test_every_typed_form_of_a_domain_is_understood(ready: Harness, typed: str) -> None:
    await ready.bob.type(f"/scan {typed}", verbatim=True)

    assert (await ready.answer(ready.bob)).blocks[0]["text"]["text"] == "Scan of shop.example"


MUNICH = ["münchen.example", "xn--mnchen-3ya.example", "MÜNCHEN.example"]


@loop_over(("listed", "typed"), itertools.product(MUNICH[:2], MUNICH))
async def test_a_name_in_another_script_is_found_both_ways(
    ready: Harness, listed: str, typed: str
) -> None:
    ready.clock.ahead += FRESH_FOR
    items = f'[{{"domain": "{listed}", "domainId": "d1", "healthScore": 5}}]'
    ready.tracker.answer_next(body=items.encode(), on="list")
    ready.tracker.answer_next(body=b'{"dns": {"ttl": 1}}', on="scan")

    answer = await ready.ask(ready.bob, f"/scan {typed}")

    assert "münchen.example" in answer.everything


async def test_a_scan_costs_one_scan_and_the_list_with_the_new_score(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.tracker.requests.clear()

    await ready.ask(ready.bob, "/scan shop.example")

    await ready.ask(ready.bob, "/domains")  # as fresh as the scan

    assert ready.service_requests() == [("POST", "scan"), ("GET", "domain-tracker")]


@pytest.mark.parametrize("fault", ["503", "invalid_key", "empty_200", "rate_limit"])
async def test_a_score_that_cannot_be_asked_for_after_a_scan_is_unknown(
    ready: Harness, fault: str
) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.tracker.fail_next(fault, times=9, on="list")

    answer = await ready.ask(ready.bob, "/scan shop.example")

    assert "Health 41 → unknown" in answer.everything


def make_sick(ready: Harness) -> None:
    """Let the domain have issues and ends that are near, at noon, so that days are days."""
    noon = (ready.clock() + timedelta(days=1)).replace(hour=12)
    ready.clock.ahead += noon - ready.clock()
    issues = [
        *({"severity": "low", "title": f"Low {n}"} for n in range(5)),
        {"severity": "high", "title": "Certificate ends", "recommendation": "Renew *it*"},
        {"severity": "critical", "title": "Listed by <!channel>", "recommendation": "Ask"},
    ]
    records = [{"type": "A", "value": f"192.0.2.{n}", "ttl": 60} for n in range(16)]
    ready.account.scan_results["shop.example"] = {
        "whois": {"expiryDate": f"{noon + timedelta(days=19):%d-%b-%Y}", "registrar": "R"},
        "ssl": {"notAfter": int((noon + timedelta(days=5)).timestamp()), "daysRemaining": 5},
        "dns": {"records": records},
        "security": {"issues": issues},
    }


@pytest.mark.transports("shared")
async def test_m22_the_worst_issue_is_read_first_and_then_what_ends_soon(ready: Harness) -> None:
    make_sick(ready)

    answer = await ready.ask(ready.bob, "/scan shop.example")
    await ready.bob.press(answer, "Show all")
    form = await ready.bob.next_form()

    lines = [
        "Health 41 ",
        "7 issues: 1 critical, 1 high, 5 low",
        "Critical: Listed by <!channel> – Ask",
        "High: Certificate ends – Renew *it*",
        "Low: Low 0",
        "Certificate expires in 5 days",
        "Registration expires in 19 days",
        "WHOIS",
    ]
    for text in (answer.everything, answer.text.replace("&lt;", "<").replace("&gt;", ">")):
        places = [text.index(line) for line in lines]
        assert places == sorted(places)
    assert "16 records" in answer.everything
    assert answer.everything.count("expires in 5 days") == 1
    assert "Low: Low 4" in form.everything
    assert answer.mentions == []


async def test_a_slack_without_new_blocks_gets_the_same_in_the_same_order(ready: Harness) -> None:
    make_sick(ready)
    ready.slack.refuse_block_types("container")

    text = (await ready.ask(ready.bob, "/scan shop.example")).everything

    places = [
        text.index(line)
        for line in ("Critical: Listed", "Certificate expires in 5 days", "DNS  ·  16 records")
    ]
    assert places == sorted(places)


@pytest.mark.transports("socket", "shared")
async def test_m24_what_moves_by_itself_is_no_change_and_a_record_is_one(ready: Harness) -> None:
    records = [{"type": "A", "name": "shop.example", "value": "192.0.2.1", "ttl": 60}]
    dmarc = {"type": "TXT", "name": "_dmarc.shop.example", "value": "v=DMARC1; p=none", "ttl": 60}
    before = {"ssl": {"notAfter": "2040-01-01", "daysRemaining": 9}, "dns": {"records": records}}
    after = {
        "ssl": {"notAfter": "2040-01-01", "daysRemaining": 8},
        "dns": {"records": [dmarc, *({**record, "ttl": 17} for record in records)]},
        "security": {},
    }
    ready.account.scan_results["shop.example"] = before | {"security": {}}
    await ready.ask(ready.bob, "/scan shop.example")
    ready.account.scan_results["shop.example"] = after

    answer = await ready.ask(ready.bob, "/scan shop.example")

    assert "1 other change since" in answer.everything
    assert "new: `TXT, _dmarc.shop.example, v=DMARC1; p=none`" in answer.everything
    assert answer.everything.count("39 → 38") == 1


async def test_the_person_is_told_at_once_that_a_scan_can_take_a_while(ready: Harness) -> None:
    hold = ready.tracker.hold_scans()

    delivery = await ready.bob.type("/scan shop.example")
    first = await ready.bob.next_message()

    assert (delivery.status, delivery.problem) == (200, None)  # although the scan is held
    assert "up to 2 minutes" in first.everything
    hold.release()
    assert "Scan of shop.example" in (await ready.answer(ready.bob)).everything


@pytest.mark.transports("shared")
async def test_a_long_scan_is_mentioned_again_and_then_answered_in_its_place(
    tmp_path: Path, transport: str
) -> None:
    pace = replace(PATIENT, still_waiting_after_s=0.1)
    async with running_harness(tmp_path, transport, pace) as app:
        app.account.add("shop.example", health=41)
        await app.connect()
        hold = app.tracker.hold_scans()

        await app.bob.type("/scan shop.example")
        await app.bob.next_message(where=lambda message: "Still scanning" in message.everything)
        hold.release()
        await app.answer(app.bob)

        assert len(app.bob.messages()) == 1


async def test_a_scan_asked_by_five_people_is_one_request(ready: Harness) -> None:
    hold = ready.tracker.hold_scans()
    people = [ready.slack.person(name) for name in ("ada", "olga", "bob", "cy", "gus")]
    for person in people:
        await person.type("/scan shop.example")
        await person.next_message(where=lambda each: "⏳" in each.everything)
    await hold.waiting(1)
    hold.release()

    answers = await asyncio.gather(*(ready.answer(person) for person in people))

    assert all("Scan of shop.example" in answer.everything for answer in answers)
    assert ready.service_requests().count(("POST", "scan")) == 1


@pytest.mark.transports("shared")
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


@pytest.mark.transports("shared")
async def test_share_shows_the_scan_to_the_channel_and_scans_nothing(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/scan shop.example")
    ready.tracker.requests.clear()

    await ready.bob.press(answer, "Share")
    shared = await ready.slack.person("cy").next_message()

    assert not shared.is_ephemeral
    assert "Scan of shop.example" in shared.everything
    assert shared.mentions == []
    assert ready.tracker.requests == []


@pytest.mark.transports("shared")
async def test_a_near_miss_is_offered_as_a_button_that_scans(ready: Harness) -> None:
    miss = await ready.ask(ready.bob, "/scan shop.exmaple")

    answer = await ready.press(ready.bob, miss, "Scan shop.example")

    assert "Scan of shop.example" in answer.everything


@pytest.mark.transports("shared")
async def test_a_domain_picked_in_the_form_is_scanned(ready: Harness) -> None:
    await ready.bob.type("/scan")
    form = await ready.bob.next_form()

    assert await ready.bob.suggest(form, "Domain", "sho") == ["shop.example"]
    await ready.bob.submit(form, {"Domain": "shop.example"})

    assert "Scan of shop.example" in (await ready.answer(ready.bob)).everything


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
