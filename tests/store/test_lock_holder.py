"""Who holds a store, found out without being in anybody's way."""

import threading
from pathlib import Path

import pytest

from bot.store.documents import StoreLockedError
from bot.store.files import FileLock, lock_file_of, lock_holder, may_write
from tests.store.processes import next_line, started


@pytest.mark.anyio
async def test_the_process_that_holds_it_is_named(path: Path) -> None:
    async with started("numbered_writer", path, 0) as writer:
        await next_line(writer)

        assert lock_holder(lock_file_of(path)) == str(writer.pid)
        assert await next_line(writer) == "1"


@pytest.mark.anyio
async def test_a_process_that_was_killed_holds_nothing(path: Path) -> None:
    async with started("numbered_writer", path, 0) as writer:
        await next_line(writer)
        writer.kill()
        await writer.wait()

    assert lock_holder(lock_file_of(path)) is None


def test_nobody_holds_what_is_not_there(path: Path) -> None:
    assert lock_holder(lock_file_of(path)) is None
    assert not path.parent.exists()


def test_another_name_of_the_store_has_the_same_lock(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    (tmp_path / "alias.sqlite").symlink_to(path)

    assert lock_file_of(tmp_path / "alias.sqlite") == lock_file_of(path)


def test_whoever_looks_keeps_nobody_from_starting(path: Path) -> None:
    stop = threading.Event()
    FileLock(path).release()

    def look() -> None:
        while not stop.is_set():
            lock_holder(path)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(300):
            FileLock(path).release()
    finally:
        stop.set()
        looking.join()


def test_a_lock_that_is_held_stays_so_while_others_look(path: Path) -> None:
    lock = FileLock(path)

    lock_holder(path)

    with pytest.raises(StoreLockedError):
        FileLock(path)
    lock.release()


def test_what_cannot_be_written_to_is_known(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert may_write(tmp_path)
    assert may_write(tmp_path / "file")
    assert not may_write(tmp_path / "none")
