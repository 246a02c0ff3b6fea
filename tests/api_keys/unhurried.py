"""A store in memory in which others come in between, as in a real one."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

from bot.store.documents import Document
from tests.memory import MemoryDocuments


class UnhurriedDocuments(MemoryDocuments):
    """Lets everybody else go first before each read and write; remembers what was read.

    `before_delete` comes in between before the next document is deleted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.before_delete: Callable[[], Awaitable[object]] | None = None

    async def get(self, key: str) -> Document | None:
        self.read.append(key)
        await asyncio.sleep(0)
        return await super().get(key)

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        await asyncio.sleep(0)
        return await super().put(key, value, due_at=due_at, if_rev=if_rev)

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        come_in, self.before_delete = self.before_delete, None
        if come_in:
            await come_in()
        return await super().delete(key, if_rev=if_rev)
