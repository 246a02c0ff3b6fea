"""A process that works on a store: `count`, `claim` or `write`, see the functions."""

import asyncio
import random
import sys
from itertools import count as numbers

from bot.store.documents import ConflictError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from tests.store.test_documents import increment

KEYS = 100
SIGNAL = "-.T1/begin"


async def count(store: PostgresDocuments) -> None:
    """Add one to each of a few documents, again and again, by compare-and-set."""
    await asyncio.gather(*(increment(store, f"-.T1/count/{n % 5}") for n in range(KEYS)))


async def claim(store: PostgresDocuments) -> None:
    """Say which documents could be put as the first one."""
    for number in random.sample(range(KEYS), KEYS):
        try:
            await store.put(f"-.T1/claim/{number:03}", {}, if_rev=0)
        except ConflictError:
            continue
        say(number)


async def write(store: PostgresDocuments) -> None:
    """Put numbered documents until it is killed, and say what was put."""
    first = 1_000_000 * len(await store.list_keys("-.T1/number/"))
    for number in numbers(first):
        await store.put(f"-.T1/number/{number}", {"number": number})
        say(number)


def say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


async def work(action: str, url: str) -> None:
    store = await open_postgres(parse_address(url))
    say(0)
    while not await store.get(SIGNAL):  # so that several processes begin at once
        pass
    await {"count": count, "claim": claim, "write": write}[action](store)
    await store.close()


if __name__ == "__main__":
    asyncio.run(work(*sys.argv[1:]))
