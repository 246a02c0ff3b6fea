"""Who holds a store, found out without being in anybody's way."""

from pathlib import Path

import pytest

from bot.store.files import lock_file_of, lock_holder
from tests.store.processes import next_line, started


@pytest.mark.real_time
async def test_the_process_that_holds_it_is_named(path: Path) -> None:
    async with started("numbered_writer", path, 0) as writer:
        await next_line(writer)

        assert lock_holder(lock_file_of(path)) == str(writer.pid)
        assert await next_line(writer) == "1"


@pytest.mark.real_time
async def test_a_process_that_was_killed_holds_nothing(path: Path) -> None:
    async with started("numbered_writer", path, 0) as writer:
        await next_line(writer)
        writer.kill()
        await writer.wait()

    assert lock_holder(lock_file_of(path)) is None
