"""By which way an answer reaches whoever asked, and what it then holds."""

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.message import Message
from bot.playground.slack import LocalSlack
from bot.slack.replies import Origin, Replies, Way
from bot.views.blocks import actions, button, section

pytestmark = pytest.mark.anyio

BLOCKS = (section("All is well"), *actions(button("Scan", "run.1"), button("Share", "share.x")))
ANSWER = Message("All is well", BLOCKS)


async def test_who_is_answered_in_a_direct_message_has_nobody_to_share_it_with(
    slack: LocalSlack, client: AsyncWebClient, http: aiohttp.ClientSession
) -> None:
    bob = slack.person("bob")

    way = await Replies(http).send(client, Origin(bob.id, is_home=True), ANSWER)

    [sent] = bob.messages("dm")
    assert (way, sent.buttons) == (Way.DIRECT, ["Scan"])


async def test_who_is_answered_in_a_channel_can_share_it(
    slack: LocalSlack, client: AsyncWebClient, http: aiohttp.ClientSession
) -> None:
    bob = slack.person("bob")
    channel = slack.world.workspace.channel_named("general")
    assert channel

    way = await Replies(http).send(client, Origin(bob.id, channel.id), ANSWER)

    assert (way, bob.messages()[-1].buttons) == (Way.THERE, ["Scan", "Share"])
