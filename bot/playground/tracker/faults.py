"""What is to go wrong next, and with which endpoint. Plans only; `bad_answers.py` acts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.playground.tracker.refusals import MESSAGES

ENDPOINTS: Final = ("list", "add", "scan")
# These answer in place of the service: the request is not acted upon, the key not even looked at.
INSTEAD: Final = frozenset(
    {
        *MESSAGES,
        "500", "502", "503", "html_500", "empty_200", "html_200", "foreign_json",
        "drop", "huge", "huge_declared", "redirect", "teapot",
    }
)  # fmt: skip
# These spoil the service's own answer, after it has acted.
AFTERWARDS: Final = frozenset({"drop_after", "truncated", "cut_off", "slow_drip"})


@dataclass(frozen=True)
class RawAnswer:
    """Any answer, byte for byte."""

    status: int
    body: bytes
    headers: Mapping[str, str]


@dataclass
class Planned:
    """A fault, by kind or as a raw answer, for one endpoint (None: any), so many times."""

    what: str | RawAnswer
    on: str | None
    times: int

    @property
    def spoils(self) -> bool:
        """Whether the service acts first, and only its answer is spoiled."""
        return isinstance(self.what, str) and self.what in AFTERWARDS


@dataclass
class FaultPlan:
    """Faults in the order in which they were planned; each request takes the first that fits."""

    _planned: list[Planned] = field(default_factory=list)

    def fail_next(self, kind: str, times: int = 1, on: str | None = None) -> None:
        """Plan a fault. Raises ValueError for an unknown kind or endpoint."""
        if kind not in INSTEAD | AFTERWARDS:
            raise ValueError(f"{kind!r}: choose one of {', '.join(sorted(INSTEAD | AFTERWARDS))}")
        self._plan(Planned(kind, on, times))

    def answer_next(self, answer: RawAnswer, times: int = 1, on: str | None = None) -> None:
        """Plan a raw answer. Raises ValueError for an unknown endpoint."""
        self._plan(Planned(answer, on, times))

    def take(self, endpoint: str) -> Planned | None:
        """Use up and return the next fault for this endpoint, or None."""
        for planned in self._planned:
            if planned.on in (None, endpoint):
                planned.times -= 1
                if planned.times < 1:
                    self._planned.remove(planned)
                return planned
        return None

    def clear(self) -> None:
        """Forget every fault that has not happened yet."""
        self._planned.clear()

    def _plan(self, planned: Planned) -> None:
        if planned.on not in (None, *ENDPOINTS):
            raise ValueError(f"{planned.on!r}: choose one of {', '.join(ENDPOINTS)}")
        self._planned.append(planned)
