"""What people and Slackbot say, and what is still unread."""

import pytest

from bot.playground.slack import LocalSlack
from bot.playground.slack.model import Channel

pytestmark = pytest.mark.anyio


def channel(slack: LocalSlack, name: str = "general") -> Channel:
    found = slack.world.workspace.channel_named(name)
    assert found
    return found


def unread(slack: LocalSlack, name: str) -> int:
    return slack.world.read_marks.unread(slack.person(name).member, channel(slack))


async def test_a_person_s_message_is_escaped_and_linked(slack: LocalSlack) -> None:
    bob = slack.person("bob")

    message = bob.say("<!channel> & @cy, see https://a.example")

    cy = slack.person("cy").id
    assert message.text == f"&lt;!channel&gt; &amp; <@{cy}>, see <https://a.example>"
    assert (message.user, message.mentions) == (bob.id, [f"<@{cy}>"])


async def test_what_others_said_since_is_unread(slack: LocalSlack) -> None:
    cy, bob = slack.person("cy"), slack.person("bob")
    first = cy.say("One")
    slack.world.read_marks.mark(bob.member, channel(slack))
    cy.say("Two")
    cy.say("In the thread", thread_ts=first.ts)
    slack.world.posting.tell(channel(slack), cy.id, "Not for bob")

    bob.say("Three")

    assert (unread(slack, "bob"), unread(slack, "cy")) == (1, 2)
