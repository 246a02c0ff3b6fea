"""A whole message: https://docs.slack.dev/reference/methods/chat.postMessage."""

import json
from collections.abc import Mapping

from bot.playground.blockkit.payload import check_blocks
from bot.playground.blockkit.problems import Problem
from bot.playground.blockkit.text_size import text_chars

# Not on a Slack page; found by people who ran into it: slackapi/bolt-js#2509.
MAX_SHOWN_CHARS = 13_200
# https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
MAX_ATTACHMENTS = 100
# "Limit this field": https://docs.slack.dev/reference/methods/chat.postMessage
MAX_MARKDOWN_TEXT_CHARS = 12_000

Refusal = tuple[str, list[Problem]]


def check_message(payload: Mapping[str, object]) -> Refusal | None:
    """Return Slack's error code for this message with its problems, or None when it is fine.

    `blocks` and `attachments` may be lists or, as in a form, JSON in a string. Codes: `no_text`,
    `invalid_blocks_format`, `invalid_blocks`, `msg_blocks_too_long`, `invalid_attachments` (also
    for a second table, as Slack has it), `too_many_attachments`, and `msg_too_long` for
    `markdown_text`. The length of `text` is not looked at: it depends on the method.
    """
    blocks, attachments = _decoded(payload, "blocks"), _decoded(payload, "attachments")
    if not isinstance(blocks, list):
        return "invalid_blocks_format", [_no_list("/blocks")]
    if not isinstance(attachments, list):
        return "invalid_attachments", [_no_list("/attachments")]
    if not blocks and not attachments and not _has_text(payload):
        return "no_text", []
    if len(str(payload.get("markdown_text") or "")) > MAX_MARKDOWN_TEXT_CHARS:
        return "msg_too_long", []
    return _refused_blocks(blocks) or _refused_attachments(attachments)


def _decoded(payload: Mapping[str, object], name: str) -> object:
    """Return the field's value, [] when it is absent or empty, None when it is no JSON."""
    value = payload.get(name)
    if value is None or value == "":
        return []
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _has_text(payload: Mapping[str, object]) -> bool:
    texts = (payload.get("text"), payload.get("markdown_text"))
    return any(isinstance(text, str) and text.strip() for text in texts)


def _refused_blocks(blocks: list[object]) -> Refusal | None:
    problems = check_blocks(blocks)
    if problems:
        is_second_table = all(one.code == "only_one_table_allowed" for one in problems)
        return ("invalid_attachments" if is_second_table else "invalid_blocks"), problems
    if text_chars(blocks) > MAX_SHOWN_CHARS:
        return "msg_blocks_too_long", []
    return None


def _refused_attachments(attachments: list[object]) -> Refusal | None:
    if len(attachments) > MAX_ATTACHMENTS:
        return "too_many_attachments", []
    problems: list[Problem] = []
    for index, attachment in enumerate(attachments):
        root = f"/attachments/{index}"
        if not isinstance(attachment, dict):
            problems.append(Problem("wrong_type", "must provide an object", root))
        elif "blocks" in attachment:
            problems += check_blocks(attachment["blocks"], root=f"{root}/blocks")
    return ("invalid_attachments", problems) if problems else None


def _no_list(pointer: str) -> Problem:
    return Problem("wrong_type", "must provide an array", pointer)
