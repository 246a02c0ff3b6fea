"""Format findings and errors of the operator's commands. Pure."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from enum import Enum

from bot.process.redaction import redact

RUN_DOCTOR = "`python -m bot doctor` checks all that the bot needs, and says what to do."
MAX_CHARS = 200
MAX_NAMED = 3
LIMIT_S = 5.0


class OperatingError(Exception):
    """The command could not do its work; `lines` say why and what to do, without a secret."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))


def printable(text: str, max_chars: int = MAX_CHARS) -> str:
    """Return text from outside with everything escaped that acts on a terminal."""
    escaped = (
        each
        if each.isprintable()
        else each.encode("unicode_escape", errors="surrogatepass").decode("ascii")
        for each in redact(text)
    )
    text = "".join(escaped)
    return text if len(text) <= max_chars else f"{text[: max_chars - 3]}..."


def some_names(names: Sequence[str]) -> str:
    left_out = len(names) - MAX_NAMED
    more = [f"and {left_out:,} more"] if left_out > 0 else []
    return "; ".join([*(printable(name) for name in names[:MAX_NAMED]), *more])


class Mark(Enum):
    """The result of a check; only with FAIL the bot cannot do its work."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """`about` is what was checked, `detail` the result, `hint` what to do (empty: all is well)."""

    mark: Mark
    about: str
    detail: str
    hint: str = ""

    @property
    def line(self) -> str:
        """The printed line, as `FAIL  SLACK_BOT_TOKEN: Slack refuses it. Copy it again.`."""
        detail = self.detail if self.detail.endswith((".", "?", "!")) else f"{self.detail}."
        return f"{self.mark.value:<5} {self.about}: {detail} {self.hint}".rstrip()


def ok(about: str, detail: str) -> Finding:
    return Finding(Mark.OK, about, detail)


def warning(about: str, detail: str, hint: str) -> Finding:
    return Finding(Mark.WARN, about, detail, hint)


def failure(about: str, detail: str, hint: str) -> Finding:
    return Finding(Mark.FAIL, about, detail, hint)


async def found_within(
    about: str, check: Awaitable[Sequence[Finding]], limit_s: float = LIMIT_S
) -> Sequence[Finding]:
    """Return the findings of a check, or that it took longer than `limit_s`."""
    try:
        async with asyncio.timeout(limit_s):
            return await check
    except TimeoutError:
        hint = "Check the network or the disk, and try again."
        return [failure(about, f"no result within {limit_s:g} s", hint)]
