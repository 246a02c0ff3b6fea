"""`/adddomain`: one line or form, seen before the write, shown after it."""

import pytest

from bot.domains.service import FRESH_FOR
from tests.loops import loop_over
from tests.whole.harness import Harness

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


async def test_without_a_type_a_domain_is_owned(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.tracker.requests.clear()

    await ready.ask(ready.bob, "/adddomain blog.example")

    added = next(d for d in ready.account.domains.values() if d.domain == "blog.example")
    assert added.domain_type == "owned"
    assert [method for method, _ in ready.service_requests()] == ["POST", "GET"]


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


async def test_parts_that_mean_nothing_are_named_and_nothing_is_written(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/adddomain a.example b.example colour:red folder:")

    assert "`colour:`" in answer.everything
    assert "`folder:` needs a value" in answer.everything
    assert ready.tracker.requests == []


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


@loop_over("style", ["domain", "nested", "empty", "text"])
async def test_every_shape_of_the_services_answer_is_tolerated(ready: Harness, style: str) -> None:
    body = {"domain": b'{"domain":"x"}', "nested": b'{"data":[{}]}', "empty": b"", "text": b"ok"}
    ready.clock.ahead += FRESH_FOR
    ready.account.add(f"{style}.example", health=66)
    ready.tracker.answer_next(body=b"[]", on="list")
    ready.tracker.answer_next(status=200, body=body[style], on="add")

    answer = await ready.ask(ready.bob, f"/adddomain {style}.example")

    assert f"Added *{style}.example*" in answer.everything
    assert "66 fair" in answer.everything


async def test_a_write_with_a_lost_answer_is_found(ready: Harness) -> None:
    ready.tracker.fail_next("drop_after", on="add")

    answer = await ready.ask(ready.bob, "/adddomain blog.example")

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


async def test_an_added_domain_that_is_not_listed_yet_is_explained(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    ready.tracker.answer_next(status=202, body=b"{}", on="add")

    answer = await ready.ask(ready.bob, "/adddomain blog.example")

    assert "doesn't list it yet" in answer.everything
