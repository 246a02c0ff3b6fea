"""Command lines in messages: in mentions of the app, and in its own conversation."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote

import pytest

from bot.playground.manifest import read_manifest
from bot.playground.slack import Message, Person
from bot.playground.slack.posting import OTHER_BOT_ID
from bot.slack.auth import MENTION_SCOPES
from tests.whole.harness import Harness, running_bot
from tests.whole.many import many_stand_ins

pytestmark = pytest.mark.transports("socket")

AT = "@domain_tracker"


@pytest.fixture
def heard(ready: Harness) -> Harness:
    """The manifest with what stands in its comments, as docs/operators.md says."""
    about, settings = read_manifest(reads_messages=True), ready.slack.app.settings
    settings.events, settings.messages_tab_read_only = about.events, about.messages_tab_read_only
    ready.slack.world.scopes = about.scopes
    return ready


async def said(
    ready: Harness, text: str, place: str = "general", by: Person | None = None
) -> Message:
    bot = ready.slack.bot_user_id
    return await (by or ready.bob).next_message(
        place, where=lambda each: each.user == bot and text in each.everything
    )


async def test_a_mention_is_answered_privately_or_with_here_for_all(heard: Harness) -> None:
    cy = heard.slack.person("cy")
    start = cy.say("Is it down?")
    heard.bob.say(f"{AT} scan shop.example", thread_ts=start.ts)
    alone = await said(heard, "Scan of shop.example")
    first = heard.bob.say(f"{AT} domains tag:prod here")
    shared = await said(heard, "tag:prod")

    assert (alone.thread_ts, alone.seen_by) == (start.ts, heard.bob.id)
    assert (shared.thread_ts, shared.is_ephemeral) == (first.ts, False)
    assert "new.example" not in shared.everything
    assert "Share in thread" in alone.buttons
    heard.ada.say(f"{AT} domainkey here")
    state = await said(heard, "API key", by=heard.ada)
    assert state.is_ephemeral  # only what has a `Share` button is for everyone
    assert "Share" not in " ".join(shared.buttons)


async def test_here_in_a_channel_of_two_companies_says_once_who_reads_along(
    heard: Harness,
) -> None:
    heard.slack.channel("general").is_shared = True
    first = heard.bob.say(f"{AT} domains tag:prod here")
    note = await said(heard, "People from another company")
    heard.bob.say(f"{AT} domains tag:eu here")
    await said(heard, "tag:eu")
    heard.bob.say(f"{AT} domains tag:nope")
    await said(heard, "tag:nope")

    assert (note.thread_ts, note.seen_by) == (None, heard.bob.id)
    assert first.ts < note.ts
    shown = " ".join(each.everything for each in heard.bob.messages())
    assert shown.count("People from another company") == 1


async def test_only_in_channels_the_help_names_here(heard: Harness) -> None:
    hint = "Add `here` to answer in the thread for everyone."
    heard.bob.say(f"{AT} is it down?")
    in_channel = await said(heard, "I only read commands")
    heard.bob.say("is it down?", channel="dm")
    in_direct = await said(heard, "I only read commands", "dm")

    assert hint in in_channel.everything
    assert "here" not in in_direct.everything.split()
    assert hint not in in_direct.everything


async def test_only_real_mentions_are_answered_once(heard: Harness) -> None:
    slack, text = heard.slack, f"<@{heard.slack.bot_user_id}> domains"
    slack.world.posting.add(slack.channel("general"), {"text": text}, user=OTHER_BOT_ID)
    line = heard.bob.say(f"{AT} domains tag:nope")
    await said(heard, "tag:nope")
    heard.bob.edit(line, f"{AT} domains")
    await heard.slack.lines.settled()
    told = next(each for each in heard.slack.envelopes if line.ts in str(each.payload))
    await heard.slack.deliver_event(told.payload["event"], event_id=told.payload["event_id"])
    heard.bob.say("domains tag:last", channel="dm")
    await said(heard, "tag:last", "dm")

    bot = heard.slack.bot_user_id
    assert [each.user for each in heard.bob.messages()].count(bot) == 1


async def test_lines_in_the_apps_conversation_are_answered(heard: Harness) -> None:
    heard.bob.say("scan shop.example", channel="dm")
    scan = await said(heard, "Scan of shop.example", "dm")
    heard.bob.say("is shop.example fine?", channel="dm")
    overview = await said(heard, "I only read commands", "dm")
    heard.bob.say("scan", channel="dm")
    opener = await said(heard, "opens a form", "dm")
    heard.bob.say("my key is service_sk_abcdefghijklmnop", channel="dm")
    warning = await said(heard, "exposed", "dm")

    assert not scan.is_ephemeral
    assert {"All domains", "Scan", "Add domain"} <= set(overview.buttons)
    assert "service_sk" not in warning.everything
    await heard.bob.press(opener, "Open form")
    assert (await heard.bob.next_form()).title == "Scan a domain"
    gus = heard.slack.person("gus")
    gus.say("domainkey", channel="dm")
    assert (await said(heard, "admin", "dm", by=gus)).buttons == []


async def test_a_line_that_comes_hours_late_is_only_offered(heard: Harness) -> None:
    """Slack may send events again long after an outage."""
    heard.slack.app.settings.events, events = (), heard.slack.app.settings.events
    line = heard.bob.say(f"{AT} adddomain more.example")
    heard.slack.app.settings.events = events
    heard.clock.ahead += timedelta(minutes=11)
    event = {"type": "app_mention", "user": heard.bob.id, "text": line.text, "ts": line.ts}
    event |= {"channel": heard.slack.channel("general").id, "event_ts": line.ts}
    await heard.slack.deliver_event(event)
    late = await said(heard, "not run")

    assert "more than ten minutes" in late.everything
    assert "POST" not in [method for method, _ in heard.service_requests()]
    await heard.bob.press(late, "Run it now")
    assert (await said(heard, "Added")).buttons


async def test_the_install_link_may_ask_for_mentions(tmp_path: Path) -> None:
    async with many_stand_ins(tmp_path, ["amber"]) as many:
        app = many["amber"]
        app.settings = app.settings.model_copy(update={"slack_mentions": True})
        async with running_bot(app):
            address = await app.ada.browser().begin(app.url("/slack/install"))

    assert all(scope in unquote(address) for scope in MENTION_SCOPES)
