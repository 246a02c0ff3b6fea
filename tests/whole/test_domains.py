"""`/domains`: the list, its filters, its pages, what is shared."""

import asyncio
import csv
import json
from datetime import timedelta
from typing import Any

import pytest

from bot.domains.kept_facts import ANSWERED_WITHIN_S, KNOWN_FOR_S, FactsRepository, KeptFacts
from bot.playground.slack import Message
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")


def rows(message: Message) -> list[list[str]]:
    table = next(block for block in message.blocks if block["type"] == "data_table")
    return [[cell["text"] for cell in row] for row in table["rows"][1:]]


async def test_an_outage_shows_the_last_list_with_its_age(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.clock.ahead += timedelta(hours=2, minutes=1)
    ready.tracker.fail_next("503", times=9, on="list")

    answer = await ready.ask(ready.bob, "/domains tag:prod")
    ready.tracker.faults.clear()

    first = answer.blocks[0]["text"]["text"]
    assert first.startswith("⚠️ Domain Tracker is unavailable. This list is from <!date^")
    assert first.endswith(", 2 hours ago.")
    assert answer.text.startswith("Domain Tracker is unavailable. This list is from")
    assert [row[0] for row in rows(answer)] == ["shop.example", "www.example"]

    again = await ready.press(ready.bob, answer, "Try again")

    assert "unavailable" not in again.everything
    assert [row[0] for row in rows(again)] == ["shop.example", "www.example"]


@pytest.mark.transports("http")
async def test_pages_take_each_others_place(ready: Harness) -> None:
    ready.account.fill(70, seed=1)
    first = await ready.ask(ready.bob, "/domains")
    assert "page 1 of 3" in first.everything

    second = await ready.press(ready.bob, first, "Next page")
    third = await ready.press(ready.bob, second, "Next page")

    assert "page 3 of 3" in third.everything
    assert len(ready.bob.messages()) == 1
    assert len({row[0] for page in (first, second, third) for row in rows(page)}) == 73


@pytest.mark.transports("http")
async def test_an_export_waits_for_the_dates(
    ready: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ready.ask(ready.bob, "/scan shop.example")
    answer = await ready.ask(ready.bob, "/domains shop")
    get = FactsRepository.get

    async def slowly(*args: Any) -> dict[str, KeptFacts]:
        await asyncio.sleep(3 * ANSWERED_WITHIN_S)
        return await get(*args)

    monkeypatch.setattr(FactsRepository, "get", slowly)
    await asyncio.sleep(2 * KNOWN_FOR_S)
    await ready.press(ready.bob, answer, "Export CSV")

    sent = await ready.bob.next_message("dm")
    [row] = csv.DictReader((await ready.bob.download(sent)).decode("utf-8-sig").splitlines())
    assert row["scanned at (UTC)"]


@pytest.mark.transports("http")
async def test_the_filtered_list_is_exported_as_a_private_csv_file(ready: Harness) -> None:
    ready.account.add("=cmd.example", health=3, tags=("prod",))
    answer = await ready.ask(ready.bob, "/domains tag:prod sort:name")

    said = await ready.press(ready.bob, answer, "Export CSV")

    sent = await ready.bob.next_message("dm")
    read = csv.reader((await ready.bob.download(sent)).decode("utf-8-sig").splitlines())
    assert [row[:3] for row in read] == [
        ["name", "score", "rating"],
        ["'=cmd.example", "3", "poor"],
        ["shop.example", "41", "poor"],
        ["www.example", "97", "good"],
    ]
    assert "Your list of 3 domains" in sent.everything
    name = f"domains-{ready.clock():%Y-%m-%d}-tag-prod-sort-name.csv"
    assert f"{name}` with 3 domains" in said.everything
    assert said.is_ephemeral


@pytest.mark.transports("http")
async def test_share_shows_the_same_list_to_the_channel(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/domains tag:prod")

    await ready.bob.press(answer, "Share")
    shared = await ready.slack.person("cy").next_message()

    assert rows(shared) == rows(answer)
    assert not shared.is_ephemeral
    assert shared.mentions == []
    assert "Shared by" in shared.everything
    assert shared.buttons == []


async def test_who_shares_reads_once_that_another_company_reads_along(ready: Harness) -> None:
    ready.slack.channel("general").is_shared = True
    answer = await ready.ask(ready.bob, "/domains tag:prod")
    assert "another company" not in answer.everything

    note = await ready.press(ready.bob, answer, "Share")
    if not note.is_ephemeral:
        note = await ready.answer(ready.bob)
    await ready.bob.press(await ready.ask(ready.bob, "/domains tag:eu"), "Share")
    await ready.ask(ready.bob, "/domains tag:nope")

    assert "People from another company are in this channel" in note.everything
    shown = " ".join(message.everything for message in ready.bob.messages())
    assert shown.count("People from another company") == 1


async def test_people_of_other_companies_get_nothing_in_shared_channels(ready: Harness) -> None:
    ready.slack.world.strangers_may_type = True

    answer = await ready.ask(ready.slack.person("zoe"), "/domains", channel="shared")

    assert "shop.example" not in answer.everything
    assert "Only members of the workspace" in answer.everything
    assert ready.service_requests() == []


async def test_ends_and_issues_are_listed_and_filtered(ready: Harness) -> None:
    in_days = [ready.clock() + timedelta(days=days) for days in (8, 100)]
    for name, end in zip(("shop", "www"), in_days, strict=True):
        issue = {"severity": "high", "title": "Old software"}
        scan = {"ssl": {"notAfter": f"{end:%Y-%m-%d}"}, "security": {"issues": [issue]}}
        ready.tracker.answer_next(body=json.dumps(scan).encode(), on="scan")
        await ready.ask(ready.bob, f"/scan {name}.example")
    ready.clock.ahead += timedelta(days=3)

    everything = await ready.ask(ready.bob, "/domains sort:expiry")
    soon = await ready.ask(ready.bob, "/domains expires:30")
    by_issue = await ready.ask(ready.bob, "/domains issues:high sort:name")

    assert [row[:3] for row in rows(everything)] == [  # the dates before the score
        ["shop.example", "–", "🔴 5 days"],
        ["www.example", "–", "97 days"],
        ["new.example", "–", "–"],
    ]
    assert "End dates as of 3 days ago" in everything.everything
    assert "Both dates known for 0 of 3 domains, issues for 2." in everything.everything
    assert [row[0] for row in rows(soon)] == ["shop.example"]
    assert "shop.example, Certificate 5 days" in soon.text
    assert [row[:1] + row[2:4] for row in rows(by_issue)] == [
        ["shop.example", "–", "🔴 5 days"],
        ["www.example", "–", "97 days"],
    ]
