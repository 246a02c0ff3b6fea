"""What the service refuses or spoils: each case reads differently, to members and to admins."""

import pytest

from bot import commands
from bot.playground.slack import Message
from bot.portfolio.service import FRESH_FOR
from tests.loops import loop_over
from tests.whole.town import Town

# The words are the same whatever carries them: one mode is enough for so many of them.
pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]

HOST = "shop.example"
# What each command that asks the service is typed like.
COMMANDS = [
    each.examples[0][0].replace("example.com", "blog.example" if each.operation == "add" else HOST)
    for each in commands.COMMANDS.values()
    if each.operation
]
KEYS_PAGE = "<https://tracker.example/#/keys|Portfolio → API Keys>"


def styles(message: Message) -> dict[str, str]:
    """Return the styles of the buttons that have one."""
    rows = [block["elements"] for block in message.blocks if block["type"] == "actions"]
    return {
        button["text"]["text"]: button["style"]
        for row in rows
        for button in row
        if "style" in button
    }


REFUSALS = [
    ("invalid_key", "who set it", "probably deleted or revoked", "Replace key"),
    ("ip", "ask a workspace admin", "`203.0.113.7`", "Try again"),
    ("rate_limit", "rate limit is reached", "1,000 an hour", "Try again"),
]


@loop_over("line", COMMANDS)
@loop_over(("kind", "member", "admin", "button"), REFUSALS)
async def test_each_error_tells_members_whom_to_ask_and_admins_what_to_do(
    shop: Town, line: str, kind: str, member: str, admin: str, button: str
) -> None:
    await shop.connect()  # another key, of which nothing is known yet
    shop.tracker.requests.clear()
    shop.tracker.retry_after_s = 90  # else the bot chooses, and may ask again for ada
    shop.tracker.fail_next(kind, times=9)

    to_bob = await shop.ask(shop.bob, line)
    to_ada = await shop.ask(shop.ada, line)
    shop.tracker.faults.clear()

    assert member in to_bob.everything
    assert admin in to_ada.everything
    assert admin not in to_bob.everything
    assert button in to_ada.buttons
    assert shop.service_requests() != []


async def test_a_missing_scope_tells_members_whom_to_ask_and_admins_which(shop: Town) -> None:
    await shop.submit_key(shop.acme.create_key("reader", scopes=("read_domains",), days=90))

    to_bob = await shop.ask(shop.bob, "/adddomain blog.example")
    to_ada = await shop.ask(shop.ada, "/adddomain blog.example")
    state = await shop.ask(shop.ada, "/domainkey")

    assert "may not add domains" in to_bob.everything
    assert "ask a workspace admin" in to_bob.everything
    assert "needs the scope `write_domains`" in to_ada.everything
    assert "Replace key" in to_ada.buttons
    assert "may not add domains" in state.everything


async def test_no_scope_is_claimed_for_a_scan_because_none_is_documented(shop: Town) -> None:
    shop.tracker.fail_next("permissions", on="scan")

    answer = await shop.ask(shop.ada, "/scan shop.example")

    assert "needs a wider scope" in answer.everything


@pytest.mark.modes("shared")
async def test_a_refused_key_is_told_once_by_direct_message_and_never_sent_again(
    shop: Town,
) -> None:
    shop.acme.revoke_key(shop.key)

    for _ in range(3):
        assert "no longer works" in (await shop.ask(shop.bob, "/domains")).everything
    told = await shop.ada.next_message(channel="dm")

    assert "no longer works" in told.everything
    posts = [call for call in shop.slack.calls if call.method == "chat.postMessage"]
    assert len(posts) == 1
    assert len(shop.service_requests()) == 1


async def test_an_expired_key_says_when_it_expired(shop: Town) -> None:
    shop.clock.ahead += shop.clock.ahead.resolution * 91 * 86_400_000_000

    answer = await shop.ask(shop.ada, "/domains")

    assert "It expired on" in answer.everything


@pytest.mark.modes("shared")
async def test_a_refused_key_that_works_again_is_taken_back_by_checking_it(shop: Town) -> None:
    shop.tracker.fail_next("invalid_key")
    refused = await shop.ask(shop.ada, "/domains")

    await shop.press(shop.ada, refused, "Check key")

    assert "3 domains" in (await shop.ask(shop.bob, "/domains")).everything


async def test_after_a_rate_limit_the_service_is_left_alone_for_as_long_as_it_asked(
    shop: Town,
) -> None:
    shop.tracker.retry_after_s = 90
    shop.tracker.fail_next("rate_limit")

    first = await shop.ask(shop.bob, "/domains")
    second = await shop.ask(shop.bob, "/domains")

    assert "in 90 s" in first.everything or "in 2 min" in first.everything
    assert "Try again" in second.buttons
    assert len(shop.service_requests()) == 1


OTHERS = ["500", "503", "html_500", "html_200", "empty_200", "truncated", "foreign_json"]
OTHERS += ["drop", "redirect", "huge"]


@loop_over("kind", OTHERS)
async def test_whatever_else_goes_wrong_gets_a_sentence_a_reference_and_another_try(
    shop: Town, kind: str
) -> None:
    shop.clock.ahead += FRESH_FOR
    shop.tracker.fail_next(kind, times=9)
    failed = await shop.ask(shop.bob, "/scan shop.example")
    assert "Domain Tracker" in failed.everything
    assert "Reference" in failed.everything
    assert "Traceback" not in failed.everything
    shop.tracker.faults.clear()

    answer = await shop.press(shop.bob, failed, "Try again")

    assert "Scan of shop.example" in answer.everything
    assert shop.tracker.followed_redirects == 0


async def test_what_the_service_declines_for_good_offers_no_other_try(shop: Town) -> None:
    shop.tracker.fail_next("teapot", on="scan")
    declined = await shop.ask(shop.bob, "/scan shop.example")
    shop.tracker.fail_next("permissions", on="scan")
    lacking = await shop.ask(shop.ada, "/scan shop.example")

    assert "Reference" in declined.everything
    assert declined.buttons == []
    assert "Try again" not in lacking.buttons
    assert KEYS_PAGE in str(lacking.blocks)


async def test_a_refused_key_makes_replacing_it_the_loudest_button(shop: Town) -> None:
    works = await shop.ask(shop.ada, "/domainkey")
    shop.acme.revoke_key(shop.key)
    refused = await shop.ask(shop.ada, "/domains")
    state = await shop.ask(shop.ada, "/domainkey")
    notice = await shop.ada.next_message(channel="dm")

    assert styles(works) == {}
    assert styles(refused) == styles(state) == styles(notice) == {"Replace key": "primary"}
    assert "Try again" not in refused.buttons
    for message in (refused, state, notice):
        assert KEYS_PAGE in str(message.blocks)


@loop_over("kind", ["500", "html_200", "truncated", "drop", "huge"])
async def test_a_scan_is_never_sent_twice_by_itself(shop: Town, kind: str) -> None:
    before = len(shop.bob.messages())
    shop.tracker.requests.clear()
    shop.tracker.fail_next(kind, times=9, on="scan")

    failed = await shop.ask(shop.bob, "/scan shop.example")
    shop.tracker.faults.clear()

    assert "Reference" in failed.everything
    assert shop.service_requests().count(("POST", "scan")) == 1
    assert len(shop.bob.messages()) == before + 1


async def test_a_maintenance_page_does_not_disable_the_key(shop: Town) -> None:
    shop.clock.ahead += FRESH_FOR
    shop.tracker.answer_next(status=401, body=b"<h1>Back in a minute</h1>", on="list")

    failed = await shop.ask(shop.bob, "/scan blog.example")
    worked = await shop.ask(shop.bob, "/domains")

    assert "is unavailable" in failed.everything
    assert "shop.example" in worked.everything
