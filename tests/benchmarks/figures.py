"""Figures beside their references, and the pages that show them."""

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


@dataclass(frozen=True)
class Row:
    """A figure; `target` is of its ratio to `reference`, or of the figure without one.

    `cause` says why the target is missed, if it is.
    """

    name: str
    bot: float
    reference: float | None = None
    target: float | None = None
    more: bool = False
    cause: str = ""

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

    def distance(self) -> str:
        """Return how far a missed target is, and why."""
        distance = f"- **{self.name}**: {number(self.reached)}, target {self._bound}."
        return f"{distance} {self.cause}".strip()

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


@dataclass(frozen=True)
class Panel:
    """A curve of a picture: its title, and its points."""

    title: str
    points: Sequence[tuple[float, float]]


WIDE, HIGH, EDGE = 300, 130, 34
BLUE = "#1264a3"
MIDDLE = 'text-anchor="middle"'


def picture(rows: Sequence[Sequence[Panel]]) -> str:
    """Return an SVG of small curves, whose points stand side by side."""
    parts = [
        f'<g transform="translate({right * WIDE},{down * HIGH})">{_curve(panel)}</g>'
        for down, panels in enumerate(rows)
        for right, panel in enumerate(panels)
    ]
    wide, high = WIDE * max(map(len, rows)), HIGH * len(rows)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}"'
    style = (
        ' font-size="10" font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/>'
    )
    return f"{head}{style}{''.join(parts)}</svg>\n"


def _curve(panel: Panel) -> str:
    most = max(y for _, y in panel.points) or 1
    step = (WIDE - 2 * EDGE) / max(1, len(panel.points) - 1)
    drawn, line = f'<text x="8" y="16" font-weight="bold">{panel.title}</text>', ""
    for place, (count, value) in enumerate(panel.points):
        right, down = EDGE + place * step, HIGH - EDGE - value / most * 60
        line += f"{right:.1f},{down:.1f} "
        drawn += f'<circle cx="{right:.1f}" cy="{down:.1f}" r="3" fill="{BLUE}"/>'
        drawn += f'<text x="{right:.1f}" y="{down - 7:.1f}" {MIDDLE}>{number(value)}</text>'
        drawn += f'<text x="{right:.1f}" y="{HIGH - 14}" {MIDDLE}>{count:,.0f}</text>'
    return f'{drawn}<polyline points="{line}" fill="none" stroke="{BLUE}" stroke-width="2"/>'
