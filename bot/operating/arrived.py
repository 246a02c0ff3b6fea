"""What `move` and `move --back` say at their end, and what is left to do. Pure."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from bot.operating.forwarding import Forwarding
from bot.operating.moving import Moved
from bot.operating.printing import counted, day, shown
from bot.store.key_file import RingSource


def moved_lines(moved: Moved, ring: RingSource, path: Path) -> Iterator[str]:
    """Yield it; `path` and `ring` are those of the store that was moved."""
    yield from moved.table
    things = counted(moved.count, "document")
    if moved.at:
        yield f"This store ({things}) was moved there on {day(moved.at)}. Nothing was changed."
    else:
        yield f"Moved {things}: both sides hold the same."
    yield "Now set DATABASE_URL to the new address and start the bot."
    if ring.key_file:
        file = str(ring.key_file.absolute())
        yield "PostgreSQL needs BOT_SECRET_KEYS too: set it to the one line that the key file"
        yield f"{shown(file)} holds, as it stands there. In a shell:"
        yield f'  export BOT_SECRET_KEYS="$(cat {shown(shlex.quote(file))})"'
    yield f"Keep {shown(str(path.absolute()))} as a backup: no bot starts on it any more."


def back_lines(forwarding: Forwarding | None, path: Path) -> Iterator[str]:
    """Yield what `move --back` says: `forwarding` is the note that it took away, if any."""
    if not forwarding:
        yield "This store has not moved. Nothing was changed."
        return
    place = shown(forwarding.place)
    yield f"A bot starts on {shown(str(path.absolute()))} again."
    yield f"What happened in {place} since {day(forwarding.at)} is not in it."
    yield "Stop every process on that database first, or digests come twice."
