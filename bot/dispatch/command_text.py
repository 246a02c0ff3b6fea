"""Split the text behind a slash command into words: `tag:prod folder:"two words" shop`."""

import re
from dataclasses import dataclass

from bot.process.errors import BotError

# Slack's clients turn straight quotes into curly ones while people type.
_CURLY = "“”„‟«»"
_STRAIGHT = str.maketrans(dict.fromkeys(_CURLY, '"'))
# A space behind the colon, as in "tag: prod": what follows is meant, unless it has a colon too.
_SPACE = r'(?:\s+(?="|[^\s:]+(?:\s|$)))?'
_WORD = re.compile(
    rf'(?:(?P<key>[A-Za-z]+):(?!//){_SPACE})?(?:"(?P<quoted>[^"]*)(?:"|$)|(?P<bare>\S+))?'
)
_NEEDS_QUOTES = re.compile(r"^$|\s|^//|^[A-Za-z]+:(?!//)|,$|&quot;")
# Slack escapes the first three, and nothing else (“R&copy” is no copyright sign):
# https://docs.slack.dev/messaging/formatting-message-text. The others are for `quoted` alone.
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"'}
_ENTITIES |= {f"&#{ord(char)};": char for char in _CURLY}
_ENTITY = re.compile("|".join(_ENTITIES))
_LINK = re.compile(r"<(?P<target>[^<>|]*)(?:\|(?P<label>[^<>]*))?>")


@dataclass(frozen=True, slots=True)
class Word:
    """One part of a command's text; `key` is lower case or `None`.

    `raw` is the part as Slack sent it, `typed` as the person sees it.
    """

    key: str | None
    value: str
    raw: str

    @property
    def typed(self) -> str:
        """The part as it was typed, without Slack's escaping."""
        return unescaped(self.raw)


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A part of a command that means nothing: what was typed, and why, in our own words."""

    part: str
    why: str


class NotUnderstoodError(BotError):
    """Parts of a command mean nothing; `understood` are those that do, as typed."""

    def __init__(self, problems: list[NotUnderstood], understood: list[str]) -> None:
        self.problems = problems
        self.understood = understood
        super().__init__(f"{len(problems)} part(s) of a command not understood")


def split_words(text: str) -> list[Word]:
    """Return the words of `text` in their order. Never fails: an open quote runs to the end."""
    found = (match for match in _WORD.finditer(text.translate(_STRAIGHT)) if match[0])
    return [
        Word(key=match["key"].lower() if match["key"] else None, value=_value(match), raw=match[0])
        for match in found
    ]


def quoted(value: str) -> str:
    """Return `value`, escaped as Slack does, so that `split_words` reads it as one word again."""
    for entity, char in _ENTITIES.items():
        value = value.replace(char, entity)
    return f'"{value}"' if _NEEDS_QUOTES.search(value) else value


def is_help(text: str) -> bool:
    return text.strip().lower() in {"help", "-h", "--help", "?"}


def unescaped(text: str) -> str:
    """Return `text` as it was typed: Slack links addresses in it and escapes three characters."""
    without_links = _LINK.sub(lambda link: link["label"] or link["target"], text)
    return _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], without_links)


def _value(match: re.Match[str]) -> str:
    """What stands in quotes is meant as it is; a bare value ends before a quote or a comma."""
    if match["quoted"] is not None:
        return unescaped(match["quoted"]).strip()
    return unescaped(match["bare"] or "").lstrip('"').rstrip('",')
