"""Build Block Kit blocks and elements within Slack's limits. Pure."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from bot.blocks.message import MAX_TEXT_CHARS, Block, Message, grouped, unfolded
from bot.blocks.text import (
    MAX_ACTION_ID_CHARS,
    MAX_BUTTON_CHARS,
    MAX_BUTTON_VALUE_CHARS,
    MAX_CONTAINER_TITLE_CHARS,
    MAX_FIELDS,
    MAX_HEADER_CHARS,
    MAX_OPTION_CHARS,
    MAX_SECTION_CHARS,
    MAX_VIEW_TITLE_CHARS,
    clip,
    escape,
    lines_within,
    outside,
    without_markup,
)
from bot.process.redaction import holds_secret, redact

# A button whose action id begins so runs the command line in its value. `HERE` replaces the
# message with the answer, `BELOW` answers under it.
RUN_HERE = "run.here"
RUN_BELOW = "run.below"
CANCEL = "cancel"
RUN_ONCE = f"{RUN_BELOW}.once"  # the same, once for each message
_CUT = "The message itself says more."
_ENDS = (".", "!", "?", "…")
# Of a score; the path to a page has such an arrow, too.
_CHANGE = re.compile(r"(?<!Portfolio) → ")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# What is drawn, and how it is said.
_WORDS = (
    ("  ·  ", ", "),
    ("     ", ", "),
    ("\N{NO-BREAK SPACE}", " "),
    ("  ▲ +", ", up "),
    ("  ▼ \N{MINUS SIGN}", ", down "),
    ("▲ +", "up "),
    ("▼ \N{MINUS SIGN}", "down "),
    ("\N{VARIATION SELECTOR-16}", ""),
)


def header(text: str) -> Block:
    """Return a title; `text` is not parsed."""
    return {"type": "header", "text": plain_text(text, MAX_HEADER_CHARS)}


def section(mrkdwn: str, accessory: Block | None = None) -> Block:
    """Return a paragraph of finished mrkdwn."""
    block = {"type": "section", "text": mrkdwn_text(mrkdwn), "expand": True}
    return block | {"accessory": accessory} if accessory else block


def text_section(text: str) -> Block:
    """Return a paragraph that Slack does not parse: for text from outside that is no code."""
    return {"type": "section", "text": plain_text(text, MAX_SECTION_CHARS), "expand": True}


def paragraphs(lines: Iterable[str], draw: Callable[[str], Block] = section) -> list[Block]:
    """Return lines of finished mrkdwn, or as `draw` takes them, short ones together."""
    return [draw(text) for text in grouped(lines)]


def fields(pairs: Sequence[tuple[str, str]]) -> Block:
    """Return at most ten labelled values in two columns; the values are finished mrkdwn."""
    return {
        "type": "section",
        "fields": [
            mrkdwn_text(f"*{label}*\n{clip(value, 1900)}") for label, value in pairs[:MAX_FIELDS]
        ],
    }


def context(mrkdwn: str) -> Block:
    """Return a small grey line of finished mrkdwn."""
    return {"type": "context", "elements": [mrkdwn_text(mrkdwn)]}


def container(
    title: str, subtitle: str, children: list[Block], *, is_folded: bool = True
) -> Block:
    """Return sections and actions that a reader can fold; the subtitle may be empty.

    https://docs.slack.dev/reference/block-kit/blocks/container-block
    Slack refuses rich text in it, which that page allows
    (https://docs.rs/slack-morphism, `SlackContainerBlock`).
    """
    under = {"subtitle": plain_text(subtitle, MAX_CONTAINER_TITLE_CHARS)} if subtitle else {}
    return {
        "type": "container",
        "title": plain_text(title, MAX_CONTAINER_TITLE_CHARS),
        **under,
        "is_collapsible": True,
        "default_collapsed": is_folded,
        "child_blocks": children,
    }


def actions(*buttons: Block | None) -> list[Block]:
    """Return a row of the buttons that are not `None`; no row if there are none."""
    present = [button for button in buttons if button]
    return [{"type": "actions", "elements": present}] if present else []


def button(label: str, action_id: str, value: str = "", **more: Any) -> Block | None:
    """Return a button, `None` if its value is too long for Slack or holds a secret.

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
    label: str,
    command_line: str,
    *,
    here: bool = False,
    once: bool = False,
    number: int = 0,
    **more: Any,
) -> Block | None:
    """Return a button that runs a command line; `number` makes it unique in its row."""
    way = RUN_HERE if here else RUN_ONCE if once else RUN_BELOW
    action_id = f"{way}.{number}.{label.lower().replace(' ', '-')}"
    return button(label, action_id[:MAX_ACTION_ID_CHARS], command_line, **more)


def again_button(command_line: str | None) -> Block | None:
    return run_button("Try again", command_line, once=True) if command_line else None


def confirm(title: str, text: str, yes: str) -> Mapping[str, Any]:
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


def raw_text(text: str) -> Block:
    return {"type": "raw_text", "text": text}


def link_cell(text: str, url: str | None) -> Block:
    """Return a cell of a data table, but not of its header, that is a link if it has an address.

    https://docs.slack.dev/reference/block-kit/blocks/data-table-block and
    https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
    """
    if not url:
        return raw_text(text)
    link = {"type": "link", "url": url, "text": text}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [link]}]}


def raw_number(value: float, text: str) -> Block:
    """Return a cell of a data table that sorts by `value` and shows `text`."""
    return {"type": "raw_number", "value": value, "text": text}


def mrkdwn_text(text: str, limit: int = MAX_SECTION_CHARS) -> Block:
    # verbatim: names and addresses in it must not turn into links by themselves.
    return {"type": "mrkdwn", "text": clip(text, limit) or "–", "verbatim": True}


def form(
    callback_id: str, title: str, submit: str, blocks: list[Block], *, metadata: str = ""
) -> Block:
    """Return a form with a button that submits it; `metadata` comes back with it."""
    return notice(title, blocks, metadata=metadata) | {
        "callback_id": callback_id,
        "submit": plain_text(submit, MAX_VIEW_TITLE_CHARS),
        "close": plain_text("Cancel", MAX_VIEW_TITLE_CHARS),
    }


def notice(title: str, blocks: list[Block], *, metadata: str = "") -> Block:
    """Return a form that only shows something; `metadata` comes back with its buttons."""
    return {
        "type": "modal",
        "private_metadata": metadata,
        "title": plain_text(title, MAX_VIEW_TITLE_CHARS),
        "close": plain_text("Close", MAX_VIEW_TITLE_CHARS),
        "blocks": blocks,
    }


def paragraph_notice(title: str, mrkdwn: str) -> Block:
    return notice(title, [section(mrkdwn)])


def field(
    block_id: str, label: str, element: Block, *, hint: str = "", optional: bool = False
) -> Block:
    """Return a labelled field; without `optional` Slack insists on a value."""
    block = {
        "type": "input",
        "block_id": block_id,
        "label": plain_text(label, 100),
        "element": element,
        "optional": optional,
    }
    return block | {"hint": plain_text(hint, 200)} if hint else block


def input_element(kind: str, action_id: str, placeholder: str = "", **more: Any) -> Block:
    """Return an element for `field`; properties that are `None` are left out."""
    if placeholder:
        more["placeholder"] = plain_text(placeholder, 150)
    present = {name: value for name, value in more.items() if value is not None}
    return {"type": kind, "action_id": action_id, **present}


def option(value: str, shown: str | None = None, note: str = "") -> Block:
    """Return an option of a menu. The label is clipped; the caller limits `value`."""
    text = outside(shown or value, MAX_OPTION_CHARS)
    made = {"text": plain_text(text, MAX_OPTION_CHARS), "value": value}
    return made | {"description": plain_text(note, MAX_OPTION_CHARS)} if note else made


def message_of(*blocks: Block) -> Message:
    return Message(text_of(blocks), blocks)


def text_of(blocks: Iterable[Block]) -> str:
    """Return what blocks say in words, for notifications and screen readers."""
    # Of all sentences at once: a table has dozens.
    said = "\n".join(chain.from_iterable(map(_sentences, blocks)))
    for sign, word in _WORDS:
        said = said.replace(sign, word)
    said = _NOT_ASCII.sub(_without_symbol, _CHANGE.sub(" to ", said))
    sentences = [sentence for line in said.split("\n") if (sentence := _sentence(line))]
    kept = lines_within(sentences, MAX_TEXT_CHARS - len(_CUT))
    cut = [] if len(kept) == len(sentences) else [_CUT]
    # A symbol or a mark may have been in the middle of a key.
    return outside(" ".join([*kept, *cut]), MAX_TEXT_CHARS)


def _sentences(block: Block) -> Iterator[str]:
    """Yield what a block says: a field, a list or a container in one line."""
    if block["type"] == "container":
        under = f": {_said(block['subtitle'])}" if "subtitle" in block else ""
        yield f"{_said(block['title'])}{under}".replace("\n", " ")
        return
    if block["type"] in {"data_table", "data_visualization"}:
        yield from chain.from_iterable(map(_sentences, unfolded(block)))
        return
    for field in block.get("fields", ()):
        yield _said(field).replace("\n", ": ")
    texts = [block["text"]] if "text" in block else []
    if block["type"] == "context":
        texts = block["elements"]
    for text in texts:
        title, *listed = _said(text).split("\n• ")
        colon = "" if title.endswith((*_ENDS, ":")) else ":"
        if listed:
            yield f"{title}{colon} {'; '.join(listed)}".replace("\n", " ")
        else:
            yield from title.splitlines()


def _said(part: Block) -> str:
    text = str(part["text"])
    return without_markup(text) if part["type"] == "mrkdwn" else escape(redact(text))


def _sentence(text: str) -> str:
    """Return a line with an end, and one space between words."""
    said = " ".join(text.split()).replace(" ,", ",")
    return said if said.endswith(_ENDS) or not said else f"{said.rstrip(':')}."


def _without_symbol(found: re.Match[str]) -> str:
    return "" if unicodedata.category(found[0]) == "So" else found[0]


def plain_message(mrkdwn: str, *buttons: Block | None) -> Message:
    return message_of(section(mrkdwn), *actions(*buttons))
