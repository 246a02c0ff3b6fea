"""The `rich_text` block and everything that may stand in it.

https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

import re
from collections.abc import Mapping

from bot.playground.blockkit.objects import BLOCK_ID, BLOCKS, URL
from bot.playground.blockkit.schema import (
    Choice,
    Flag,
    Integer,
    ListOf,
    OneOf,
    Shape,
    Spec,
    String,
)

DOCS = f"{BLOCKS}/rich-text-block"

_WORD_STYLES: Mapping[str, Spec] = {
    name: Flag() for name in ("bold", "italic", "strike", "code", "underline")
}
_MENTION_STYLES: Mapping[str, Spec] = {
    **_WORD_STYLES,
    **{name: Flag() for name in ("highlight", "client_highlight", "unlink")},
}
WORD_STYLE = Shape(docs=DOCS, optional=_WORD_STYLES)
MENTION_STYLE = Shape(docs=DOCS, optional=_MENTION_STYLES)

TEXT = Shape(kind="text", docs=DOCS, required={"text": String()}, optional={"style": WORD_STYLE})
LINK = Shape(
    kind="link",
    docs=DOCS,
    required={"url": URL},
    optional={"text": String(), "unsafe": Flag(), "style": WORD_STYLE},
)
EMOJI = Shape(
    kind="emoji",
    docs=DOCS,
    required={"name": String()},
    optional={"unicode": String(), "skin_tone": Integer(least=1, most=6), "style": WORD_STYLE},
)
DATE = Shape(
    kind="date",
    docs=DOCS,
    required={"timestamp": Integer(least=0), "format": String()},
    optional={"url": URL, "fallback": String(), "style": WORD_STYLE},
)
COLOR = Shape(
    kind="color",
    docs=DOCS,
    required={
        "value": String(pattern=re.compile(r"#?[0-9a-fA-F]{6}"), wanted="must be a hex color")
    },
    optional={"style": WORD_STYLE},
)
BROADCAST = Shape(
    kind="broadcast",
    docs=DOCS,
    required={"range": Choice("here", "channel", "everyone")},
    optional={"style": WORD_STYLE},
)


def _mention(kind: str) -> Shape:
    return Shape(
        kind=kind,
        docs=DOCS,
        required={f"{kind}_id": String()},
        optional={"style": MENTION_STYLE},
    )


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
SECTION = Shape(
    kind="rich_text_section",
    docs=DOCS,
    required={"elements": ListOf(item=_INLINE, least=0)},
)
QUOTE = Shape(
    kind="rich_text_quote",
    docs=DOCS,
    required={"elements": ListOf(item=_INLINE, least=0)},
    optional={"border": _BORDER},
)
PREFORMATTED = Shape(
    kind="rich_text_preformatted",
    docs=DOCS,
    required={"elements": ListOf(item=OneOf(TEXT, LINK), least=0)},
    optional={"border": _BORDER, "language": String()},
)
# Lists hold sections only: a deeper level is another list with a larger `indent`.
LIST = Shape(
    kind="rich_text_list",
    docs=DOCS,
    required={"style": Choice("bullet", "ordered"), "elements": ListOf(item=OneOf(SECTION))},
    optional={
        "indent": Integer(least=0, most=8),
        "offset": Integer(least=0),
        "border": _BORDER,
    },
)

RICH_TEXT = Shape(
    kind="rich_text",
    docs=DOCS,
    required={"elements": ListOf(item=OneOf(SECTION, LIST, QUOTE, PREFORMATTED), least=0)},
    optional={"block_id": BLOCK_ID},
)
ONLY_RICH_TEXT = OneOf(RICH_TEXT)
