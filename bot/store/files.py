"""The store's files: private to their owner, locked by one process, still in place."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from bot.store.documents import StoreError, StoreLockedError

OWNER_ONLY = 0o600
OTHERS = 0o077
# Where DYNO is set, and what to do: https://devcenter.heroku.com/articles/dynos#ephemeral-filesystem
WIPED_DISK = (
    "Heroku empties the disk of a dyno at least once a day: keys and digests are lost then",
    "Use PostgreSQL or a disk that lasts. Keep what `python -m bot backup` writes.",
)


def make_private_file(path: Path) -> None:
    """Make the file (and its folder) if it is missing; let only its owner use it.

    A file that is there is not opened: SQLite would lose its locks when it is closed
    (https://www.sqlite.org/howtocorrupt.html, section 2.2). It raises OSError.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=OWNER_ONLY)
    if not path.is_file():
        raise OSError(f"{path} is not an ordinary file")
    path.chmod(OWNER_ONLY)  # the umask took bits away, or the file is older
    _sync_names_in(path.parent)


def make_private_database(path: Path) -> None:
    """Make the file of a database private, and the files that a crash may have left beside it.

    SQLite gives the files that it makes later the mode of the database itself.
    """
    make_private_file(path)
    for suffix in ("-wal", "-shm"):
        if (beside := path.with_name(path.name + suffix)).exists():
            make_private_file(beside)


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
    """Yield a draft, private to its owner, that replaces the file after the block.

    When the block fails, there is no draft and the file is as it was.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as draft:
        try:
            yield draft
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).replace(path)
        except BaseException:
            Path(draft.name).unlink()
            raise
    _sync_names_in(path.parent)


def _sync_names_in(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Watch:
    """Remembers which file a path led to."""

    def __init__(self, path: Path) -> None:
        """Note which file it is; OSError: there is none."""
        self._path, self._file = path, path.stat()

    def require_unmoved(self) -> None:
        """Raise StoreError unless the path still leads to the same file.

        SQLite itself goes on writing to a removed file and says nothing.
        """
        with suppress(OSError):
            if os.path.samestat(self._path.stat(), self._file):
                return
        raise StoreError(f"{self._path} is no longer the file that was opened")


class FileLock:
    """A file that one process holds. The system releases it when the process dies."""

    def __init__(self, path: Path) -> None:
        """Take the lock; raise OSError. StoreLockedError: a process has it, perhaps this one."""
        make_private_file(path)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _written_in(self._descriptor)
            os.close(self._descriptor)
            if isinstance(error, BlockingIOError):
                raise StoreLockedError(f"process {holder} holds {path}. Stop it first.") from error
            raise
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())
        self.watch = Watch(path)  # without the file, another process could take a new lock

    def close(self) -> None:
        """Release the lock. The file stays: removing it would race with the next process."""
        os.close(self._descriptor)


def lock_file_of(database: Path) -> Path:
    real = database.resolve()  # two names of one file share one lock
    return real.with_name(f"{real.name}.lock")


def lock_holder(path: Path) -> str | None:
    """Return the number of the process that holds a `FileLock`, `None` for none; raise OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _written_in(descriptor)
    finally:
        os.close(descriptor)
    return None


def _written_in(descriptor: int) -> str:
    return os.read(descriptor, 20).decode(errors="replace").strip()
