"""What `move` says at its end, and what is left to do for whoever runs the bot. Pure."""

import shlex
from collections.abc import Iterator
from pathlib import Path

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
    yield f"Keep {shown(str(path.absolute()))} as a backup, and start no bot on it again."
