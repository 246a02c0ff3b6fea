"""What the service refuses or spoils: each case reads differently, to members and to admins."""

import pytest

from bot.dispatch import commands
from bot.domains.service import FRESH_FOR
from bot.playground.slack import Message
from bot.playground.tracker.fault_responses import ELSEWHERE_PATH
from tests.loops import loop_over
from tests.whole.harness import Harness

# The words are the same whatever carries them: one mode is enough for so many of them.
pytestmark = pytest.mark.transports("socket")

HOST = "shop.example"
# What each command that asks the service is typed like.
COMMANDS = [
    each.examples[0][0].replace("example.com", "blog.example" if each.operation == "add" else HOST)
    for each in commands.COMMANDS.values()
    if each.operation
]
KEYS_PAGE = "*Portfolio → API Keys*"


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
    ("invalid_key", "I notified", "probably deleted or revoked", "Replace key"),
    ("ip", "ask a workspace admin", "`203.0.113.7`", "Try again"),
    ("rate_limit", "rate limit is reached", "1,000 an hour", "Try again"),
]


@loop_over("line", COMMANDS)
@loop_over(("kind", "member", "admin", "button"), REFUSALS)
async def test_each_error_is_explained_to_members_and_admins(
    ready: Harness, line: str, kind: str, member: str, admin: str, button: str
) -> None:
    await ready.connect()  # another key, of which nothing is known yet
    ready.tracker.requests.clear()
    ready.tracker.retry_after_s = 90  # else the bot chooses, and may ask again for ada
    ready.tracker.fail_next(kind, times=9)

    to_bob = await ready.ask(ready.bob, line)
    to_ada = await ready.ask(ready.ada, line)
    ready.tracker.faults.clear()

    assert member in to_bob.everything
    assert admin in to_ada.everything
    assert admin not in to_bob.everything
    assert button in to_ada.buttons
    assert ready.service_requests() != []


async def test_a_missing_scope_tells_members_whom_to_ask_and_admins_which(ready: Harness) -> None:
    await ready.submit_key(ready.account.create_key("reader", scopes=("read_domains",), days=90))

    to_bob = await ready.ask(ready.bob, "/adddomain blog.example")
    to_ada = await ready.ask(ready.ada, "/adddomain blog.example")
    state = await ready.ask(ready.ada, "/domainkey")

    assert "may not add domains" in to_bob.everything
    assert "ask a workspace admin" in to_bob.everything
    assert "needs the scope `write_domains`" in to_ada.everything
    assert "Replace key" in to_ada.buttons
    assert "may not add domains" in state.everything


OTHERS = ["500", "503", "html_500", "html_200", "empty_200", "truncated", "foreign_json"]
OTHERS += ["drop", "redirect", "huge"]


@loop_over("kind", OTHERS)
async def test_any_other_error_gets_a_reference(ready: Harness, kind: str) -> None:
    ready.clock.ahead += FRESH_FOR
    ready.tracker.fail_next(kind, times=9)
    failed = await ready.ask(ready.bob, "/scan shop.example")
    assert "Domain Tracker" in failed.everything
    assert "Reference" in failed.everything
    assert "Traceback" not in failed.everything
    ready.tracker.faults.clear()

    answer = await ready.press(ready.bob, failed, "Try again")

    assert "Scan of shop.example" in answer.everything
    assert ELSEWHERE_PATH not in [request.path for request in ready.tracker.requests]


async def test_a_refused_key_makes_replacing_it_the_loudest_button(ready: Harness) -> None:
    works = await ready.ask(ready.ada, "/domainkey")
    ready.account.revoke_key(ready.key)
    refused = await ready.ask(ready.ada, "/domains")
    state = await ready.ask(ready.ada, "/domainkey")
    notice = await ready.ada.next_message(channel="dm")

    assert styles(works) == {}
    assert styles(refused) == styles(state) == styles(notice) == {"Replace key": "primary"}
    assert "Try again" not in refused.buttons
    for message in (refused, state, notice):
        assert KEYS_PAGE in str(message.blocks)
