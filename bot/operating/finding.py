"""What a check of the doctor has found, as one line. Pure."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum

Check = Callable[[], Awaitable[Sequence["Finding"]]]


class Mark(Enum):
    """How it is: well; to be known; or so that the bot cannot do its work."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """`about` is what was checked, `said` how it is, `mend` what to do (empty: all is well)."""

    mark: Mark
    about: str
    said: str
    mend: str = ""

    @property
    def line(self) -> str:
        """The line of it, as `FAIL  SLACK_BOT_TOKEN: Slack refuses it. Copy it again.`."""
        mend = f" {self.mend}" if self.mend else ""
        return f"{self.mark.value:<5} {self.about}: {self.said}.{mend}"


def ok(about: str, said: str) -> Finding:
    """Return that all is well."""
    return Finding(Mark.OK, about, said)


def warning(about: str, said: str, mend: str) -> Finding:
    """Return what does not stop the bot."""
    return Finding(Mark.WARN, about, said, mend)


def failure(about: str, said: str, mend: str) -> Finding:
    """Return what does."""
    return Finding(Mark.FAIL, about, said, mend)


def has_failed(findings: Sequence[Finding]) -> bool:
    """Return whether one of them is a failure."""
    return any(finding.mark is Mark.FAIL for finding in findings)


async def found_within(about: str, check: Check, limit_s: float) -> Sequence[Finding]:
    """Return what `check` finds, or that it did not come to an end within so many seconds."""
    try:
        async with asyncio.timeout(limit_s):
            return await check()
    except TimeoutError:
        mend = "Look at the network between here and there, or at the disk, and try again."
        return [failure(about, f"no end within {limit_s:g} s", mend)]
