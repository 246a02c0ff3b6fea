"""Call commands as the app's manifest does: with the operator's prefix, if there is one."""

import re
from collections.abc import Collection
from contextvars import ContextVar
from typing import Any

# The prefix, and all commands with the bot's own names: set once, where a process starts.
NAMING: ContextVar[tuple[str, Collection[str]]] = ContextVar("NAMING", default=("", ()))
_OUTSIDE = {"raw_text", "link"}
_BACK = {"action_id", "block_id", "initial_value", "private_metadata", "url", "value"}


def typed_name(command: str) -> str:
    return f"/{NAMING.get()[0]}{command[1:]}"


def own_name(typed: str) -> str:
    """Return the bot's name of a command that was typed; other text as it is."""
    prefix, commands = NAMING.get()
    name = f"/{typed.removeprefix(f'/{prefix}')}"
    return name if name in commands and typed_name(name) == typed else typed


def renamed(part: Any) -> Any:
    """Return a message, form or part of one with the names that people type.

    What comes back to the bot, and names in tables, which are outside text, stay as they are.
    """
    prefix, commands = NAMING.get()
    if not prefix:
        return part
    if isinstance(part, str):
        names = "|".join(name[1:] for name in commands)
        return re.sub(rf"(?<![\w./-])/(?=(?:{names})\b(?![/-]))", f"/{prefix}", part)
    if isinstance(part, list | tuple):
        return [renamed(each) for each in part]
    if not isinstance(part, dict) or part.get("type") in _OUTSIDE:
        return part
    return {name: value if name in _BACK else renamed(value) for name, value in part.items()}
