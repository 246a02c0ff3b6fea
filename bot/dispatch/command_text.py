"""Split the text behind a slash command into words: `tag:prod folder:"two words" shop`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from bot.process.errors import BotError

# Slack's clients turn straight quotes into curly ones while people type.
_CURLY = "“”„‟«»"
QUOTES = f'"{_CURLY}'
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
    """One part of a command's text, `raw` as Slack sent it; `key` is lower case or `None`."""

    key: str | None
    value: str
    raw: str

    @property
    def typed(self) -> str:
        """The part as it was typed, without Slack's escaping."""
        return unescaped(self.raw)


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A part of a command that means nothing, as typed, and why.

    `why` is the predicate of a sentence about it, with a capital a sentence that follows "I don't
    know", "" for what is not known at all. `key` is named in place of the part. `fix` is what may
    be meant, "" to leave the part out, `None` where neither helps.
    """

    part: str
    why: str = ""
    key: str = ""
    fix: str | None = None


class NotUnderstoodError(BotError):
    """Parts of a command mean nothing; `understood` are those that do, as typed.

    `corrected` is the text that may be meant, `None` if that is not known.
    """

    def __init__(
        self,
        problems: Sequence[NotUnderstood],
        understood: list[str],
        corrected: str | None = None,
    ) -> None:
        self.problems = problems
        self.understood = understood
        self.corrected = corrected
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


def unknown_key(word: "Word", known: Iterable[str]) -> NotUnderstood:
    """Return the problem of a word whose key is none of the known ones."""
    key = word.key or ""
    near = get_close_matches(key, list(known), n=1)
    fix = f"{near[0]}:{quoted(word.value)}" if near and word.value else ""
    return NotUnderstood(word.typed, key=f"{key}:", fix=fix)


def require_understood(words: Sequence[Word | NotUnderstood]) -> None:
    """Raise NotUnderstoodError with all that is not understood among the words of a command."""
    if problems := [each for each in words if isinstance(each, NotUnderstood)]:
        understood = [each.typed for each in words if isinstance(each, Word)]
        meant = [each.raw if isinstance(each, Word) else each.fix for each in words]
        corrected = None if None in meant else " ".join(filter(None, meant))
        raise NotUnderstoodError(problems, understood, corrected)


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
