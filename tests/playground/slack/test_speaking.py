"""What people and Slackbot say, and what is still unread."""

import pytest

from bot.playground.slack import CommandFailed, LocalSlack
from bot.playground.slack.model import Channel
from tests.playground.slack.conftest import Api

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


@pytest.mark.parametrize(("place", "code"), [("old", "is_archived"), ("news", "not_in_channel")])
async def test_not_every_channel_can_be_written_to(
    slack: LocalSlack, place: str, code: str
) -> None:
    slack.world.workspace.add_channel("news", ["ada"])

    with pytest.raises(CommandFailed, match=code):
        slack.person("bob").say("Hello", channel=place)


async def test_who_joins_may_write(slack: LocalSlack) -> None:
    slack.world.workspace.add_channel("news", ["ada"])
    bob = slack.person("bob")

    bob.join("news")

    assert bob.say("Hello", channel="news").text == "Hello"


async def test_slackbot_speaks_to_one_person(slack: LocalSlack) -> None:
    slack.world.posting.tell(channel(slack), slack.person("bob").id, "No")

    assert [message.user for message in slack.person("bob").messages()] == ["USLACKBOT"]
    assert slack.person("ada").messages() == []


async def test_what_others_said_since_is_unread(slack: LocalSlack) -> None:
    cy, bob = slack.person("cy"), slack.person("bob")
    first = cy.say("One")
    slack.world.read_marks.mark(bob.member, channel(slack))
    cy.say("Two")
    cy.say("In the thread", thread_ts=first.ts)
    slack.world.posting.tell(channel(slack), cy.id, "Not for bob")

    bob.say("Three")

    assert (unread(slack, "bob"), unread(slack, "cy")) == (1, 2)


async def test_marking_as_read_is_heard_once(slack: LocalSlack) -> None:
    heard: list[str] = []
    slack.person("cy").say("One")
    end = slack.world.workspace.change_event.subscribe(lambda: heard.append("ring"))

    for _ in range(2):
        slack.world.read_marks.mark(slack.person("bob").member, channel(slack))
    end()
    end()
    slack.person("cy").say("Two")

    assert heard == ["ring"]


async def test_only_an_update_by_its_author_says_edited(slack: LocalSlack, api: Api) -> None:
    posted = await api("chat.postMessage", channel="general", text="a")
    before = slack.person("bob").messages()[0]

    await api("chat.update", channel=posted["channel"], ts=posted["ts"], text="b")

    assert (before.is_edited, slack.person("bob").messages()[0].is_edited) == (False, True)


async def test_a_public_reply_says_what_was_typed_and_by_whom(slack: LocalSlack) -> None:
    bob = slack.person("bob")
    url = slack.world.response_urls.give(bob.id, channel(slack).id, command="/scan x")
    path = url.removeprefix(slack.world.response_urls.base)

    slack.world.response_urls.use(path, {"text": "Done", "response_type": "in_channel"})

    [message] = slack.person("ada").messages()
    assert (unread(slack, "bob"), unread(slack, "ada")) == (0, 1)
    assert (message.command, message.typed_by, message.is_edited) == ("/scan x", bob.id, False)


async def test_a_refused_call_is_heard(slack: LocalSlack, api: Api) -> None:
    heard: list[str] = []
    slack.world.workspace.change_event.subscribe(lambda: heard.append("ring"))

    await api("chat.postMessage", channel="general")

    assert heard
