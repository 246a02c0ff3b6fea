"""Every sentence that people read is short, in words that a colleague would say in Slack."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import bot.views
from bot.api_keys.key_record import KeyNotice, NoticeKind
from bot.commands import COMMANDS
from bot.message import Message
from bot.views.adddomain import already_added_message
from bot.views.api_key import key_state_message
from bot.views.api_key_forms import KeyFormValues, second_step, third_step
from bot.views.errors_api_key import key_notice
from bot.views.usage import interrupted_message, usage_message
from tests.builders import ADMIN_ID, MOMENT, TODAY, a_domain, a_key_record
from tests.loops import loop_over
from tests.views.acceptance import shown
from tests.views.test_installing import EVERY_MESSAGE
from tests.views.test_key_state import BUDGET
from tests.views.test_key_years import an_earlier_key, pair_of

MAX_WORDS = 20
UNSAID = re.compile(
    r"\b(whoever|anew|as listed|for want of|by your note|nobody|meanwhile|my memory)\b", re.I
)
VIEWS = Path(bot.views.__path__[0])
WRITTEN = [
    *sorted(VIEWS.rglob("*.py")),
    *(VIEWS.parent / each for each in ("commands.py", "settings.py")),
    VIEWS.parent / "__main__.py",
    *sorted((VIEWS.parent / "ops").glob("*.py")),
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


def made() -> Iterator[Message]:
    """Return messages of every kind, put together as people read them."""
    record, earlier = a_key_record(expires_on=TODAY), an_earlier_key()
    states = [
        a_key_record(),
        record,
        a_key_record(expires_on=TODAY.replace(year=2029)),
        a_key_record(refused_at=MOMENT),
        a_key_record(lacks=("add", "scan")),
        None,
    ]
    yield from (usage_message(command) for command in COMMANDS)
    yield from (EVERY_MESSAGE[kind]("Acme") for kind in EVERY_MESSAGE)
    yield from (key_notice(KeyNotice(kind), record, TODAY) for kind in NoticeKind)
    yield from (
        key_state_message(each, BUDGET, MOMENT, earlier=earlier, managers=(ADMIN_ID,))
        for each in states
    )
    yield from (interrupted_message(line) for line in ("/scan shop.example", None))
    yield already_added_message("shop.example", a_domain())


def too_long(payload: object) -> list[str]:
    return [long for text in shown(payload) for long in long_sentences(text)]


def test_no_message_and_no_step_of_a_rotation_has_a_long_sentence() -> None:
    text = [message.as_args() for message in made()]
    record, earlier = a_key_record(), an_earlier_key()

    assert [long for each in text for long in too_long(each["blocks"])] == []
    assert [each["text"] for each in text if UNSAID.search(str(each))] == []
    assert too_long(second_step("", KeyFormValues(), None, pair_of(record, earlier))) == []
    assert too_long(third_step(record, earlier, 3, "")) == []
