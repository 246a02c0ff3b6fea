"""`/adddomain`: one line or form, seen before the write, shown after it."""

import pytest

from bot.portfolio.service import FRESH_FOR
from tests.loops import loop_over
from tests.whole.town import Town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


async def test_one_line_adds_a_domain_and_shows_what_the_service_holds(shop: Town) -> None:
    answer = await shop.ask(
        shop.bob, '/adddomain https://Blog.Example/x type:partner folder:"Two words" tag:a tag:b'
    )

    assert "Added `blog.example`" in answer.everything
    added = next(d for d in shop.acme.domains.values() if d.domain == "blog.example")
    assert (added.domain_type, added.folder, tuple(added.tags)) == (
        "partner",
        "Two words",
        ("a", "b"),
    )
    assert "Scan" in answer.buttons


async def test_without_a_type_it_is_an_owned_domain_and_costs_the_write_and_one_list(
    shop: Town,
) -> None:
    await shop.ask(shop.bob, "/domains")
    shop.tracker.requests.clear()

    await shop.ask(shop.bob, "/adddomain blog.example")

    added = next(d for d in shop.acme.domains.values() if d.domain == "blog.example")
    assert added.domain_type == "owned"
    assert [method for method, _ in shop.service_requests()] == ["POST", "GET"]


@loop_over("typed", ["shop.example", "SHOP.example.", "http://shop.example/x"])
async def test_a_duplicate_is_seen_before_the_write(shop: Town, typed: str) -> None:
    answer = await shop.ask(shop.bob, f"/adddomain {typed}")

    assert "is already in your portfolio" in answer.everything
    assert "POST" not in [method for method, _ in shop.service_requests()]


async def test_a_duplicate_that_came_meanwhile_is_told_as_one(shop: Town) -> None:
    await shop.ask(shop.bob, "/domains")
    shop.acme.add("blog.example", health=50)

    answer = await shop.ask(shop.bob, "/adddomain blog.example")

    assert "is already in your portfolio" in answer.everything


async def test_a_name_in_another_script_is_added_in_its_ascii_form(shop: Town) -> None:
    answer = await shop.ask(shop.bob, "/adddomain Bücher.example")

    assert "bücher.example (xn--bcher-kva.example)" in answer.everything
    assert "xn--bcher-kva.example" in [d.domain for d in shop.acme.domains.values()]


async def test_parts_that_mean_nothing_are_named_and_nothing_is_written(shop: Town) -> None:
    answer = await shop.ask(shop.bob, "/adddomain a.example b.example colour:red folder:")

    assert "`b.example` – one domain at a time" in answer.everything
    assert "`colour:red`" in answer.everything
    assert "`folder:` – has no value" in answer.everything
    assert shop.tracker.requests == []


@pytest.mark.modes("shared")
async def test_the_form_offers_what_is_in_use_and_takes_what_is_new(shop: Town) -> None:
    await shop.bob.type("/adddomain")
    form = await shop.bob.next_form()

    assert await shop.bob.suggest(form, "Tags", "") == ["eu", "prod"]
    assert await shop.bob.suggest(form, "Folder", "shop") == ["Web shops", "shop"]
    wrong = await shop.bob.submit(form, {"Domain": "localhost"})
    assert "Enter a full domain" in wrong.errors["Domain"]
    await shop.bob.submit(
        form, {"Domain": "blog.example", "Folder": "Web shops", "Tags": ["prod", "fresh"]}
    )

    assert "Added `blog.example`" in (await shop.answer(shop.bob)).everything
    added = next(d for d in shop.acme.domains.values() if d.domain == "blog.example")
    assert (added.folder, tuple(added.tags)) == ("Web shops", ("prod", "fresh"))


@loop_over("style", ["domain", "nested", "empty", "text"])
async def test_every_shape_of_the_services_answer_is_tolerated(shop: Town, style: str) -> None:
    body = {"domain": b'{"domain":"x"}', "nested": b'{"data":[{}]}', "empty": b"", "text": b"ok"}
    shop.clock.ahead += FRESH_FOR
    shop.acme.add(f"{style}.example", health=66)
    shop.tracker.answer_next(body=b"[]", on="list")
    shop.tracker.answer_next(status=200, body=body[style], on="add")

    answer = await shop.ask(shop.bob, f"/adddomain {style}.example")

    assert f"Added `{style}.example`" in answer.everything
    assert "66 fair" in answer.everything


async def test_a_write_that_arrived_before_the_line_dropped_is_found_by_looking(
    shop: Town,
) -> None:
    shop.tracker.fail_next("drop_after", on="add")

    answer = await shop.ask(shop.bob, "/adddomain blog.example")

    assert "Added `blog.example`" in answer.everything
    assert [method for method, _ in shop.service_requests()].count("POST") == 1


@pytest.mark.modes("shared")
async def test_a_write_without_trace_is_admitted_and_can_be_tried_again(shop: Town) -> None:
    shop.tracker.fail_next("drop", on="add")

    uncertain = await shop.ask(shop.bob, "/adddomain blog.example tag:new")
    assert "doesn't list it" in uncertain.everything
    added = await shop.press(shop.bob, uncertain, "Try again")

    assert "Added `blog.example`" in added.everything
    assert "`new`" in added.everything


async def test_a_domain_that_is_added_but_not_listed_yet_is_told_so(shop: Town) -> None:
    await shop.ask(shop.bob, "/domains")
    shop.tracker.answer_next(status=202, body=b"{}", on="add")

    answer = await shop.ask(shop.bob, "/adddomain blog.example")

    assert "doesn't list it yet" in answer.everything


async def test_what_the_service_says_of_a_refusal_is_passed_on_harmlessly(shop: Town) -> None:
    shop.tracker.answer_next(status=422, body=b'{"error": "<!channel> not *allowed*"}', on="add")

    answer = await shop.ask(shop.bob, "/adddomain blog.example")

    assert "It said: `not *allowed*`" in answer.everything
    assert answer.mentions == []
