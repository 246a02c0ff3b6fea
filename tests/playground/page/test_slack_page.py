"""The page at `/` as people use it, with a bot that answers by script."""

from dataclasses import replace

import pytest
from nicegui import ui

from bot.playground.manifest import Shortcut
from bot.playground.slack import LocalSlack
from tests.playground.page.conftest import APP, OpenScreen
from tests.playground.page.screen import Screen
from tests.playground.slack.samples import (
    ScriptedBot,
    home,
    section,
)

pytestmark = pytest.mark.anyio


async def test_a_command_goes_to_the_bot_and_its_answer_to_one_person(
    bot: ScriptedBot, slack: LocalSlack, screen: Screen
) -> None:
    slack.outbox.carrier = bot = ScriptedBot({"text": "It is healthy"})
    await screen.open("/?as=bob")

    screen.send("/scan example.com")

    await screen.sees("It is healthy")
    assert "Only visible to you" in screen.messages[0]
    assert bot.got[0].payload["text"] == "example.com"
    await screen.open("/?as=ada")
    assert screen.messages == []


@pytest.mark.parametrize(
    ("line", "body", "words"),
    [
        pytest.param("/nothing at all", None, "/nothing is not a valid command", id="unknown"),
        pytest.param("/scan x", 404, "failed with the error “dispatch_failed”", id="no answer"),
        pytest.param("/<b>", None, "/<b> is not a valid command", id="hostile"),
    ],
)
async def test_slackbot_says_why_a_command_failed(
    slack: LocalSlack, screen: Screen, line: str, body: int | None, words: str
) -> None:
    slack.outbox.carrier = ScriptedBot(body)
    await screen.open("/?as=bob")

    screen.send(line)

    await screen.sees(words)
    assert screen.all("article")[0].props["aria-label"] == "from Slackbot, only visible to you"
    assert slack.person("ada").messages() == []


async def test_the_app_comes_into_a_channel_by_the_line_that_its_forms_advise(
    slack: LocalSlack, screen: Screen
) -> None:
    slack.remove_bot("general")
    await screen.open("/?as=bob")

    screen.send("/invite @Domain Tracker")

    await screen.sees("The app is in this channel now.")
    assert slack.bot_user_id in slack.channel("general").members


async def test_escape_closes_the_offer_and_keeps_what_is_typed(screen: Screen) -> None:
    await screen.open("/?as=bob")
    screen.write("/d")

    screen.key("Escape")

    assert screen.all("option") == []
    assert screen.named("Message").props["value"] == "/d"


async def test_what_others_say_arrives_and_leaves_the_field_alone(
    slack: LocalSlack, screen: Screen
) -> None:
    await screen.open("/?as=bob")
    screen.write("half a sent")
    field = screen.named("Message")

    slack.person("cy").say("Hello")

    await screen.sees("Hello")
    assert screen.named("Message") is field
    assert field.props["value"] == "half a sent"


async def test_only_a_changed_message_is_drawn_again(slack: LocalSlack, screen: Screen) -> None:
    world, general = slack.world, slack.world.workspace.channel_named("general")
    assert general
    message = world.posting.add(general, {"text": "Digest"})
    slack.person("cy").say("Hello")
    await screen.open("/?as=bob")
    before = screen.all("article")

    world.posting.replace(message, {"text": "Newer digest"})

    await screen.sees("Newer digest")
    changed, same = screen.all("article")
    assert same is before[1]
    assert changed is not before[0]


async def test_unread_messages_are_counted_for_each_person(
    slack: LocalSlack, screen: Screen
) -> None:
    await screen.open("/?as=bob&channel=general")

    slack.person("cy").say("One", channel="random")
    slack.person("cy").say("Two", channel="random")

    await screen.until(lambda: "random, 2 unread" in _names(screen))
    screen.click("random, 2 unread")
    await screen.sees("Two")
    await screen.until(lambda: "random" in _names(screen))


def _names(screen: Screen) -> list[str]:
    return [
        str(element.props["aria-label"])
        for element in screen.named("Channels and apps").descendants()
        if isinstance(element, ui.link) and "aria-label" in element.props
    ]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("ada", "general random secret hidden old shared"),
        ("cy", "general random old shared"),
        ("gus", "general"),
    ],
)
async def test_each_person_sees_their_channels_and_the_app(
    screen: Screen, name: str, places: str
) -> None:
    await screen.open(f"/?as={name}")

    assert _names(screen) == [*places.split(), "Domain Tracker", "Home"]


async def test_becoming_somebody_else_shows_what_they_may_see(
    slack: LocalSlack, screen: Screen
) -> None:
    slack.person("bob").say("Between us", channel="secret")
    await screen.open("/?as=bob&channel=secret")
    assert "Between us" in screen.text

    screen.named("You are").set_value("cy")  # type: ignore[attr-defined]  # it is a select

    await screen.until(lambda: "Between us" not in screen.text)
    assert screen.named("Message").props["placeholder"] == "Message #general"


@pytest.mark.parametrize("query", ["as=nobody", "channel=nowhere", "as=cy&channel=secret", ""])
async def test_nonsense_in_the_address_leads_to_a_place(screen: Screen, query: str) -> None:
    await screen.open(f"/?{query}")

    assert screen.named("Message").props["placeholder"] == "Message #general"


async def test_an_archived_channel_takes_no_messages(screen: Screen) -> None:
    await screen.open("/?as=bob&channel=old")

    assert "You are viewing #old, an archived channel" in screen.text
    with pytest.raises(AssertionError, match="nothing called 'Message'"):
        screen.named("Message")


async def test_a_channel_can_be_joined(slack: LocalSlack, screen: Screen) -> None:
    slack.world.workspace.add_channel("news", ["ada"])
    await screen.open("/?as=bob&channel=news")

    screen.click("Join channel")

    await screen.until(lambda: "Join channel" not in screen.text)
    assert screen.named("Message").props["placeholder"] == "Message #news"


async def test_a_refused_message_is_noted_with_its_pointers(
    slack: LocalSlack, screen: Screen
) -> None:
    slack.outbox.carrier = ScriptedBot({"text": "x", "blocks": [section("")]})
    await screen.open("/?as=bob")

    screen.send("/scan")

    await screen.sees("Slack refused this: invalid_blocks")
    assert "[json-pointer:/blocks/0/text/text]" in screen.text
    assert "failed with the error “invalid_blocks”" in screen.text


async def test_old_messages_come_when_they_are_asked_for(
    slack: LocalSlack, screen: Screen
) -> None:
    for number in range(60):
        slack.person("ada").say(f"number {number}")
    await screen.open("/?as=bob")
    assert len(screen.messages) == 25

    screen.click("Show earlier messages (35 more)")

    assert "number 10" in screen.messages[0]
    assert "number 59" in screen.messages[-1]


async def test_home_follows_what_the_bot_publishes_next(slack: LocalSlack, screen: Screen) -> None:
    bob = slack.person("bob").id
    slack.world.stacks.publish(bob, home(section("Welcome, Bob")))
    await screen.open("/?as=bob&channel=home")

    slack.world.stacks.publish(bob, home(section("12 domains")))

    await screen.sees("12 domains")


async def test_slackbot_tells_who_typed_even_if_somebody_else_sits_there_by_now(
    slack: LocalSlack, screen: Screen
) -> None:
    slack.outbox.carrier, slack.outbox.ack_limit_s = ScriptedBot("silence"), 0.1
    await screen.open("/?as=bob&channel=secret")
    screen.send("/scan example.com")
    await screen.until(lambda: slack.envelopes)

    screen.named("You are").set_value("ada")  # type: ignore[attr-defined]  # it is a select

    bob = slack.person("bob")
    await screen.until(lambda: bob.messages("secret"))
    assert "operation_timeout" in bob.messages("secret")[0].text
    assert slack.person("ada").messages("secret") == []


@pytest.mark.parametrize(
    ("query", "cookie", "is_dark"),
    [
        pytest.param("", "", False, id="light"),
        pytest.param("", "playground_dark=1", True, id="remembered"),
        pytest.param("&dark=1", "", True, id="address"),
        pytest.param("&dark=0", "playground_dark=1", False, id="address wins"),
    ],
)
async def test_dark_comes_from_the_address_or_is_remembered(
    screen: Screen, query: str, cookie: str, is_dark: bool
) -> None:
    screen.headers["Cookie"] = cookie

    await screen.open(f"/?as=bob{query}")

    [mode] = [each for each in screen.everything() if isinstance(each, ui.dark_mode)]
    assert mode.value is is_dark


def choose(screen: Screen, words: str) -> None:
    """Choose an entry of the open channel's menu."""
    [item] = [each for each in screen.all("menuitem") if each.props["aria-label"] == words]
    screen.do(item, "click")


async def test_a_channel_is_archived_and_brought_back_by_its_menu(
    slack: LocalSlack, screen: Screen
) -> None:
    await screen.open("/?as=bob&channel=general")

    choose(screen, "Archive channel")
    await screen.sees("You are viewing #general, an archived channel")
    choose(screen, "Unarchive channel")

    await screen.until(lambda: "an archived channel" not in screen.text)
    assert screen.named("Message").props["placeholder"] == "Message #general"


async def test_replies_are_in_the_thread_and_counted_at_its_first_message(
    slack: LocalSlack, screen: Screen
) -> None:
    first = slack.person("ada").say("Who looks after shop?")
    slack.person("cy").say("I do", thread_ts=first.ts)
    await screen.open("/?as=bob&channel=general")
    assert "1 reply" in screen.messages[0]
    assert "I do" not in screen.text

    screen.click("1 reply")
    screen.send("Thank you", "Reply")

    await screen.sees("2 replies")
    shown = [words for words in ("Who looks", "I do", "Thank you") if words in screen.text]
    assert shown == ["Who looks", "I do", "Thank you"]
    thread = [reply.thread_ts for reply in slack.person("ada").messages()]
    assert thread == [None, first.ts, first.ts]


async def test_what_the_app_says_to_one_person_in_a_thread_is_seen_where_it_is_open(
    slack: LocalSlack, screen: Screen
) -> None:
    bob, first = slack.person("bob"), slack.person("ada").say("Is shop.example well?")
    slack.person("cy").say("Let us see", thread_ts=first.ts)
    await screen.open("/?as=bob&channel=general")

    told = {"text": "It is healthy", "thread_ts": first.ts}
    slack.world.posting.add(slack.channel("general"), told, seen_by=bob.id)

    screen.click("1 reply")
    await screen.sees("It is healthy")
    assert screen.messages[-1].startswith("Only visible to you")
    screen.click("Close thread")
    assert "It is healthy" not in screen.text
    assert "1 reply" in screen.messages[0]


async def test_a_thread_takes_no_commands(
    bot: ScriptedBot, slack: LocalSlack, screen: Screen
) -> None:
    slack.person("ada").say("Is it well?")
    await screen.open("/?as=bob&channel=general")
    screen.click("Reply in thread")

    screen.send("/scan example.com", "Reply")

    await screen.sees("/scan is not supported in threads. Sorry!")
    assert bot.got == []


async def test_a_messages_tab_that_is_read_only_has_no_field_to_write_in(
    slack: LocalSlack, screen_of: OpenScreen
) -> None:
    screen = await screen_of(replace(APP, messages_tab_read_only=True))
    await screen.open("/?as=bob&channel=dm")

    assert "Sending messages to this app has been turned off." in screen.text
    with pytest.raises(AssertionError, match="nothing called 'Message'"):
        screen.named("Message")
    screen.click("general")
    await screen.until(lambda: screen.named("Message"))


async def test_the_first_screen_says_what_to_type_and_who_is_who(screen: Screen) -> None:
    await screen.open("/")
    assert "gus (guest)\nscans and lists domains" in screen.text

    screen.click("/domains expires:30")

    assert screen.named("Message").props["value"] == "/domains expires:30"


async def test_the_app_is_offered_to_be_mentioned(slack: LocalSlack, screen: Screen) -> None:
    await screen.open("/?as=bob")
    screen.write("Ask @dom")
    screen.do(screen.all("option")[0], "mousedown.prevent")
    assert screen.named("Message").props["value"] == "Ask @Domain Tracker "

    screen.send("Ask @Domain Tracker domains")

    await screen.until(lambda: screen.messages)
    [said] = slack.person("bob").messages()
    assert said.text == f"Ask <@{slack.bot_user_id}> domains"
    assert "@Domain Tracker" in screen.messages[0]


async def test_a_file_of_the_app_is_shown_and_can_be_downloaded(
    slack: LocalSlack, screen: Screen
) -> None:
    files, general = slack.world.files, slack.channel("general")
    ticket = files.announce("domains.csv", 4)
    files.take(ticket["upload_url"].rpartition("/")[2], b"a,b\n")
    shared = files.complete({ticket["file_id"]: "12 domains"})
    files.share(shared, general.id, {"text": ""})
    await screen.open("/?as=bob")

    assert "12 domains\ndomains.csv · 4 bytes" in screen.messages[0]
    screen.click("Download domains.csv")

    assert await screen.downloaded() == b"a,b\n"


async def test_shortcuts_are_behind_the_lightning_and_in_the_menu_of_each_message(
    bot: ScriptedBot, slack: LocalSlack, screen: Screen
) -> None:
    slack.universe.app.settings = replace(
        slack.universe.app.settings,
        shortcuts=(
            Shortcut("Scan a domain", "scan_domain", "global"),
            Shortcut("Scan domains here", "scan_message", "message"),
        ),
    )
    said = slack.person("cy").say("shop.example is down")
    await screen.open("/?as=bob&channel=general")

    choose(screen, "Scan a domain")
    await screen.until(lambda: bot.got)
    choose(screen, "Scan domains here")
    await screen.until(lambda: len(bot.got) == 2)

    first, second = (delivery.payload for delivery in bot.got)
    assert (first["type"], first["callback_id"]) == ("shortcut", "scan_domain")
    assert (second["callback_id"], second["message"]["ts"]) == ("scan_message", said.ts)
    await screen.open("/?as=zoe")
    assert not [item for item in screen.all("menuitem") if "Scan" in item.props["aria-label"]]
