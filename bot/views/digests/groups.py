"""Domains of which a digest tells the same, to eyes and to ears, and how many more. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.views.text import code, escaped, host_shown

MAX_HOST_CHARS = 80
MAX_GROUP_CHARS = 450
"""Only names that are not any host's are ever so long; the first is always told."""


@dataclass(frozen=True, slots=True)
class Told:
    """A domain and what is said of it, to eyes (mrkdwn) and to ears."""

    host: str
    shown: str
    spoken: str

    @property
    def as_shown(self) -> str:
        """The domain in a block."""
        return f"{code(host_shown(self.host), MAX_HOST_CHARS)} {self.shown}".strip()

    @property
    def as_spoken(self) -> str:
        """The domain in a message's text."""
        return f"{escaped(host_shown(self.host), MAX_HOST_CHARS)} {self.spoken}".strip()


@dataclass(frozen=True, slots=True)
class Group:
    """Domains of which the same is to be told: `count` of them, the first few in `told`."""

    symbol: str
    title: str
    more: str
    count: int
    told: tuple[Told, ...]
    is_listed: bool = False  # a line for each

    @property
    def as_shown(self) -> str:
        """The group in a block."""
        parts = _fitting([each.as_shown for each in self.told])
        left_out = self.count - len(parts)
        heading = f"{self.symbol} *{self.title}*{self.more}"
        if self.is_listed:
            lines = [heading, *(f"• {part}" for part in parts)]
            return "\n".join([*lines, *([f"• and {left_out:,} more"] if left_out else [])])
        return f"{heading}: {', '.join(parts)}{f' and {left_out:,} more' if left_out else ''}"

    @property
    def as_spoken(self) -> str:
        """The group as a sentence of a message's text."""
        parts = _fitting([each.as_spoken for each in self.told])
        left_out = self.count - len(parts)
        more = f"; and {left_out:,} more" if left_out else ""
        return f"{self.title}{self.more}: {'; '.join(parts)}{more}."


def _fitting(parts: Sequence[str]) -> list[str]:
    """The first of `parts`, at least one, that are no longer than a group may be."""
    fitting, chars = list(parts[:1]), len(parts[0]) if parts else 0
    for part in parts[1:]:
        chars += len(part)
        if chars > MAX_GROUP_CHARS:
            break
        fitting.append(part)
    return fitting
