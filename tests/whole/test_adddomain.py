"""`/adddomain`: one line or form, seen before the write, shown after it.

Several domains at once: read, confirmed, each written once, and accounted for.
"""

import asyncio
from pathlib import Path

import pytest

from bot.app.main import serve
from bot.playground.slack import Message
from bot.playground.tracker.service import Hold
from tests.loops import loop_over
from tests.whole.harness import Harness, running_stand_ins, text_in_store, until_ready
from tests.whole.test_audiences import MANAGERS, choose

pytestmark = pytest.mark.transports("socket")


async def test_one_line_adds_a_domain_and_shows_what_the_service_holds(ready: Harness) -> None:
    answer = await ready.ask(
        ready.bob, '/adddomain https://Blog.Example/x type:partner folder:"Two words" tag:a tag:b'
    )

    assert "Added *blog.example*" in answer.everything
    added = next(d for d in ready.account.domains.values() if d.domain == "blog.example")
    assert (added.domain_type, added.folder, tuple(added.tags)) == (
        "partner",
        "Two words",
        ("a", "b"),
    )
    assert "Scan" in answer.buttons


@loop_over("typed", ["shop.example", "SHOP.example.", "http://shop.example/x"])
async def test_a_duplicate_is_seen_before_the_write(ready: Harness, typed: str) -> None:
    answer = await ready.ask(ready.bob, f"/adddomain {typed}")

    assert "is already in your portfolio" in answer.everything
    assert "POST" not in [method for method, _ in ready.service_requests()]


async def test_a_simultaneous_duplicate_is_reported_as_one(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.account.add("blog.example", health=50)

    answer = await ready.ask(ready.bob, "/adddomain blog.example")

    assert "is already in your portfolio" in answer.everything


@pytest.mark.transports("http")
async def test_the_form_offers_what_is_in_use_and_takes_what_is_new(ready: Harness) -> None:
    await ready.bob.type("/adddomain")
    form = await ready.bob.next_form()

    assert await ready.bob.suggest(form, "Tags", "") == ["eu", "prod"]
    assert await ready.bob.suggest(form, "Folder", "shop") == ["Web shops", "shop"]
    wrong = await ready.bob.submit(form, {"Domain": "localhost"})
    assert "Enter a full domain" in wrong.errors["Domain"]
    await ready.bob.submit(
        form, {"Domain": "blog.example", "Folder": "Web shops", "Tags": ["prod", "fresh"]}
    )

    assert "Added *blog.example*" in (await ready.answer(ready.bob)).everything
    added = next(d for d in ready.account.domains.values() if d.domain == "blog.example")
    assert (added.folder, tuple(added.tags)) == ("Web shops", ("prod", "fresh"))


async def test_a_write_with_a_lost_answer_is_found_and_without_a_type_is_owned(
    ready: Harness,
) -> None:
    ready.tracker.fail_next("drop_after", on="add")

    answer = await ready.ask(ready.bob, "/adddomain blog.example")

    added = next(d for d in ready.account.domains.values() if d.domain == "blog.example")
    assert added.domain_type == "owned"
    assert "Added *blog.example*" in answer.everything
    assert [method for method, _ in ready.service_requests()].count("POST") == 1


@pytest.mark.transports("http")
async def test_a_write_without_trace_is_admitted_and_can_be_tried_again(ready: Harness) -> None:
    ready.tracker.fail_next("drop", on="add")

    uncertain = await ready.ask(ready.bob, "/adddomain blog.example tag:new")
    assert "doesn't list it" in uncertain.everything
    added = await ready.press(ready.bob, uncertain, "Try again")

    assert "Added *blog.example*" in added.everything
    assert "*Tags*\nnew" in added.everything


PASTED = """My domains:
- https://Blog.example/x
shop.example, bücher.example
BLOG.example.

see the wiki (service_sk_abc)
3. fresh.example
"""


def posts(app: Harness) -> int:
    return [method for method, _ in app.service_requests()].count("POST")


async def asked(app: Harness, line: str) -> Message:
    """Type a list; return the question, with all requests until then forgotten."""
    question = await app.ask(app.bob, line)
    app.tracker.requests.clear()
    return question


async def hold_write(app: Harness, number: int) -> Hold:
    """Let the requests go on, one after the other, and hold the write of this number."""
    hold = app.tracker.hold_of_all
    assert hold
    for _ in range(number):
        await hold.waiting(1)
        following = app.tracker.hold_requests()
        hold.release()
        hold = following
    await hold.waiting(1)
    return hold


async def test_a_pasted_list_is_confirmed_and_written_once(ready: Harness) -> None:
    await ready.bob.type("/adddomain")
    form = await ready.bob.next_form()
    await ready.bob.submit(
        form, {"Domain": PASTED, "Type": "partner", "Folder": "Web shops", "Tags": ["prod"]}
    )
    question = await ready.answer(ready.bob)
    before = posts(ready)
    ready.tracker.requests.clear()
    await asyncio.gather(*(ready.bob.press(question, "Add") for _ in range(2)))
    summary = await ready.bob.next_message(where=lambda each: "Added 3" in each.everything)

    assert before == 0
    assert "*Add 3 domains?*" in question.everything
    assert "*Already there* (1): shop.example" in question.everything
    assert "*Repeated* (1)" in question.everything
    assert (
        "*Not a domain* (2): `My domains:`, `see the wiki (service_sk_[hidden])`"
        in question.everything
    )
    assert "Type: partner; Folder: Web shops; Tags: prod." in question.everything
    assert [method for method, _ in ready.service_requests()] == ["GET", *["POST"] * 3, "GET"]
    assert "Added 3 of 3 domains." in summary.everything
    assert "*Already there* (1): shop.example" in summary.everything
    assert "*Not a domain* (2): `My domains:`" in summary.everything
    added = [d for d in ready.account.domains.values() if d.domain_type == "partner"]
    assert {d.domain for d in added} == {"blog.example", "xn--bcher-kva.example", "fresh.example"}
    assert {(d.folder, *d.tags) for d in added} == {("Web shops", "prod")}
    assert b"service_sk_abc" not in await text_in_store(ready)


async def test_permission_is_checked_again_at_the_press(ready: Harness) -> None:
    question = await asked(ready, "/adddomain a.example b.example")
    await choose(ready, add=MANAGERS)

    refused = await ready.press(ready.bob, question, "Add")

    assert "Only admins, owners, and managers can add domains" in refused.everything
    assert posts(ready) == 0


async def test_a_stopped_list_says_what_was_added(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        stop = asyncio.Event()
        bot = asyncio.create_task(serve(app.settings, stop, clock=app.clock))
        await until_ready(app, bot)
        await app.connect()
        question = await asked(app, "/adddomain a.example b.example c.example")
        app.tracker.hold_requests()
        await app.bob.press(question, "Add")
        hold = await hold_write(app, 2)

        stop.set()
        text = await app.answer(app.bob)
        await bot
        hold.release()

        assert "The app is restarting and had to stop." in text.everything
        assert "*Added* (1): a.example" in text.everything
        assert "may still appear* (1): b.example" in text.everything
        assert "*Not tried* (1): c.example" in text.everything
        assert text.buttons == ["Try again", "Scan them", "All domains"]
