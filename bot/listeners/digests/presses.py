"""What was done in the open forms, so that an older answer does not hide a newer one."""

import asyncio
from dataclasses import dataclass, field

from cachetools import LRUCache

MAX_FORMS = 10_000


@dataclass(slots=True)
class _Form:
    """One open form: how much was done in it, and what it looked like after our last draw."""

    number: int = 0
    drawn_hash: str | None = None
    drawn_at: int = 0  # how much had been done in it by then
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Presses:
    """Counts what is done in each open form. It knows only what came to this process."""

    def __init__(self) -> None:
        self._forms: LRUCache[str | None, _Form] = LRUCache(MAX_FORMS)

    def note(self, view_id: str | None) -> int:
        """Note a press in a form; return its number, by which `is_latest` knows it."""
        form = self._form(view_id)
        form.number += 1
        return form.number

    def is_latest(self, view_id: str | None, number: int) -> bool:
        """Say whether nothing was done in that form since."""
        return view_id not in self._forms or self._forms[view_id].number == number

    def turn(self, view_id: str | None) -> asyncio.Lock:
        """Return what is held while a form is drawn: one draw after the other."""
        return self._form(view_id).turn

    def note_drawn(self, view_id: str | None, view_hash: str | None) -> None:
        """Note the hash that Slack gave a form when we drew it."""
        form = self._form(view_id)
        form.drawn_hash, form.drawn_at = view_hash, form.number

    def drawn_hash(self, view_id: str | None, number: int) -> str | None:
        """Return the hash that the form had after our last draw.

        `None`: there was none, or it came after something newer than press `number`.
        """
        form = self._form(view_id)
        return form.drawn_hash if form.drawn_at <= number else None

    def _form(self, view_id: str | None) -> _Form:
        return self._forms.setdefault(view_id, _Form())
