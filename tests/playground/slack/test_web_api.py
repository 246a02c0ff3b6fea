"""Each way in which the Web API refuses, and what it answers when it does not.

What the real Slack refuses or does otherwise, sent through a real socket.
"""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api
from tests.playground.slack.samples import section

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        pytest.param("general", None, id="joined"),
        pytest.param("secret", None, id="private, joined"),
        pytest.param("shared", None, id="shared, joined"),
        pytest.param("random", "not_in_channel", id="public, not joined"),
        pytest.param("hidden", "channel_not_found", id="private, not joined"),
        pytest.param("old", "is_archived", id="archived"),
    ],
)
async def test_posting_depends_on_the_channel(
    slack: LocalSlack, api: Api, name: str, error: str | None
) -> None:
    answer = await api("chat.postMessage", channel=slack.channel(name).id, text="hello")

    assert answer.get("error") == error


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        pytest.param("chat.postMessage", {"text": "x"}, "invalid_arguments", id="no channel"),
        pytest.param("chat.postMessage", {"channel": "C1"}, "channel_not_found", id="channel"),
        pytest.param("chat.postMessage", {"channel": "general"}, "no_text", id="no text"),
        pytest.param(
            "chat.postMessage", {"channel": "general", "blocks": [{"type": "no"}]},
            "invalid_blocks", id="unknown block",
        ),
        pytest.param(
            "chat.postMessage", {"channel": "general", "blocks": "["},
            "invalid_blocks_format", id="blocks that are no JSON",
        ),
        pytest.param(
            "chat.postMessage", {"channel": "general", "blocks": "[" * 100_000},
            "invalid_blocks_format", id="blocks that never end",
        ),
        pytest.param(
            "chat.postMessage", {"channel": "general", "text": "x", "blocks": "{\"a\": 1}"},
            "invalid_blocks_format", id="blocks that are no list",
        ),
        pytest.param("chat.noSuch", {}, "unknown_method", id="unknown method"),
        pytest.param("users.info", {"user": "U9"}, "user_not_found", id="nobody"),
        pytest.param("conversations.info", {"channel": "C1"}, "missing_scope", id="scope"),
        pytest.param("conversations.open", {"users": "U9"}, "user_not_found", id="no DM"),
        pytest.param("api.test", {"error": "my_error"}, "my_error", id="asked for"),
    ],
)  # fmt: skip
async def test_a_call_is_refused(api: Api, method: str, arguments: Json, error: str) -> None:
    answer = await api(method, **arguments)

    assert (answer["ok"], answer["error"]) == (False, error)


@pytest.mark.parametrize(
    ("method", "token", "error"),
    [
        pytest.param("auth.test", "xoxb-wrong", "invalid_auth", id="wrong"),
        pytest.param("auth.test", "", "not_authed", id="none"),
        pytest.param("auth.test", "app", "not_allowed_token_type", id="the app's"),
        pytest.param("apps.connections.open", "bot", "not_allowed_token_type", id="the bot's"),
        pytest.param("apps.connections.open", "app", None, id="the right one"),
    ],
)
async def test_a_token_must_fit(
    slack: LocalSlack, api: Api, method: str, token: str, error: str | None
) -> None:
    known = {"app": slack.app_token, "bot": slack.bot_token}

    answer = await api(method, token=known.get(token, token))

    assert answer.get("error") == error


async def test_an_ephemeral_is_refused_above_4000_bytes(slack: LocalSlack, api: Api) -> None:
    where = {"channel": "general", "user": slack.person("bob").id}

    fitting = await api("chat.postEphemeral", **where, text="é" * 2000)
    too_long = await api("chat.postEphemeral", **where, text="é" * 2000 + "a")

    assert (fitting["ok"], too_long["error"]) == (True, "msg_too_long")


async def test_a_refusal_points_at_the_problem(api: Api) -> None:
    blocks = [section("x" * 3001)]

    answer = await api("chat.postMessage", channel="general", text="x", blocks=blocks)

    assert "[json-pointer:/blocks/0/text/text]" in " ".join(answer["errors"])
    assert answer["response_metadata"]["messages"][0].startswith("[ERROR] ")


async def test_a_direct_message_needs_a_scope(slack: LocalSlack, api: Api) -> None:
    slack.world.scopes = ("mpim:write",)

    said = await api("conversations.open", users=slack.person("ada").id)

    assert (said["error"], said["needed"]) == ("missing_scope", "im:write")
