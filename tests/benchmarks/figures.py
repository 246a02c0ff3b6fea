"""Figures beside their references, and the page that shows them."""

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


@dataclass(frozen=True)
class Row:
    """A figure; `target` is of its ratio to `reference`, or of the figure without one."""

    name: str
    bot: float
    reference: float | None = None
    target: float | None = None
    more: bool = False

    @property
    def reached(self) -> float:
        return self.bot / self.reference if self.reference else self.bot

    @property
    def is_met(self) -> bool:
        if self.target is None:
            return True
        return self.reached >= self.target if self.more else self.reached <= self.target

    @property
    def cells(self) -> list[str]:
        """The row of a table, with a mark where the target is missed."""
        beside = [number(self.reference), number(self.reached)] if self.reference else ["–", "–"]
        goal = f"{self._bound}{'' if self.is_met else ' (missed)'}"
        return [self.name, number(self.bot), *beside, goal]

    @property
    def _bound(self) -> str:
        return "–" if self.target is None else f"{'≥' if self.more else '≤'} {self.target:g}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table of Markdown, and an empty line."""
    lines = [" | ".join(each) for each in (head, ["---"] * len(head), *rows)]
    return [*(f"| {line} |" for line in lines), ""]


def write_between(page: Path, lines: Iterable[str]) -> None:
    """Replace what stands between the two marks on a page."""
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text("\n".join([f"{before}{BEGIN}", *lines, f"{END}{after}"]))


def cpu_of(work: Callable[[], object], times: int = 5) -> float:
    """Return the median processor time of `work` in seconds."""
    gc.collect()
    gc.freeze()  # as the bot does
    taken = []
    for _ in range(times):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return median(taken)
