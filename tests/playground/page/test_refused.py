"""Whom a refused message would have reached."""

from typing import Any

import aiohttp
import pytest

from bot.playground.page.refusals import RefusedNotes
from bot.playground.slack import Call, LocalSlack
from tests.playground.slack.samples import form, section

pytestmark = pytest.mark.anyio
Json = dict[str, Any]

BAD = {"text": "x", "blocks": [section("")]}


async def post(slack: LocalSlack, url: str, body: Json) -> None:
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession() as http, http.post(url, json=body, headers=headers):
        pass


async def call(slack: LocalSlack, method: str, **arguments: Any) -> None:
    await post(slack, slack.api_url + method, arguments)


def seen(slack: LocalSlack, notes: RefusedNotes, name: str, channel: str = "general") -> list[str]:
    """Return the words for what this person would have seen there."""
    workspace, person = slack.world.workspace, slack.person(name)
    place = workspace.channel_named(channel) or workspace.direct_message(person.member)
    return [note.code for note in notes.of(place.id, person.id)]


async def test_a_message_for_everybody_is_noted_for_everybody(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)

    await call(slack, "chat.postMessage", channel="general", **BAD)

    assert seen(slack, notes, "ada") == seen(slack, notes, "bob") == ["invalid_blocks"]
    assert seen(slack, notes, "bob", "random") == []


async def test_an_ephemeral_is_noted_for_its_reader(slack: LocalSlack) -> None:
    notes, bob = RefusedNotes(slack), slack.person("bob")

    await call(slack, "chat.postEphemeral", channel="general", user=bob.id, **BAD)

    assert seen(slack, notes, "bob") == ["invalid_blocks"]
    assert seen(slack, notes, "ada") == []


@pytest.mark.parametrize(("kind", "others"), [("ephemeral", 0), ("in_channel", 1)])
async def test_a_reply_is_noted_where_it_was_asked_for(
    slack: LocalSlack, kind: str, others: int
) -> None:
    notes, bob = RefusedNotes(slack), slack.person("bob")
    general = slack.world.workspace.channel_named("general")
    assert general
    url = slack.world.response_urls.give(bob.id, general.id, command="/scan")

    await post(slack, url, {"response_type": kind, **BAD})

    assert len(seen(slack, notes, "bob")) == 1
    assert len(seen(slack, notes, "ada")) == others


async def test_a_message_to_a_person_is_noted_in_their_direct_message(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)

    await call(slack, "chat.postMessage", channel=slack.person("bob").id, **BAD)

    assert seen(slack, notes, "bob", "dm") == ["invalid_blocks"]


async def test_a_form_is_noted_where_its_person_was(slack: LocalSlack) -> None:
    notes, bob = RefusedNotes(slack), slack.person("bob")
    general = slack.world.workspace.channel_named("general")
    assert general
    trigger_id = slack.world.triggers.give(bob.id, general.id, None)

    await call(slack, "views.open", trigger_id=trigger_id, view=form(section("")))

    assert len(seen(slack, notes, "bob")) == 1
    assert seen(slack, notes, "ada") == []


async def test_a_home_tab_is_noted_in_the_direct_message(slack: LocalSlack) -> None:
    notes, bob = RefusedNotes(slack), slack.person("bob")
    view = {"type": "home", "blocks": [section("")]}

    await call(slack, "views.publish", user_id=bob.id, view=view)

    assert len(seen(slack, notes, "bob", "dm")) == 1


async def test_what_was_taken_or_only_too_fast_is_not_noted(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)
    slack.fail_next("chat.postMessage")

    for text in ("too fast", "taken"):
        await call(slack, "chat.postMessage", channel="general", text=text)

    assert seen(slack, notes, "bob") == []


async def test_each_reason_comes_with_its_pointer(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)
    await call(slack, "chat.postMessage", channel="general", **BAD)
    general = slack.world.workspace.channel_named("general")
    assert general

    [note] = notes.of(general.id, slack.person("bob").id)

    assert note.what == "chat.postMessage"
    assert [line.endswith("[json-pointer:/blocks/0/text/text]") for line in note.details] == [True]


async def test_a_call_is_looked_at_only_once_it_is_answered(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)
    started = Call("chat.postMessage", {"channel": "general"}, at=1.0, url="")
    slack.app.remember(started)
    assert seen(slack, notes, "bob") == []

    started.status, started.answer = 200, {"ok": False, "error": "invalid_blocks"}

    assert seen(slack, notes, "bob") == ["invalid_blocks"]


async def test_refusals_are_found_though_the_log_forgets_its_oldest_calls(
    slack: LocalSlack,
) -> None:
    notes = RefusedNotes(slack)
    await call(slack, "chat.postMessage", channel="general", **BAD)
    assert len(seen(slack, notes, "bob")) == 1
    slack.calls.clear()

    await call(slack, "chat.postMessage", channel="general", **BAD)

    assert len(seen(slack, notes, "bob")) == 2


async def test_refusals_come_in_the_order_of_their_calls(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)

    await call(slack, "chat.postMessage", channel="general", **BAD)
    await call(slack, "chat.update", channel="general", ts="1.2", text="x")

    assert seen(slack, notes, "bob") == ["invalid_blocks", "channel_not_found"]
