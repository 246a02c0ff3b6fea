"""Logs that remember what is newest, however long the playground runs."""

from typing import TypeVar

T = TypeVar("T")

MAX_KEPT = 20_000


def note(log: list[T], entry: T, most: int = MAX_KEPT) -> None:
    """Add an entry; of more than `most` the oldest go."""
    log.append(entry)
    del log[:-most]
