"""`/domains`: the list, its filters, its pages, what is shared."""

import asyncio
import json
from datetime import timedelta

import pytest

from bot.playground.slack import Message
from bot.portfolio.service import FRESH_FOR
from tests.loops import loop_over
from tests.whole.town import Town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


def rows(message: Message) -> list[list[str]]:
    table = next(block for block in message.blocks if block["type"] == "data_table")
    return [[cell["text"] for cell in row] for row in table["rows"][1:]]


async def test_the_worst_come_first_below_their_count_average_and_bands(shop: Town) -> None:
    answer = await shop.ask(shop.bob, "/domains")

    assert [row[:2] for row in rows(answer)] == [
        ["shop.example", "41"],
        ["www.example", "97"],
        ["new.example", "–"],
    ]
    assert answer.blocks[0]["text"]["text"] == "3 domains, average health 69"
    assert "1 poor" in answer.everything
    assert answer.text.startswith("3 domains, average health 69: 1 poor, 1 good, 1 unknown.")
    assert answer.is_ephemeral


@loop_over(
    ("typed", "names"),
    [
        ("shop", ["shop.example"]),
        ("tag:prod", ["shop.example", "www.example"]),
        ("tag:PROD tag:eu", ["shop.example"]),
        ('folder:"web shops"', ["shop.example"]),
        ("folder:“web shops”", ["shop.example"]),
        ("below:70", ["shop.example"]),
        ("above:90", ["www.example"]),
        ("type:owned sort:name", ["new.example", "shop.example", "www.example"]),
        ("http://www.example/", ["www.example"]),
        ("tag: prod", ["shop.example", "www.example"]),
        ("tag:prod, tag:eu", ["shop.example"]),
    ],
)
async def test_filters_choose(shop: Town, typed: str, names: list[str]) -> None:
    answer = await shop.ask(shop.bob, f"/domains {typed}")

    assert [row[0] for row in rows(answer)] == names


async def test_everything_not_understood_or_contradictory_is_named_at_once(shop: Town) -> None:
    answer = await shop.ask(shop.bob, "/domains tag:prod below:abc colour:red sort:age above:101")
    contradiction = await shop.ask(shop.bob, "/domains below:30 above:60")

    for part in ("below:abc", "colour:red", "sort:age", "above:101"):
        assert f"`{part}` – " in answer.everything
    assert "Understood: `tag:prod`" in answer.everything
    assert "no score is both" in contradiction.everything
    assert shop.tracker.requests == []


async def test_a_tag_that_nobody_uses_is_answered_with_those_in_use(shop: Town) -> None:
    answer = await shop.ask(shop.bob, "/domains tag:prdo")

    assert "In use: `eu`, `prod`" in answer.everything


async def test_an_empty_portfolio_leads_to_the_first_domain(town: Town) -> None:
    await town.connect()

    answer = await town.ask(town.bob, "/domains")

    assert "no domains" in answer.everything
    assert answer.buttons == ["Add domain"]


async def test_a_fresh_list_costs_no_request_and_an_old_one_costs_one(shop: Town) -> None:
    await shop.ask(shop.bob, "/domains")
    await shop.ask(shop.ada, "/domains tag:prod")
    assert shop.service_requests() == [("GET", "domain-tracker")]

    shop.clock.ahead += shop.clock.ahead.resolution * 61_000_000
    await shop.ask(shop.bob, "/domains")

    assert len(shop.service_requests()) == 2


async def test_many_who_ask_at_once_cost_one_request(shop: Town) -> None:
    shop.tracker.latency_s = 0.2
    people = [shop.slack.person(name) for name in ("ada", "olga", "bob", "cy", "gus")]

    await asyncio.gather(*(shop.ask(person, "/domains") for person in people))

    assert len(shop.service_requests()) == 1


@loop_over("kind", ["503", "drop"])
async def test_while_the_service_is_unavailable_the_last_list_is_shown_with_its_age(
    shop: Town, kind: str
) -> None:
    await shop.ask(shop.bob, "/domains")
    shop.clock.ahead += timedelta(hours=2, minutes=1)
    shop.tracker.fail_next(kind, times=9, on="list")

    answer = await shop.ask(shop.bob, "/domains tag:prod")
    shop.tracker.faults.clear()

    first = answer.blocks[0]["text"]["text"]
    assert first.startswith("⚠️ Domain Tracker is unavailable. This is the list of <!date^")
    assert first.endswith(", 2 hours ago.")
    assert answer.text.startswith("Domain Tracker is unavailable. This is the list of")
    assert [row[0] for row in rows(answer)] == ["shop.example", "www.example"]

    again = await shop.press(shop.bob, answer, "Try again")

    assert "unavailable" not in again.everything
    assert [row[0] for row in rows(again)] == ["shop.example", "www.example"]


async def test_the_last_list_of_another_account_is_not_shown(shop: Town) -> None:
    await shop.ask(shop.bob, "/domains")
    await shop.submit_key(shop.tracker.account("other").create_key("bot", days=90))
    shop.clock.ahead += FRESH_FOR
    shop.tracker.fail_next("503", times=9)

    answer = await shop.ask(shop.bob, "/domains")

    assert "Domain Tracker is unavailable" in answer.everything


@pytest.mark.modes("shared")
async def test_pages_take_each_others_place(shop: Town) -> None:
    shop.acme.fill(70, seed=1)
    first = await shop.ask(shop.bob, "/domains")
    assert "page 1 of 3" in first.everything

    second = await shop.press(shop.bob, first, "Next page")
    third = await shop.press(shop.bob, second, "Next page")

    assert "page 3 of 3" in third.everything
    assert len(shop.bob.messages()) == 1
    assert len({row[0] for page in (first, second, third) for row in rows(page)}) == 73


async def test_the_bot_turns_the_pages_and_the_table_has_none_of_its_own(shop: Town) -> None:
    shop.acme.fill(230, seed=1)
    first = await shop.ask(shop.bob, "/domains sort:name")

    await shop.bob.choose(first, "Go to page", "Page 7")
    seventh = await shop.answer(shop.bob)

    assert "page 7 of 10" in seventh.everything
    assert len(shop.bob.messages()) == 1
    for message in (first, seventh):
        [table] = [block for block in message.blocks if block["type"] == "data_table"]
        assert table["page_size"] == len(rows(message)) == 25
        assert "sorts this page only" in message.everything
    names = [row[0] for row in rows(first) + rows(seventh)]
    assert names == sorted(names)


@pytest.mark.modes("shared")
async def test_share_shows_the_same_list_to_the_channel(shop: Town) -> None:
    answer = await shop.ask(shop.bob, "/domains tag:prod")

    await shop.bob.press(answer, "Share")
    shared = await shop.slack.person("cy").next_message()

    assert rows(shared) == rows(answer)
    assert not shared.is_ephemeral
    assert shared.mentions == []
    assert "Shared by" in shared.everything
    assert shared.buttons == []


async def test_share_works_where_the_bot_is_no_member(shop: Town) -> None:
    answer = await shop.ask(shop.bob, "/domains", channel="random")

    await shop.bob.press(answer, "Share")

    shared = await shop.slack.person("cy").next_message(channel="random")
    assert "3 domains" in shared.everything


async def test_odd_entries_of_the_list_are_shown_or_counted(shop: Town) -> None:
    items = (
        b'[{"domain": "a.example"}, null, {"domain": null}, 5, {"domain": "b.example", "tags": 7}]'
    )
    shop.tracker.answer_next(body=items, on="list")

    answer = await shop.ask(shop.bob, "/domains")

    assert [row[0] for row in rows(answer)] == ["a.example", "b.example"]
    assert "3 entries without a name left out" in answer.everything


@loop_over("line", ["/domains", "/scan shop.example", "/adddomain a.example"])
async def test_people_of_other_companies_get_nothing_in_shared_channels(
    shop: Town, line: str
) -> None:
    shop.slack.world.strangers_may_type = True

    answer = await shop.ask(shop.slack.person("zoe"), line, channel="shared")

    assert "shop.example" not in answer.everything.replace(line, "")
    assert "Only members of the workspace" in answer.everything
    assert shop.service_requests() == []


async def test_what_scans_said_of_ends_and_issues_is_in_the_list_and_its_filters(
    shop: Town,
) -> None:
    in_days = [shop.clock() + timedelta(days=days) for days in (8, 100)]
    for name, end in zip(("shop", "www"), in_days, strict=True):
        issue = {"severity": "high", "title": "Old software"}
        scan = {"ssl": {"notAfter": f"{end:%Y-%m-%d}"}, "security": {"issues": [issue]}}
        shop.tracker.answer_next(body=json.dumps(scan).encode(), on="scan")
        await shop.ask(shop.bob, f"/scan {name}.example")
    shop.clock.ahead += timedelta(days=3)

    everything = await shop.ask(shop.bob, "/domains sort:expiry")
    soon = await shop.ask(shop.bob, "/domains expires:30")
    by_issue = await shop.ask(shop.bob, "/domains issues:high sort:name")

    assert [row[:3] for row in rows(everything)] == [  # the dates before the score
        ["shop.example", "–", "🔴 5 days"],
        ["www.example", "–", "97 days"],
        ["new.example", "–", "–"],
    ]
    assert "as scanned 3 days ago" in everything.everything
    assert "1 domain was never scanned" in everything.everything
    assert [row[0] for row in rows(soon)] == ["shop.example"]
    assert "shop.example 🔴 certificate expires in 5 days" in soon.text
    assert [row[:1] + row[3:5] for row in rows(by_issue)] == [
        ["shop.example", "–", "🔴 5 days"],
        ["www.example", "–", "97 days"],
    ]
