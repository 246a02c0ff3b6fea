"""Write all documents of a store as one file, and read such a file into an empty store.

JSON Lines: a head, a line for each document as it is stored (what is sealed stays sealed), and a
foot with their number and the SHA-256 of all lines before it.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from bot import __version__
from bot.blocks.text import plural
from bot.ops.output import OperatingError, printable
from bot.ops.sealed_texts import Store, require_ring
from bot.store.documents import Document, UnreadableSecretError
from bot.store.encryption import CHECK_KEY, KeyRing
from bot.store.files import written_whole

FORMAT = 1
STDIO = "-"
# A document has at most a few megabytes.
MAX_LINE_BYTES = 64_000_000
NOTHING_WRITTEN = "Nothing was written."


async def back_up(store: Store, name: str, now: datetime) -> str:
    """Write a backup of one moment to the file `name`, whole or not at all."""
    store.require_there()
    with written(name) as file:
        counted = await _write(store, file, now)
    return f"Backed up {plural(counted, 'document')}."


async def _write(store: Store, file: IO[bytes], now: datetime) -> int:
    hashed, counted = sha256(), 0

    def write(value: dict[str, Any]) -> None:
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        hashed.update(line)
        file.write(line)

    write({"backup": FORMAT, "version": __version__, "at": now.isoformat()})
    async with aclosing(store.documents()) as documents:
        async for each in documents:
            due = each.due_at and each.due_at.isoformat()
            write({"key": each.key, "rev": each.rev, "due_at": due, "value": each.value})
            counted += 1
    foot = {"documents": counted, "sha256": hashed.hexdigest()}
    file.write(json.dumps(foot).encode() + b"\n")
    return counted


@contextmanager
def written(name: str) -> Iterator[IO[bytes]]:
    """Yield the file `name`, `-` for standard output; raise OperatingError."""
    try:
        if name == STDIO:
            # With a buffer of its own: what could not be written is not tried again at the end.
            with open(sys.stdout.fileno(), "wb", closefd=False) as out:
                yield out
        else:
            with written_whole(Path(name)) as draft:
                yield draft
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "Standard output" if name == STDIO else printable(name)
        raise OperatingError(f"{where} cannot be written: {error.strerror}") from error


async def restore(store: Store, name: str, setting: str) -> str:
    """Read a backup from the file `name` into an empty store; `setting` is BOT_SECRET_KEYS.

    After an OperatingError or StoreError (StoreLockedError: a bot runs) nothing was written.
    """
    ring = require_ring(store.ring_source(setting), NOTHING_WRITTEN)
    await store.require_stopped()
    with opened(name) as file:
        backup = _Backup(name, file, ring)
        async with store.restoring() as write:
            for document in backup.documents():
                await write(document)
    return f"Restored {plural(backup.count, 'document')}."


def opened(name: str) -> IO[bytes]:
    """Return the file `name`, `-` for standard input; raise OperatingError."""
    try:
        return sys.stdin.buffer if name == STDIO else Path(name).open("rb")
    except OSError as error:
        raise OperatingError(f"{printable(name)} cannot be read: {error.strerror}") from error


class _Backup:
    """Reads a backup line by line, and checks it."""

    def __init__(self, name: str, file: IO[bytes], ring: KeyRing) -> None:
        self.count = 0
        self._name = "Standard input" if name == STDIO else printable(name)
        self._file = file
        self._ring = ring
        self._hashed = sha256()

    def documents(self) -> Iterator[Document]:
        """Yield all documents; raise OperatingError where the file is damaged, cut or foreign."""
        try:
            head = self._line()
            if not isinstance(head, dict) or head.get("backup") != FORMAT:
                what = f"{self._name} is not a backup of this version"
                raise OperatingError(f"{what}. {NOTHING_WRITTEN}")
            yield from self._checked()
        except (ValueError, RecursionError):
            raise OperatingError(
                f"{self._name} is damaged or cut off after {plural(self.count, 'document')}."
                f" {NOTHING_WRITTEN}"
            ) from None

    def _checked(self) -> Iterator[Document]:
        """Yield what stands between head and foot; raise ValueError where it does not fit."""
        while True:
            before = self._hashed.hexdigest()
            match self._line():
                case {"key": str(key), "rev": int(rev), "due_at": due, "value": dict(value)}:
                    self._check_keys(key, value)
                    due_at = datetime.fromisoformat(due) if isinstance(due, str) else None
                    yield Document(key, value, rev, due_at)
                    self.count += 1
                case {"documents": self.count, "sha256": str(given)} if given == before:
                    if self._file.read(1):
                        raise ValueError("more than the foot says")
                    return
                case _:
                    raise ValueError("neither a document nor the foot")

    def _line(self) -> Any:
        try:
            line = self._file.readline(MAX_LINE_BYTES)
        except OSError as error:
            raise OperatingError(f"{self._name} cannot be read: {error.strerror}") from error
        if not line.endswith(b"\n"):
            raise ValueError("cut off")
        self._hashed.update(line)
        return json.loads(line)

    def _check_keys(self, key: str, value: dict[str, Any]) -> None:
        if key != CHECK_KEY:
            return
        try:
            for text in value.values():
                self._ring.decrypt(str(text), CHECK_KEY)
        except UnreadableSecretError:
            raise OperatingError(
                f"BOT_SECRET_KEYS lacks {', '.join(map(printable, value))}, with which the backup"
                f" was sealed, or has another key of that name. {NOTHING_WRITTEN}"
            ) from None
