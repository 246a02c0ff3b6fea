"""A process that writes numbered documents until it is killed, and says what it has written."""

import asyncio
import sys
from itertools import count
from pathlib import Path

from bot.store.sqlite import open_sqlite

PREFIX = "-.T1/number/"


async def write(path: Path, first: int) -> None:
    store = await open_sqlite(path)
    for number in count(first):
        await store.put(f"{PREFIX}{number}", {"number": number})
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2])))
