"""`/domains`: the list, its filters, its pages, what is shared."""

import csv
import json
from datetime import timedelta

import pytest

from bot.playground.slack import Message
from bot.portfolio.service import FRESH_FOR
from tests.loops import loop_over
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


def rows(message: Message) -> list[list[str]]:
    table = next(block for block in message.blocks if block["type"] == "data_table")
    return [[cell["text"] for cell in row] for row in table["rows"][1:]]


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
async def test_filters_choose(ready: Harness, typed: str, names: list[str]) -> None:
    answer = await ready.ask(ready.bob, f"/domains {typed}")

    assert [row[0] for row in rows(answer)] == names


async def test_everything_not_understood_or_contradictory_is_named_at_once(ready: Harness) -> None:
    answer = await ready.ask(
        ready.bob, "/domains tag:prod below:abc colour:red sort:age above:101"
    )
    contradiction = await ready.ask(ready.bob, "/domains below:30 above:60")

    for part in ("below:abc", "colour:red", "sort:age", "above:101"):
        assert f"`{part}` – " in answer.everything
    assert "Understood: `tag:prod`" in answer.everything
    assert "no score is both" in contradiction.everything
    assert ready.tracker.requests == []


async def test_an_empty_portfolio_leads_to_the_first_domain(app: Harness) -> None:
    await app.connect()

    answer = await app.ask(app.bob, "/domains")

    assert "no domains" in answer.everything
    assert answer.buttons == ["Add domain"]


async def test_a_fresh_list_costs_no_request_and_an_old_one_costs_one(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    await ready.ask(ready.ada, "/domains tag:prod")
    assert ready.service_requests() == [("GET", "domain-tracker")]

    ready.clock.ahead += ready.clock.ahead.resolution * 61_000_000
    await ready.ask(ready.bob, "/domains")

    assert len(ready.service_requests()) == 2


@loop_over("kind", ["503", "drop"])
async def test_while_the_service_is_unavailable_the_last_list_is_shown_with_its_age(
    ready: Harness, kind: str
) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.clock.ahead += timedelta(hours=2, minutes=1)
    ready.tracker.fail_next(kind, times=9, on="list")

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


async def test_the_last_list_of_another_account_is_not_shown(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    await ready.submit_key(ready.tracker.account("other").create_key("bot", days=90))
    ready.clock.ahead += FRESH_FOR
    ready.tracker.fail_next("503", times=9)

    answer = await ready.ask(ready.bob, "/domains")

    assert "Domain Tracker is unavailable" in answer.everything


@pytest.mark.transports("shared")
async def test_pages_take_each_others_place(ready: Harness) -> None:
    ready.account.fill(70, seed=1)
    first = await ready.ask(ready.bob, "/domains")
    assert "page 1 of 3" in first.everything

    second = await ready.press(ready.bob, first, "Next page")
    third = await ready.press(ready.bob, second, "Next page")

    assert "page 3 of 3" in third.everything
    assert len(ready.bob.messages()) == 1
    assert len({row[0] for page in (first, second, third) for row in rows(page)}) == 73


async def test_the_bot_turns_the_pages_and_the_table_has_none_of_its_own(ready: Harness) -> None:
    ready.account.fill(230, seed=1)
    first = await ready.ask(ready.bob, "/domains sort:name")

    await ready.bob.choose(first, "Go to page", "Page 7")
    seventh = await ready.answer(ready.bob)

    assert "page 7 of 10" in seventh.everything
    assert len(ready.bob.messages()) == 1
    for message in (first, seventh):
        [table] = [block for block in message.blocks if block["type"] == "data_table"]
        assert table["page_size"] == len(rows(message)) == 25
        assert "sorts this page only" in message.everything
    names = [row[0] for row in rows(first) + rows(seventh)]
    assert names == sorted(names)


async def test_a_portfolio_that_changes_under_the_pager_leads_nowhere_wrong(
    ready: Harness,
) -> None:
    ready.account.fill(70, seed=1)
    first = await ready.ask(ready.bob, "/domains sort:name")
    second = await ready.press(ready.bob, first, "Next page")
    for gone in list(ready.account.domains)[:25]:
        del ready.account.domains[gone]
    ready.clock.ahead += FRESH_FOR

    last = await ready.press(ready.bob, second, "Next page")

    assert rows(last)[-1] != rows(second)[-1]
    assert "page 2 of 2, rows 26–48" in last.everything
    assert "there is no page 3" in last.everything


@pytest.mark.transports("shared")
async def test_m25_the_filtered_list_comes_as_a_csv_file_to_the_person_alone(
    ready: Harness,
) -> None:
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
    assert "domains.csv with 3 domains" in said.everything
    assert said.is_ephemeral


async def test_m25_without_the_permission_the_answer_says_who_can_grant_it(
    ready: Harness,
) -> None:
    installation = ready.slack.world.installation
    assert installation
    installation.scopes = tuple({*installation.scopes} - {"files:write"})
    answer = await ready.ask(ready.bob, "/domains")

    refused = await ready.press(ready.bob, answer, "Export CSV")

    assert "lacks a Slack permission for this: `files:write`" in refused.everything
    assert "ask an admin to install it again" in refused.everything
    assert refused.buttons == []


@pytest.mark.transports("shared")
async def test_share_shows_the_same_list_to_the_channel(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/domains tag:prod")

    await ready.bob.press(answer, "Share")
    shared = await ready.slack.person("cy").next_message()

    assert rows(shared) == rows(answer)
    assert not shared.is_ephemeral
    assert shared.mentions == []
    assert "Shared by" in shared.everything
    assert shared.buttons == []


async def test_share_works_where_the_bot_is_no_member(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/domains", channel="random")

    await ready.bob.press(answer, "Share")

    shared = await ready.slack.person("cy").next_message(channel="random")
    assert "3 domains" in shared.everything


async def test_odd_entries_of_the_list_are_shown_or_counted(ready: Harness) -> None:
    items = (
        b'[{"domain": "a.example"}, null, {"domain": null}, 5, {"domain": "b.example", "tags": 7}]'
    )
    ready.tracker.answer_next(body=items, on="list")

    answer = await ready.ask(ready.bob, "/domains")

    assert [row[0] for row in rows(answer)] == ["a.example", "b.example"]
    assert "Not shown: 3 entries without a name" in answer.everything


@loop_over("line", ["/domains", "/scan shop.example", "/adddomain a.example"])
async def test_people_of_other_companies_get_nothing_in_shared_channels(
    ready: Harness, line: str
) -> None:
    ready.slack.world.strangers_may_type = True

    answer = await ready.ask(ready.slack.person("zoe"), line, channel="shared")

    assert "shop.example" not in answer.everything.replace(line, "")
    assert "Only members of the workspace" in answer.everything
    assert ready.service_requests() == []


async def test_m23_what_scans_said_of_ends_and_issues_is_in_the_list_and_its_filters(
    ready: Harness,
) -> None:
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
    assert "End dates: scanned 3 days ago" in everything.everything
    assert "1 domain was never scanned" in everything.everything
    assert [row[0] for row in rows(soon)] == ["shop.example"]
    assert "shop.example, Certificate 5 days" in soon.text
    assert [row[:1] + row[3:5] for row in rows(by_issue)] == [
        ["shop.example", "–", "🔴 5 days"],
        ["www.example", "–", "97 days"],
    ]
