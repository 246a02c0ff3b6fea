"""Reduce text from outside to what can be compared or quoted. Pure; time linear in the text."""

import html
import re
import unicodedata

# Nobody hides a message behind so much text; a search must not take longer than an answer.
MAX_SEARCHED_CHARS = 1_000_000
# Each alternative ends at the end of the text at the latest: no place is read twice.
MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE
)
NO_LETTERS = re.compile(r"[\W_]+")


def visible(text: str) -> str:
    """Return what a browser would show of plain text or HTML: no tags, scripts or entities."""
    bare = MARKUP.sub("", text[:MAX_SEARCHED_CHARS])
    try:
        return html.unescape(bare)
    except ValueError:  # Python 3.11: an entity whose number has more than 4,300 digits
        return bare


def letters(text: str) -> str:
    """Return the letters and digits of plain text or HTML, without case: for comparing.

    `Invalid API-key`, `invalid_api_key`, `InvalidApiKey` and `Invalid&nbsp;<b>API</b> key` are
    all `invalidapikey`.
    """
    return NO_LETTERS.sub("", visible(text).casefold())


def one_line(text: str, max_chars: int) -> str:
    """Return plain text or HTML as one line without control characters, clipped with `…`."""
    shown = visible(text)
    plain = "".join(" " if unicodedata.category(char)[0] == "C" else char for char in shown)
    line = " ".join(plain.split())
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"
