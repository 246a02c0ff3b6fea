"""A digest as a message: its parts, and what holds for every one of them."""

from typing import Any

from bot.blocks.message import MAX_TEXT_CHARS, Message
from bot.digests.alert_life import alert_of
from bot.digests.report import Post
from bot.digests.views.alert import alert_message
from bot.digests.views.changes import with_news
from bot.playground.blockkit.payload import text_chars
from tests.blocks.acceptance import assert_slack_takes, shown_text
from tests.digests.builders import DIGEST_ID

Json = Any
MANAGED = {"Manage": DIGEST_ID}
MAX_MESSAGE_CHARS = 10_000


def taken(message: Message, *tokens: str) -> Message:
    """Check that Slack takes a message in which nothing acts but `tokens`; return it."""
    text, blocks = message.text, message.blocks
    for token in tokens:
        text, blocks = text.replace(token, ""), _without(token, blocks)
    assert_slack_takes(Message(text, blocks))
    for each in (message, message.fallback() or message):
        assert text_chars(each.as_args()["blocks"]) <= MAX_MESSAGE_CHARS
        assert len(each.blocks) <= 50
    assert len(message.text) <= MAX_TEXT_CHARS
    return message


def _without(token: str, value: Json) -> Json:
    if isinstance(value, str):
        return value.replace(token, "")
    if isinstance(value, dict):
        return {name: _without(token, part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_without(token, part) for part in value)
    return value


def block(message: Message, kind: str, number: int = 0) -> Json:
    return [block for block in message.blocks if block["type"] == kind][number]


def rows(message: Message) -> list[list[str]]:
    return [[cell["text"] for cell in row] for row in block(message, "data_table")["rows"]]


def title(message: Message) -> str:
    return str(block(message, "header")["text"]["text"])


def has(message: Message, kind: str) -> bool:
    return any(block["type"] == kind for block in message.blocks)


def everywhere(message: Message, words: str) -> bool:
    """Whether a message says so to everybody: in its text, its blocks and their fallback."""
    fallback = message.fallback() or message
    blocks = [shown_text(Message("", each.blocks)) for each in (message, fallback)]
    return all(words in text.replace("`", "").replace("*", "") for text in (message.text, *blocks))


def card(post: Post, name: str = "d1/t") -> Message:
    """Return the message that posts an alert about what got worse."""
    alert = alert_of(post, post.digest.plan.channel_id)
    message = alert_message(name, alert, post.digest, post.sent_at)
    return with_news(message, post.report, post.sent_at)
