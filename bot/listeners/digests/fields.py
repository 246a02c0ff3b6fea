"""The state of a form as Slack sends it, looked into without trusting it. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_ID = re.compile(r"[A-Z0-9]{2,30}")


@dataclass(frozen=True, slots=True)
class Field:
    """One field: the block that it stands in, and what Slack says that it holds."""

    block_id: str
    state: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str | None:
        """What was typed; `None`: nothing, or no text."""
        return _text(self.state.get("value"))

    @property
    def option(self) -> tuple[str, str] | None:
        """The value and the words of the one chosen option."""
        return _option(self.state.get("selected_option"))

    @property
    def options(self) -> list[str | None]:
        """The values of the chosen options, `None` for each that is no option."""
        chosen = self.state.get("selected_options")
        found = [_option(each) for each in chosen] if isinstance(chosen, list) else []
        return [each[0] if each else None for each in found]

    @property
    def value(self) -> str | None:
        """The value of the one chosen option."""
        return self.option[0] if self.option else None

    def picked(self, key: str) -> str | None:
        """Return what a picker holds under `key`, as `selected_date`."""
        return _text(self.state.get(key))

    @property
    def conversation_id(self) -> str | None:
        """The chosen channel's id, or `None`: none, or nothing like an id."""
        return _id(self.state.get("selected_conversation"))

    @property
    def user_ids(self) -> tuple[str, ...]:
        """The chosen people's ids; what is nothing like one is left out."""
        chosen = self.state.get("selected_users")
        ids = [_id(each) for each in chosen] if isinstance(chosen, list) else []
        return tuple(dict.fromkeys(each for each in ids if each))


def field_in(values: object, action_id: str) -> Field:
    """Return the field with that `action_id`, an empty one when there is none.

    Its block's id is not known beforehand: see `Editing.nonce`.
    """
    for block_id, elements in _items(values):
        for name, state in _items(elements):
            if name == action_id and isinstance(state, Mapping):
                return Field(block_id, state)
    return Field(action_id)


def _items(value: object) -> list[tuple[str, Any]]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return [(name, child) for name, child in pairs if isinstance(name, str)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _id(value: object) -> str | None:
    text = _text(value)
    return text if text and _ID.fullmatch(text) else None


def _option(option: object) -> tuple[str, str] | None:
    if not isinstance(option, Mapping):
        return None
    value, words = _text(option.get("value")), option.get("text")
    shown = _text(words.get("text")) if isinstance(words, Mapping) else None
    return (value, shown or value) if value else None
