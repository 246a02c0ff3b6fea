"""What was done in open forms and tabs, so that an older answer does not hide a newer one."""

import asyncio
from dataclasses import dataclass, field

from cachetools import LRUCache

MAX_PLACES = 10_000


@dataclass(slots=True)
class _Place:
    """What is open: how much was done in it, and what it looked like after our last draw."""

    number: int = 0
    drawn_hash: str | None = None
    drawn_at: int = 0  # how much had been done in it by then
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Presses:
    """Counts what is done in each open form or tab. It knows only what came to this process.

    A `place` is what names one: the id of a form, the person whose tab it is.
    """

    def __init__(self) -> None:
        self._places: LRUCache[str | None, _Place] = LRUCache(MAX_PLACES)

    def note(self, place: str | None) -> int:
        """Note a press in a place; return its number, by which `is_latest` knows it."""
        found = self._place(place)
        found.number += 1
        return found.number

    def is_latest(self, place: str | None, number: int) -> bool:
        """Say whether nothing was done in that place since."""
        return place not in self._places or self._places[place].number == number

    def turn(self, place: str | None) -> asyncio.Lock:
        """Return what is held while a place is drawn: one draw after the other."""
        return self._place(place).turn

    def note_drawn(self, place: str | None, view_hash: str | None) -> None:
        """Note the hash that Slack gave a place when we drew it."""
        found = self._place(place)
        found.drawn_hash, found.drawn_at = view_hash, found.number

    def drawn_hash(self, place: str | None, number: int) -> str | None:
        """Return the hash that the place had after our last draw.

        `None`: there was none, or it came after something newer than press `number`.
        """
        found = self._place(place)
        return found.drawn_hash if found.drawn_at <= number else None

    def forget(self, beginning: str) -> None:
        """Forget every place whose name begins so."""
        for place in [each for each in self._places if each and each.startswith(beginning)]:
            del self._places[place]

    def _place(self, place: str | None) -> _Place:
        return self._places.setdefault(place, _Place())
