"""Modals and Home tabs through the Web API: triggers, the stack, hashes, what stays typed."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api, Clock
from tests.playground.slack.samples import actions, button, form, home, section

pytestmark = pytest.mark.usefixtures("bot")
Json = dict[str, Any]


async def trigger(slack: LocalSlack, name: str = "ada") -> str:
    return str((await slack.person(name).type("/scan")).trigger_id)


async def pushed(slack: LocalSlack, api: Api) -> Json:
    """Push one more modal by a button in the one on top of ada's screen."""
    ada = slack.person("ada")
    assert ada.form is not None
    delivery = await ada.press(ada.form, "More")
    view = form(actions(button("More")))
    return await api("views.push", trigger_id=delivery.trigger_id, view=view)


async def test_a_trigger_that_was_given_works_once(slack: LocalSlack, api: Api) -> None:
    trigger_id = await trigger(slack)

    used = [trigger_id, trigger_id, "1.2.3"]
    answers = [await api("views.open", trigger_id=each, view=form()) for each in used]

    errors = [each.get("error") for each in answers]
    assert errors == [None, "exchanged_trigger_id", "invalid_trigger_id"]


async def test_a_trigger_lasts_three_seconds(slack: LocalSlack, api: Api, clock: Clock) -> None:
    trigger_id = await trigger(slack)
    clock.now += 3.1

    answer = await api("views.open", trigger_id=trigger_id, view=form())

    assert answer["error"] == "expired_trigger_id"


async def test_a_refused_form_leaves_the_trigger_good(slack: LocalSlack, api: Api) -> None:
    trigger_id = await trigger(slack)

    refused = await api("views.open", trigger_id=trigger_id, view=form(section("")))
    opened = await api("views.open", trigger_id=trigger_id, view=form())

    assert (refused["ok"], opened["ok"]) == (False, True)


async def test_three_forms_fit_on_a_stack(slack: LocalSlack, api: Api) -> None:
    first = form(actions(button("More")))
    opened = await api("views.open", trigger_id=await trigger(slack), view=first)

    answers = [await pushed(slack, api) for _ in range(3)]

    assert [answer.get("error") for answer in answers] == [None, None, "push_limit_reached"]
    assert answers[1]["view"]["root_view_id"] == opened["view"]["id"]
    assert answers[1]["view"]["previous_view_id"] == answers[0]["view"]["id"]


async def test_an_update_with_an_old_hash_conflicts(slack: LocalSlack, api: Api) -> None:
    opened = (await api("views.open", trigger_id=await trigger(slack), view=form()))["view"]
    known = {"view_id": opened["id"], "hash": opened["hash"]}

    first = await api("views.update", **known, view=form(section("new")))
    second = await api("views.update", **known, view=form(section("newer")))

    assert (first["ok"], second["error"]) == (True, "hash_conflict")
    assert "new" in (await slack.person("ada").next_form()).everything


@pytest.mark.parametrize(
    ("method", "view"),
    [("views.open", home(section("x"))), ("views.publish", form()), ("views.open", "{")],
    ids=["a home as a modal", "a modal as a home", "no JSON"],
)
async def test_views_have_their_kinds(slack: LocalSlack, api: Api, method: str, view: Any) -> None:
    where = {"trigger_id": await trigger(slack), "user_id": slack.person("ada").id}

    answer = await api(method, view=view, **where)

    assert answer["error"] == "invalid_arguments"
