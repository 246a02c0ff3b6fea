"""Every sentence that people read is short, in words that a colleague would say in Slack."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import bot
from tests.blocks.acceptance import shown
from tests.loops import loop_over

MAX_WORDS = 20
UNSAID = re.compile(
    r"\b(whoever|anew|as listed|for want of|by your note|nobody|meanwhile|my memory)\b", re.I
)
BOT = Path(bot.__file__).parent
# A store speaks SQL, and the playground as Slack does.
WRITTEN = [
    path
    for path in sorted(BOT.rglob("*.py"))
    if not {"store", "playground"} & set(path.relative_to(BOT).parts)
]


# Code, mentions and dates count as nothing; each line of a list is on its own.
NOT_WORDS = re.compile(r"`[^`]*`|<[^<>]*>")
END = re.compile(r"(?<=[.!?])\s+|\n|  ·  ")


def long_sentences(text: str) -> list[str]:
    """Return the sentences of a text that have too many words."""
    sentences = END.split(NOT_WORDS.sub(" ", text))
    return [each for each in sentences if _words(each) > MAX_WORDS]


def _words(sentence: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in sentence.split())


def literals(path: Path) -> Iterator[str]:
    """Return every text in a module's code; what is put in counts as code."""
    tree = ast.parse(path.read_text())
    inner = {id(part) for node in ast.walk(tree) for part in _parts(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "`…`"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and id(node) not in inner:
            yield str(node.value)


def _parts(node: ast.AST) -> list[ast.AST]:
    """Return what is no text of its own: parts of an f-string, and docstrings."""
    match node:
        case ast.JoinedStr(values=values):
            return list(values)
        case ast.Expr(value=ast.Constant() as text):
            return [text]
    return []


@loop_over("path", WRITTEN, ids=lambda path: path.name)
def test_no_text_in_the_code_is_long_or_in_words_that_are_not_said(path: Path) -> None:
    texts = list(literals(path))

    assert [text for text in texts if UNSAID.search(text)] == []
    assert [long for text in texts for long in long_sentences(text)] == []


def too_long(payload: object) -> list[str]:
    return [long for text in shown(payload) for long in long_sentences(text)]
