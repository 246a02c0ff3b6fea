"""The tables of `tables.yaml` as shapes: https://docs.slack.dev/reference/block-kit."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bot.playground.blockkit.rules import RULES
from bot.playground.blockkit.schema import (
    EVERYWHERE,
    Choice,
    Flag,
    Integer,
    ListOf,
    Number,
    OneOf,
    Rule,
    Shape,
    Spec,
    String,
    some_of,
)

_TABLES: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("tables.yaml").read_text("utf-8")
)
_RANGE = r"(\d+)-(\d*)"


def _string(pattern: str, wanted: str, most: int | None = None) -> String:
    return String(most=most, pattern=re.compile(pattern), wanted=wanted)


_PATTERNS: dict[str, Spec] = {
    # Other schemes than http are taken, `slack:` at least (https://github.com/slackapi/bolt-js/issues/464).
    # What would run in the reader's client is not "a URL to load in the user's browser":
    # https://docs.slack.dev/reference/block-kit/block-elements/button-element.
    "url": _string(
        r"(?i)(?!(?:javascript|vbscript|data):)[a-z][a-z0-9+.-]*:\S+", "must be a valid URL", 3000
    ),
    "numeral": _string(r"-?[0-9]+(\.[0-9]+)?", "must be a number in a string"),
    "day": _string(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "must be a date like 2030-01-31"),
    "time": _string(r"([01][0-9]|2[0-3]):[0-5][0-9]", "must be a time like 09:30"),
    "hex_color": _string(r"#?[0-9a-fA-F]{6}", "must be a hex color"),
}


def _text(kind: str, most: int) -> Shape:
    flag = "emoji" if kind == "plain_text" else "verbatim"
    return Shape(kind, {"text": String(most=most)}, {flag: Flag()}, EVERYWHERE, ())


def spec(words: str) -> Spec:
    """Return what a field takes, from the words of the table. Raises: KeyError."""
    head, _, rest = words.partition(" ")
    if (bounds := re.fullmatch(_RANGE, head)) and rest.startswith("of "):
        item = spec(rest.removeprefix("of "))
        return ListOf(item=item, least=int(bounds[1]), most=_most(bounds[2]))
    if words.startswith("any of "):
        return OneOf(*(shape for name in rest.split()[1:] for shape in _named(name)))
    if head in ("plain", "text") and rest:
        kinds = ("plain_text",) if head == "plain" else ("plain_text", "mrkdwn")
        return OneOf(*(_text(kind, int(rest)) for kind in kinds))
    return _PATTERNS.get(words) or _simple(head, rest)


def _simple(head: str, rest: str) -> Spec:
    bounds = re.fullmatch(_RANGE, rest)
    least, most = (int(bounds[1]), _most(bounds[2])) if bounds else (None, _most(rest))
    match head:
        case "string":
            return String(most=most, least=1 if least is None else least)
        case "integer":
            return Integer(least=least, most=most)
        case "number":
            return Number()
        case "flag":
            return Flag()
        case "choice":
            return Choice(*rest.split())
    return shape(head)


def _most(digits: str) -> int | None:
    return int(digits) if digits.isdecimal() else None


def _named(name: str) -> Iterator[Shape]:
    """Yield the table of that name, or those of a group."""
    if name in _TABLES["groups"]:
        for member in _TABLES["groups"][name].split():
            yield from _named(member)
    elif name in ("plain_text", "mrkdwn"):
        yield _text(name, 3000)
    else:
        yield shape(name)


@cache
def shape(name: str) -> Shape:
    """Return the table of that name; `block/image` is the block, `image` the element."""
    kind = name.removeprefix("block/")
    sections = ("blocks",) if kind != name else ("typed", "untyped", "blocks")
    section = next(each for each in sections if kind in _TABLES[each])
    fields = dict(_TABLES[section][kind])
    fields.pop("docs", None)  # the page that the table was written from
    surfaces = frozenset(fields.pop("in", EVERYWHERE))
    rules = tuple(rule for words in fields.pop("rules", ()) for rule in _rules(words))
    if section == "blocks":
        fields["block_id"] = "string 255"
    required = {name[:-1]: spec(words) for name, words in fields.items() if name.endswith("!")}
    optional = {name: spec(words) for name, words in fields.items() if not name.endswith("!")}
    kind = "" if section == "untyped" else kind
    return Shape(kind, required, optional, surfaces, rules)


def _rules(words: str) -> tuple[Rule, ...]:
    if words.startswith("some of "):
        return (some_of(*words.split()[2:]),)
    return (RULES[words],)


BLOCKS = tuple(shape(f"block/{kind}") for kind in _TABLES["blocks"])
