"""What holds for everything that the views make: Slack takes it, and nothing from outside acts."""

import json
import re
from collections.abc import Iterator
from typing import Any

from bot.blocks.message import Message
from bot.playground.blockkit import check_blocks, check_message, check_view
from bot.playground.blockkit.payload import text_chars
from bot.process.redaction import holds_secret
from tests.blocks.accessible import assert_accessible, objects
from tests.builders import ADMIN_ID, KEY_TAIL

# Of the blocks that every client has known for years.
PLAIN_BLOCKS = {"section", "header", "context", "actions", "divider"}
MAX_TOP_LEVEL_CHARS = 4000
# Where Slack answers msg_blocks_too_long: https://github.com/slackapi/bolt-js/issues/2509
MAX_MESSAGE_CHARS = 13_200
# The only markup that may be there: a moment with its fallback, who set the key, its page.
OUR_MARKUP = re.compile(
    r"<!date\^-?\d+\^(\{date_short_pretty\} at \{time\}|\{date_short\})\|[^<>|&]+>"
    rf"|<@{ADMIN_ID}>"
    r"|<https://tracker\.example/keys\|Portfolio → API Keys>"
)
DAY = re.compile(r"<!date\^-?\d+\^\{date_short\}\|([^<>|&]+)>")
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
# Fields that Slack gives back to the bot and shows to no one.
NOT_SHOWN = {"value", "action_id", "block_id", "private_metadata", "callback_id"}

Json = Any


def assert_slack_takes(message: Message) -> None:
    """Check a message and its fallback."""
    _assert_message(message)
    plain = message.fallback() or message
    _assert_message(plain)
    assert {block["type"] for block in plain.blocks} <= PLAIN_BLOCKS
    assert plain.fallback() is None


def assert_slack_takes_form(view: Json) -> None:
    refusal = check_view(view)
    assert refusal is None, refusal
    _assert_inert(view)
    assert_accessible(view["blocks"])


def assert_slack_takes_options(options: list[Json]) -> None:
    """Check options as the menu that they are offered in."""
    assert len(options) <= 100
    menu = {"type": "static_select", "action_id": "a", "options": options}
    problems = check_blocks([{"type": "actions", "elements": [menu]}] if options else [])
    assert problems == []
    _assert_inert(options)


def shown(payload: Json) -> list[str]:
    """Return every text inside that somebody gets to read."""
    return [text for name, text in _strings(payload) if name not in NOT_SHOWN]


def shown_text(message: Message) -> str:
    """Return every text inside, its days as clients without tokens show them."""
    return DAY.sub(r"\1", "\n".join(shown(message.as_args())))


def buttons(payload: Json) -> dict[str, str]:
    """Return the buttons inside, label by value."""
    if isinstance(payload, Message):
        payload = payload.as_args()
    found = [part for part in objects(payload) if part.get("type") == "button"]
    return {button["text"]["text"]: button.get("value", "") for button in found}


def _assert_message(message: Message) -> None:
    args = message.as_args()
    refusal = check_message(args)
    assert refusal is None, refusal
    assert text_chars(args["blocks"]) <= MAX_MESSAGE_CHARS
    assert 0 < len(args["text"].strip()) <= MAX_TOP_LEVEL_CHARS
    _assert_inert(args["blocks"])
    assert_accessible(args["blocks"], args["text"])
    for table in (block for block in args["blocks"] if block["type"] == "data_table"):
        assert table["page_size"] == len(table["rows"]) - 1  # Slack would show five at a time
    _assert_parsed_text_is_inert(args["text"])


def _assert_inert(payload: Json) -> None:
    for part in objects(payload):
        assert part.get("type") != "section" or part.get("expand", "fields" in part)  # not folded
        if part.get("type") == "mrkdwn":
            assert part["verbatim"] is True
            _assert_parsed_text_is_inert(part["text"])
    for text in shown(payload):
        assert not UNSEEN.search(text), ascii(text)
    _assert_no_secret(json.dumps(payload, ensure_ascii=False))


def _assert_parsed_text_is_inert(text: str) -> None:
    rest = OUR_MARKUP.sub("", text)
    assert "<" not in rest, text
    assert not UNSEEN.search(text), ascii(text)
    _assert_no_secret(text)


def _assert_no_secret(text: str) -> None:
    assert not holds_secret(text), text
    assert KEY_TAIL.casefold() not in text.casefold()


def _strings(payload: Json, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(payload, str):
        yield name, payload
    elif isinstance(payload, dict):
        for key, child in payload.items():
            yield from _strings(child, key)
    elif isinstance(payload, list | tuple):
        for child in payload:
            yield from _strings(child, name)
