"""Whom a refused message would have reached."""

from typing import Any

import aiohttp
import pytest

from bot.playground.page.actions import RefusedNotes
from bot.playground.slack import LocalSlack
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


async def test_a_call_is_noted_for_whom_it_would_have_reached(slack: LocalSlack) -> None:
    bob, general = slack.person("bob"), slack.channel("general")
    trigger_id = slack.world.triggers.give(bob.id, general.id, None)
    view, tab = form(section("")), {"type": "home", "blocks": [section("")]}
    calls: list[tuple[str, Json, list[tuple[str, str]]]] = [
        (
            "chat.postMessage",
            {"channel": "general", **BAD},
            [("ada", "general"), ("bob", "general")],
        ),
        (
            "chat.postEphemeral",
            {"channel": "general", "user": bob.id, **BAD},
            [("bob", "general")],
        ),
        ("chat.postMessage", {"channel": bob.id, **BAD}, [("bob", "dm")]),
        ("views.open", {"trigger_id": trigger_id, "view": view}, [("bob", "general")]),
        ("views.publish", {"user_id": bob.id, "view": tab}, [("bob", "dm")]),
    ]
    places = [(who, where) for who in ("ada", "bob") for where in ("general", "random", "dm")]
    for method, arguments, reached in calls:
        notes = RefusedNotes(slack)
        slack.calls.clear()

        await call(slack, method, **arguments)

        found = {place: len(seen(slack, notes, *place)) for place in places}
        assert found == {place: int(place in reached) for place in places}, method


async def test_a_reply_is_noted_where_it_was_asked_for(slack: LocalSlack) -> None:
    bob, general = slack.person("bob"), slack.channel("general")
    for kind, others in (("ephemeral", 0), ("in_channel", 1)):
        notes = RefusedNotes(slack)
        slack.calls.clear()
        url = slack.world.response_urls.give(bob.id, general.id, command="/scan")

        await post(slack, url, {"response_type": kind, **BAD})

        counts = [len(seen(slack, notes, name)) for name in ("bob", "ada")]
        assert counts == [1, others], kind


async def test_what_was_taken_or_only_too_fast_is_not_noted(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)
    slack.fail_next("chat.postMessage")

    for text in ("too fast", "taken"):
        await call(slack, "chat.postMessage", channel="general", text=text)

    assert seen(slack, notes, "bob") == []


async def test_each_reason_comes_with_its_pointer(slack: LocalSlack) -> None:
    notes = RefusedNotes(slack)
    await call(slack, "chat.postMessage", channel="general", **BAD)

    [note] = notes.of(slack.channel("general").id, slack.person("bob").id)

    assert note.what == "chat.postMessage"
    assert [line.endswith("[json-pointer:/blocks/0/text/text]") for line in note.details] == [True]
