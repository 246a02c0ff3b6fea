"""The SQLite store and other processes: one at a time, killed at any moment."""

import random
from pathlib import Path

import pytest

from bot.store.documents import StoreLockedError
from bot.store.files import lock_file_of, lock_holder
from bot.store.sqlite import open_sqlite
from tests.store.numbered_writer import PREFIX
from tests.store.processes import next_line, started
from tests.stores import read_file

pytestmark = pytest.mark.real_time

KILLS = 10


async def written_until_killed(path: Path, first: int, lines: int) -> list[int]:
    """Start a writer, kill it after so many acknowledgements; return all that it gave."""
    async with started("store.numbered_writer", path, first) as writer:
        acknowledged = [await next_line(writer) for _ in range(lines)]
        writer.kill()
        rest, _ = await writer.communicate()
    whole_lines = rest.decode().rpartition("\n")[0].split()
    return [int(line) for line in [*acknowledged, *whole_lines]]


async def test_kill_9_loses_no_acknowledged_write(path: Path) -> None:
    acknowledged: list[int] = []

    for kill in range(KILLS):
        acknowledged += await written_until_killed(path, kill * 1_000_000, random.randint(1, 40))

        assert lock_holder(lock_file_of(path)) is None
        store = await open_sqlite(path)  # also: the lock did not outlive the process
        kept = {found.value["number"] for found in await store.list_prefix(PREFIX)}
        await store.close()
        assert set(acknowledged) <= kept


async def test_a_second_process_is_refused_while_the_first_lives(path: Path) -> None:
    async with started("store.numbered_writer", path, 0) as writer:
        assert await next_line(writer) == "0"

        first, *_ = await read_file(path)
        assert first.value == {"number": 0}
        assert lock_holder(lock_file_of(path)) == str(writer.pid)
        with pytest.raises(StoreLockedError, match=f"process {writer.pid} holds"):
            await open_sqlite(path)

        assert await next_line(writer) == "1"


async def test_another_name_of_the_same_file_is_refused(path: Path, tmp_path: Path) -> None:
    store = await open_sqlite(path)
    (tmp_path / "alias.sqlite").symlink_to(path)

    with pytest.raises(StoreLockedError):
        await open_sqlite(tmp_path / "alias.sqlite")

    await store.close()


async def test_a_thread_that_dies_in_a_call_gives_errors_and_no_hang(path: Path) -> None:
    async with started("store.stuck_writer", path) as process:
        said = [await next_line(process) for _ in range(3)]
        code = await process.wait()

    assert code == 0
    assert said[0].startswith("the store failed: TimeoutError")
    assert said[1:] == ["the writer thread has died"] * 2
