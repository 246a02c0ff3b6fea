"""The `rich_text` block and everything that may stand in it.

https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

import re
from collections.abc import Mapping
from typing import Any

from bot.playground.blockkit.objects import BLOCK_ID, URL
from bot.playground.blockkit.schema import (
    Choice,
    Flag,
    Integer,
    ListOf,
    Need,
    OneOf,
    Shape,
    String,
    table,
)

DOCS = "https://docs.slack.dev/reference/block-kit/blocks/rich-text-block"

_WORD_STYLES: Mapping[str, Any] = {
    name: Flag() for name in ("bold", "italic", "strike", "code", "underline")
}
_MENTION_STYLES: Mapping[str, Any] = {
    **_WORD_STYLES,
    **{name: Flag() for name in ("highlight", "client_highlight", "unlink")},
}
WORD_STYLE = table("", DOCS, **_WORD_STYLES)
MENTION_STYLE = table("", DOCS, **_MENTION_STYLES)

TEXT = table("text", DOCS, text=Need(String()), style=WORD_STYLE)
LINK = table("link", DOCS, url=Need(URL), text=String(), unsafe=Flag(), style=WORD_STYLE)
EMOJI = table(
    "emoji",
    DOCS,
    name=Need(String()),
    unicode=String(),
    skin_tone=Integer(least=1, most=6),
    style=WORD_STYLE,
)
DATE = table(
    "date",
    DOCS,
    timestamp=Need(Integer(least=0)),
    format=Need(String()),
    url=URL,
    fallback=String(),
    style=WORD_STYLE,
)
COLOR = table(
    "color",
    DOCS,
    value=Need(String(pattern=re.compile(r"#?[0-9a-fA-F]{6}"), wanted="must be a hex color")),
    style=WORD_STYLE,
)
BROADCAST = table(
    "broadcast", DOCS, range=Need(Choice("here", "channel", "everyone")), style=WORD_STYLE
)


def _mention(kind: str) -> Shape:
    named: dict[str, Any] = {f"{kind}_id": Need(String())}
    return table(kind, DOCS, **named, style=MENTION_STYLE)


_INLINE = OneOf(
    TEXT,
    LINK,
    EMOJI,
    DATE,
    COLOR,
    BROADCAST,
    *(_mention(kind) for kind in ("user", "usergroup", "channel", "team")),
)
_BORDER = Choice(0, 1)

# Slack takes these without a single element, as its Block Kit Builder shows.
SECTION = table("rich_text_section", DOCS, elements=Need(ListOf(item=_INLINE, least=0)))
QUOTE = table(
    "rich_text_quote", DOCS, elements=Need(ListOf(item=_INLINE, least=0)), border=_BORDER
)
PREFORMATTED = table(
    "rich_text_preformatted",
    DOCS,
    elements=Need(ListOf(item=OneOf(TEXT, LINK), least=0)),
    border=_BORDER,
    language=String(),
)
# Lists hold sections only: a deeper level is another list with a larger `indent`.
LIST = table(
    "rich_text_list",
    DOCS,
    style=Need(Choice("bullet", "ordered")),
    elements=Need(ListOf(item=OneOf(SECTION))),
    indent=Integer(least=0, most=8),
    offset=Integer(least=0),
    border=_BORDER,
)

RICH_TEXT = table(
    "rich_text",
    DOCS,
    elements=Need(ListOf(item=OneOf(SECTION, LIST, QUOTE, PREFORMATTED), least=0)),
    block_id=BLOCK_ID,
)
ONLY_RICH_TEXT = OneOf(RICH_TEXT)
