"""Which messages the bot answers, and what it reads in them."""

from datetime import UTC, datetime
from typing import Any

from slack_bolt.authorization import AuthorizeResult

from bot.dispatch.mentions import MAX_LINES, read_line, read_lines, read_message
from tests.loops import loop_over
from tests.stopwatch import at_most

BOT = "U0BOT"
MENTION = {
    "type": "app_mention",
    "user": "U1",
    "text": f"<@{BOT}> domains",
    "channel": "C1",
    "ts": "2.1",
    "team": "T1",
}
DIRECT = {**MENTION, "type": "message", "channel": "D1", "channel_type": "im"}


@loop_over(
    "text, line, is_for_all",
    [
        (f"<@{BOT}> scan a.example", "/scan a.example", False),
        (f" <@{BOT}|domain_tracker>:\u00a0/Scan  a.example", "/scan a.example", False),
        ("scan <http://a.example|a.example>", "/scan <http://a.example|a.example>", False),
        (f"<@{BOT}> domains tag:prod Here ", "/domains tag:prod", True),
        (f'<@{BOT}> domains folder:"a  b"', '/domains folder:"a  b"', False),
        ("domains", "/domains", False),
        ("domains\nhere", "/domains", True),
        ("domains there", "/domains there", False),
        ("scan help", "/scan help", False),
        ("help", "help", False),
        ("here", "here", False),
        ("please scan a.example here", "please scan a.example here", False),
        (f"scan a.example <@{BOT}>", f"/scan a.example <@{BOT}>", False),
        (f"thanks, <@{BOT}>", f"thanks, <@{BOT}>", False),
        ("<@U2> scan a.example", "<@U2> scan a.example", False),
        (f"<@{BOT}>", "", False),
        ("", "", False),
    ],
)
def test_a_command_line_needs_no_slash(text: str, line: str, is_for_all: bool) -> None:
    assert read_line(text, BOT) == (line, is_for_all)


NOW = datetime.fromtimestamp(602, UTC)


def read_all(event: dict[str, Any]) -> list[Any]:
    class Context:
        authorize_result = AuthorizeResult(enterprise_id=None, team_id="T1", bot_user_id=BOT)
        client: Any = None

    return read_message({"event": event}, Context, None, now=NOW)  # type: ignore[arg-type]  # not used


def read(event: dict[str, Any]) -> Any:
    return next(iter(read_all(event)), None)


@loop_over(
    "event",
    [
        {**MENTION, "bot_id": "B1"},
        {**MENTION, "edited": {"user": "U1", "ts": "3.1"}},
        {**MENTION, "subtype": "bot_message"},
        {**MENTION, "user": None},
        {**MENTION, "user": "USLACKBOT"},
        {**DIRECT, "subtype": "message_changed", "hidden": True},
        {**DIRECT, "subtype": "message_deleted", "user": None},
        {**DIRECT, "bot_id": "B1"},
        {**MENTION, "type": "message", "channel_type": "channel"},
        {**MENTION, "type": "message"},
    ],
)
def test_bots_edits_and_messages_to_others_are_not_read(event: dict[str, Any]) -> None:
    assert read(event) is None


def test_an_answer_goes_to_the_thread_only_where_there_is_one_and_a_shared_one_begins_it() -> None:
    first, reply = read(MENTION).origin, read({**MENTION, "thread_ts": "1.1"}).origin

    assert first.thread(to_channel=False) == {}
    assert first.thread(to_channel=True) == {"thread_ts": "2.1"}
    assert reply.thread(to_channel=False) == reply.thread(to_channel=True) == {"thread_ts": "1.1"}


def test_in_the_app_s_own_conversation_nothing_is_shared() -> None:
    request = read({**DIRECT, "text": "domains here"})

    assert (request.answer.command_line, request.answer.shares) == ("/domains", False)
    assert (request.origin.channel_id, request.origin.thread_ts) == (None, None)
    assert read({**DIRECT, "thread_ts": "1.1"}).origin.is_in_thread


@loop_over(
    "event, is_from_elsewhere",
    [(MENTION, False), ({**MENTION, "user_team": "T2"}, True), ({**MENTION, "team": None}, False)],
)
def test_strangers_are_recognised(event: dict[str, Any], is_from_elsewhere: bool) -> None:
    assert read(event).is_from_elsewhere is is_from_elsewhere


@loop_over(
    "text, lines",
    [
        (f"<@{BOT}> scan a.example\n<@{BOT}> domains here", ["/scan a.example", "/domains"]),
        (f"<@{BOT}> scan a.example\n  <@{BOT}|bot> hm", ["/scan a.example", "hm"]),
        (f"scan a.example\n<@{BOT}> domains", ["/scan a.example", "/domains"]),
        (f"<@{BOT}> scan a.example <@{BOT}> domains", [f"/scan a.example <@{BOT}> domains"]),
        (f"<@{BOT}> scan a.example\nb.example", ["/scan a.example\nb.example"]),
    ],
)
def test_each_line_with_a_mention_is_a_command_line(text: str, lines: list[str]) -> None:
    assert [each.answer.command_line for each in read_all({**MENTION, "text": text})] == lines


def test_a_hundred_mentions_are_ten_command_lines() -> None:
    many = read_all({**MENTION, "text": "\n".join([f"<@{BOT}> domains"] * 100)})

    assert len(many) == MAX_LINES


@loop_over("ts, is_late", [("2.1", False), ("1.9", True)])
def test_what_was_written_ten_minutes_ago_is_late(ts: str, is_late: bool) -> None:
    assert read({**MENTION, "ts": ts}).is_late is is_late


def test_a_message_of_spaces_is_read_quickly() -> None:
    text = f"<@{BOT}> a{' ' * 40_000}b"  # as long as Slack lets a message be

    with at_most(processor_s=1):
        assert read_line(text, BOT) == (text.removeprefix(f"<@{BOT}> "), False)
        assert len(read_lines("\n" * 40_000, BOT)) == 1
