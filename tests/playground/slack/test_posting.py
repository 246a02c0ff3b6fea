"""What people write: to the app, about the app, and in threads."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api

pytestmark = pytest.mark.usefixtures("bot")
Json = dict[str, Any]

SCOPES = ("chat:write", "app_mentions:read", "im:history", "channels:history")
EVENTS = ("app_mention", "message.im")


@pytest.fixture
def about() -> Json:
    return {"scopes": SCOPES, "events": EVENTS}


async def heard(slack: LocalSlack) -> list[Json]:
    """Return the events that the bot was told of."""
    await slack.lines.settled()
    return [each.payload["event"] for each in slack.envelopes]


async def test_a_mention_carries_the_message_and_its_thread(slack: LocalSlack) -> None:
    start = slack.person("cy").say("Is it down?")

    said = slack.person("bob").say("@domain_tracker help", thread_ts=start.ts)

    [event] = await heard(slack)
    assert (event["type"], event["user"]) == ("app_mention", slack.person("bob").id)
    assert (event["ts"], event["thread_ts"], event["event_ts"]) == (said.ts, start.ts, said.ts)
    assert event["channel"] == slack.channel("general").id
    assert event["client_msg_id"]
    assert not {"bot_id", "channel_type", "edited"} & event.keys()


async def test_an_ephemeral_message_needs_an_active_thread(slack: LocalSlack, api: Api) -> None:
    bob, start = slack.person("bob"), slack.person("cy").say("Hello")
    to_bob = {"channel": "general", "user": bob.id, "thread_ts": start.ts}

    for _ in range(2):
        assert (await api("chat.postEphemeral", **to_bob, text="Lost"))["ok"]
    slack.person("cy").say("Anybody?", thread_ts=start.ts)
    await api("chat.postEphemeral", **to_bob, text="Shown")

    assert [each.text for each in bob.messages()] == ["Hello", "Anybody?", "Shown"]
    assert bob.messages()[-1].thread_ts == start.ts
