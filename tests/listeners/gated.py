"""A store whose writes wait until they may go on; and what is noted of those who wait."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bot.listeners.interrupted import InflightTracker
from bot.store.documents import Document
from tests.fakes import TIME_LIMIT_S
from tests.memory import MemoryDocuments


def a_tracker(_tasks: object = None, **how: Any) -> InflightTracker:
    return InflightTracker(**how)


class GatedDocuments(MemoryDocuments):
    """A store whose writes wait for `gate`; counts what was put."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting = 0
        self.puts = 0
        self.changed = asyncio.Condition()

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        self.waiting += 1
        await self._note_change()
        await self.gate.wait()
        document = await super().put(key, value, due_at=due_at, if_rev=if_rev)
        self.puts += 1
        await self._note_change()
        return document

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        was_there = await super().delete(key, if_rev=if_rev)
        await self._note_change()
        return was_there

    def now(self) -> list[Document]:
        """Return what there is, at once."""
        return [found for key in self._keys("") if (found := self._read(key))]

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(TIME_LIMIT_S), self.changed:
            await self.changed.wait_for(is_so)

    async def _note_change(self) -> None:
        async with self.changed:
            self.changed.notify_all()
