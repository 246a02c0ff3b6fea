"""Call commands as the app's manifest does: with the operator's prefix, if there is one."""

import re
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

# The prefix and the commands. What a process does follows from its start, which sets them.
_naming: ContextVar[tuple[str, frozenset[str]]] = ContextVar("naming", default=("", frozenset()))
# What comes back to the bot.
_KEPT = {"action_id", "block_id", "initial_value", "private_metadata", "url", "value"}


def use_prefix(prefix: str, commands: Iterable[str]) -> None:
    """Let each of `commands`, such as `/scan`, be called `/<prefix>scan` from now on."""
    _naming.set((prefix, frozenset(commands)))


def typed_name(command: str) -> str:
    """Return the name by which Slack knows a command of the bot."""
    return f"/{_naming.get()[0]}{command[1:]}"


def own_name(typed: str) -> str:
    """Return the bot's name of a command that was typed; other text as it is."""
    return next((name for name in _naming.get()[1] if typed_name(name) == typed), typed)


def renamed(part: Any) -> Any:
    """Return a message, form or part of one with the names that people type."""
    prefix, commands = _naming.get()
    if not prefix:
        return part
    if isinstance(part, str):
        names = "|".join(name[1:] for name in commands)
        return re.sub(rf"(?<![\w./-])/(?=(?:{names})\b(?![/-]))", f"/{prefix}", part)
    if isinstance(part, list | tuple):
        return [renamed(each) for each in part]
    if not isinstance(part, dict) or part.get("type") == "raw_text":  # a cell: outside text
        return part
    return {name: value if name in _KEPT else renamed(value) for name, value in part.items()}
