"""What a person hears who does not see a message or a form: a screen reader, or a notification.

They are given the text of a message in place of its blocks; in a form, the blocks in their order:
https://docs.slack.dev/reference/methods/chat.postMessage#accessibility
"""

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from bot.blocks.text import SYMBOLS
from bot.domains.end_views import SOON, URGENT
from bot.process.redaction import INVISIBLE
from bot.scans.fact_views import SIGNS

Json = Any
# A color or a shape that says something needs words beside it, an arrow words or a number.
TELLING = {*SYMBOLS.values(), *SIGNS.values(), SOON, URGENT, *"✅⏳", "⏸️"}
ARROWS = set("▲▼")
NAMED_BY = {"image": "alt_text", "video": "alt_text", "data_table": "caption"}
NAMED_BY |= {"data_visualization": "title", "container": "title"}
# Words that need eyes, or the blocks.
POINTS = re.compile(
    r"\b(see|shown|listed|as) (below|above)\b|\b(this|the) (table|chart)\b|:\s*$", re.I
)
WORD = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")


def assert_accessible(blocks: Sequence[Json], text: str | None = None) -> None:
    """Check blocks, and the text that stands for them in a notification."""
    for part in objects(blocks):
        if name := NAMED_BY.get(part.get("type", "")):
            assert _words(part[name]), part
    for line in (line for each in texts(blocks) for line in each.split("\n")):
        assert not any(sign in line for sign in TELLING) or _words(line), line
        assert not ARROWS.intersection(line) or any(map(str.isalnum, line)), line
    _assert_buttons_differ(blocks)
    _assert_order(blocks)
    if text is not None:
        _assert_stands_alone(text, blocks)


def _assert_buttons_differ(blocks: Sequence[Json]) -> None:
    """A screen reader lists buttons by their names, without what stands beside them."""
    does = defaultdict(set)
    for part in objects(blocks):
        if part.get("type") == "button":
            name = part.get("accessibility_label") or part["text"]["text"]
            assert _words(name), part
            if "accessibility_label" not in part and not name.endswith("…"):
                does[name].add(INVISIBLE.sub("", part.get("value", "")).strip())
    assert all(len(each) == 1 for each in does.values()), dict(does)


def _assert_order(blocks: Sequence[Json]) -> None:
    """What a block is about comes before it."""
    kinds = [block["type"] for block in blocks]
    assert kinds[0] not in {"actions", "divider"}, kinds
    for before, after in pairwise(kinds):
        assert before != "header" or after not in {"header", "divider"}, kinds


def _assert_stands_alone(text: str, blocks: Sequence[Json]) -> None:
    assert _words(text), text
    assert not POINTS.search(text), text
    said, shown = _plain(text), _plain("\n".join(texts(blocks)))
    once = [
        each for each in SENTENCE_END.split(said) if said.count(each) == shown.count(each) == 1
    ]
    places = [shown.index(each) for each in once]
    assert places == sorted(places), (said, shown)
    for block in blocks:
        if block["type"] == "header":
            words = WORD.findall(_plain(block["text"]["text"]))
            assert all(word in said for word in words), (words, said)


def texts(payload: Json) -> Iterator[str]:
    """Yield every text inside that somebody gets to read."""
    for part in objects(payload):
        if isinstance(part.get("text"), str):
            yield part["text"]


def objects(payload: Json) -> Iterator[dict[str, Json]]:
    """Yield every object inside, in the order in which they are read."""
    waiting = [payload]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += reversed(part.values())
        elif isinstance(part, list | tuple):
            waiting += reversed(part)


def _words(value: Json) -> bool:
    """Whether there is more than signs: texts from outside may have no letters."""
    said = value["text"] if isinstance(value, dict) else value
    return any(unicodedata.category(char)[0] in "LNP" for char in re.sub(r":\w+:", "", said))


def _plain(text: str) -> str:
    """Return mrkdwn, or text, as it reads."""
    return " ".join(html.unescape(re.sub(r"[*`_]|<[^|>]*\|([^>]*)>", r"\1", text)).split())
