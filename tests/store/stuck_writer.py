"""A process whose sqlitedict thread dies in the middle of a call. It says what its calls said."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from bot.store.documents import StoreError
from bot.store.sqlite import open_sqlite

FATAL = "SELECT CAST(x'ff' AS TEXT)"  # text that is no UTF-8: an error while the row is fetched


async def say(call: Callable[[], Awaitable[object]]) -> None:
    try:
        await call()
    except StoreError as error:
        sys.stdout.write(f"{error}\n")


async def die(path: Path) -> None:
    store = await open_sqlite(path, timeout_s=0.3)
    await say(lambda: store.run(lambda rows: rows.conn.select_one(FATAL)))
    # On a busy machine it dies after that was given up.
    while store._writer.is_alive():  # noqa: ASYNC110  a thread that dies tells no one
        await asyncio.sleep(0.01)
    await say(lambda: store.get("-.T1/key"))
    await say(store.close)
    sys.stdout.flush()
    os._exit(0)  # the store's thread waits for an answer that never comes


if __name__ == "__main__":
    asyncio.run(die(Path(sys.argv[1])))
