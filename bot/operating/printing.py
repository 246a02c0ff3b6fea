"""Text for an operator's terminal: in one line, without secrets and control characters. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.redaction import redact

MAX_CHARS = 200
MAX_LINES = 100


def shown(text: str, max_chars: int = MAX_CHARS) -> str:
    """Return text from outside as it can be printed: nothing in it acts on a terminal."""
    text = "".join(each if each.isprintable() else _escaped(each) for each in redact(text))
    return text if len(text) <= max_chars else f"{text[: max_chars - 3]}..."


def counted(count: int, thing: str) -> str:
    """Return `1 digest`, `2 digests`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def day(moment: datetime) -> str:
    """Return `2026-11-20 at 09:00 UTC`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d at %H:%M} UTC"


def some_of(lines: Sequence[str]) -> list[str]:
    """Return the first hundred lines, set in, and how many more there are."""
    left_out = len(lines) - MAX_LINES
    more = [f"  and {left_out:,} more"] if left_out > 0 else []
    return [f"  {shown(line, 400)}" for line in lines[:MAX_LINES]] + more


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", errors="surrogatepass").decode("ascii")
