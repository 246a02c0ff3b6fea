"""The blocks that messages are made of. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.message import Block
from bot.redaction import holds_secret
from bot.views.text import (
    MAX_ACTION_ID_CHARS,
    MAX_BUTTON_CHARS,
    MAX_BUTTON_VALUE_CHARS,
    MAX_FIELDS,
    MAX_HEADER_CHARS,
    MAX_SECTION_CHARS,
    clip,
)

# A pressed button with this beginning runs the command line in its value again. `HERE` puts the
# answer where the button was, `BELOW` under it.
RUN_HERE = "run.here"
RUN_BELOW = "run.below"


def header(text: str) -> Block:
    """Return a title; `text` is not parsed."""
    return {"type": "header", "text": plain_text(text, MAX_HEADER_CHARS)}


def section(mrkdwn: str, accessory: Block | None = None) -> Block:
    """Return a paragraph of finished mrkdwn."""
    block = {"type": "section", "text": _mrkdwn(mrkdwn), "expand": True}
    return block | {"accessory": accessory} if accessory else block


def paragraphs(lines: Iterable[str]) -> list[Block]:
    """Return lines of finished mrkdwn: long ones a paragraph each, short ones together."""
    texts: list[str] = []
    for line in lines:
        if texts and len(texts[-1]) + len(line) < MAX_SECTION_CHARS // 2:
            texts[-1] += f"\n{line}"
        else:
            texts.append(line)
    return [section(text) for text in texts]


def fields(pairs: Sequence[tuple[str, str]]) -> Block:
    """Return at most ten labelled values in two columns; the values are finished mrkdwn."""
    return {
        "type": "section",
        "fields": [
            _mrkdwn(f"*{label}*\n{clip(value, 1900)}") for label, value in pairs[:MAX_FIELDS]
        ],
    }


def context(mrkdwn: str) -> Block:
    """Return a small grey line of finished mrkdwn."""
    return {"type": "context", "elements": [_mrkdwn(mrkdwn)]}


def actions(*buttons: Block | None) -> list[Block]:
    """Return a row of those buttons that are there, or nothing when none is."""
    present = [button for button in buttons if button]
    return [{"type": "actions", "elements": present}] if present else []


def button(label: str, action_id: str, value: str = "", **more: Any) -> Block | None:
    """Return a button, or `None` when its value is longer than Slack takes, or holds a secret.

    `more` may hold `style` and `confirm`.
    """
    if len(value) > MAX_BUTTON_VALUE_CHARS or holds_secret(value):
        return None
    element = {
        "type": "button",
        "text": plain_text(label, MAX_BUTTON_CHARS),
        "action_id": action_id,
        **more,
    }
    return element | {"value": value} if value else element


def run_button(
    label: str, command_line: str, *, here: bool = False, number: int = 0, **more: Any
) -> Block | None:
    """Return a button that runs a command line; `number` tells apart those of one row."""
    action_id = f"{RUN_HERE if here else RUN_BELOW}.{number}.{label.lower().replace(' ', '-')}"
    return button(label, action_id[:MAX_ACTION_ID_CHARS], command_line, **more)


def confirm(title: str, text: str, yes: str) -> Mapping[str, Any]:
    """Return what Slack asks before a button does something that cannot be undone."""
    return {
        "title": plain_text(title, 100),
        "text": plain_text(text, 300),
        "confirm": plain_text(yes, 30),
        "deny": plain_text("Cancel", 30),
        "style": "danger",
    }


def plain_text(text: str, limit: int) -> Block:
    """Return a text object that Slack does not parse."""
    return {"type": "plain_text", "text": clip(text, limit) or "–", "emoji": True}


def _mrkdwn(text: str) -> Block:
    # verbatim: names and addresses in it must not turn into links by themselves.
    return {"type": "mrkdwn", "text": clip(text, MAX_SECTION_CHARS) or "–", "verbatim": True}
