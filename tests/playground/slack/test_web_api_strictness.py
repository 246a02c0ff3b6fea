"""What the real Slack refuses or does otherwise, sent by slack_sdk through a real socket."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import CommandFailed, FormError, LocalSlack
from tests.playground.slack.conftest import Open
from tests.playground.slack.samples import ScriptedBot, actions, button, form, text_field

Json = dict[str, Any]


@pytest.fixture
async def client(slack: LocalSlack) -> AsyncIterator[AsyncWebClient]:
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(
            slack.bot_token, base_url=slack.api_url, session=session, retry_handlers=[]
        )


async def refused(client: AsyncWebClient, method: str, **arguments: Any) -> Json:
    """Return Slack's answer to a call that it refuses."""
    with pytest.raises(SlackApiError) as caught:
        await client.api_call(method, json=arguments)
    body: Json = caught.value.response.data
    return body


@pytest.mark.parametrize("thread_ts", ["0", "yesterday", "1800000000"])
async def test_a_thread_is_named_by_a_timestamp(client: AsyncWebClient, thread_ts: str) -> None:
    said = await refused(
        client, "chat.postMessage", channel="general", text="x", thread_ts=thread_ts
    )

    assert said["error"] == "invalid_thread_ts"
    words = [f"[ERROR] {thread_ts} is not a valid thread_ts"]
    assert said["response_metadata"]["messages"] == words


async def test_a_reply_to_a_deleted_message_is_public(
    slack: LocalSlack, client: AsyncWebClient
) -> None:
    bob = slack.person("bob")
    asked, kept = bob.say("@domain_tracker scan"), bob.say("still here")
    bob.delete(asked)

    answers = [
        await client.chat_postMessage(channel="general", text="private?", thread_ts=each.ts)
        for each in (asked, kept)
    ]

    assert ["thread_ts" in answer["message"] for answer in answers] == [False, True]
    assert [message.thread_ts for message in bob.messages()] == [None, None, kept.ts]


async def test_a_token_belongs_in_the_form(slack: LocalSlack, http: aiohttp.ClientSession) -> None:
    url, token = f"{slack.api_url}auth.test", {"token": slack.bot_token}
    answers = []
    ways: list[Json] = [{"json": token}, {"params": token}, {"data": token}]
    for sent in ways:
        async with http.post(url, **sent) as response:
            answers.append((await response.json()).get("error"))

    assert answers == ["not_authed", "not_authed", None]


async def test_a_direct_message_needs_a_scope(slack: LocalSlack, client: AsyncWebClient) -> None:
    slack.world.scopes = ("mpim:write",)

    said = await refused(client, "conversations.open", users=slack.person("ada").id)

    assert (said["error"], said["needed"]) == ("missing_scope", "im:write")


async def test_a_command_is_escaped_only_where_the_manifest_says_so(slack: LocalSlack) -> None:
    slack.outbox.carrier = bot = ScriptedBot()
    slack.app.settings.raw_commands = ["/scan"]

    for line in ("/scan @ada", "/domains @ada"):
        await slack.person("bob").type(line)

    ada = f"<@{slack.person('ada').id}>"
    assert [delivery.payload["text"] for delivery in bot.got] == ["@ada", ada]


async def test_presses_need_the_manifest(slack: LocalSlack, client: AsyncWebClient) -> None:
    menu = {"type": "external_select", "action_id": "pick", "min_query_length": 0}
    row = [actions(button("Scan"), menu)]
    await client.chat_postMessage(channel="general", text="x", blocks=row)
    bob, settings = slack.person("bob"), slack.app.settings
    message = await bob.next_message()
    settings.is_interactive = settings.suggests_options = False

    with pytest.raises(CommandFailed, match="not_interactive"):
        await bob.press(message, "Scan")
    slack.deliver_to("http://127.0.0.1:9/")
    with pytest.raises(FormError, match="message_menu_options_url"):
        await bob.suggest(message, "pick", "")

    assert slack.envelopes == []


@pytest.mark.parametrize("said", ["", 7, None, {"text": "taken"}])
async def test_the_error_of_a_field_is_words(slack: LocalSlack, opened: Open, said: Any) -> None:
    view = await opened(form(text_field("Name")))
    answer = {"response_action": "errors", "errors": {"name": said}}
    slack.outbox.carrier = ScriptedBot(answer)

    with pytest.raises(CommandFailed):
        await slack.person("ada").submit(view, {"Name": "x"})
