"""Figures beside their references, and the pages that show them."""

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path
from statistics import median
from time import process_time

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


@dataclass(frozen=True, kw_only=True)
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

    def line(self) -> str:
        """Return it as a row of Markdown, with a mark where the target is missed."""
        reference = number(self.reference) if self.reference else "–"
        ratio = number(self.reached) if self.reference else "–"
        return f"| {self.name} | {number(self.bot)} | {reference} | {ratio} | {self._goal} |"

    def distance(self) -> str:
        """Return how far a missed target is, and why."""
        return f"- **{self.name}**: {number(self.reached)}, target {self._bound}. {self.cause}"

    @property
    def _bound(self) -> str:
        return f"{'≥' if self.more else '≤'} {self.target:g}"

    @property
    def _goal(self) -> str:
        if self.target is None:
            return "–"
        return f"{self._bound}{'' if self.is_met else ' (missed)'}"


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


WIDE, HIGH, EDGE = 220, 130, 34


def picture(rows: Sequence[Sequence[Panel]]) -> str:
    """Return an SVG of small curves; the first axis counts in powers of ten."""
    parts = []
    for down, panels in enumerate(rows):
        for right, panel in enumerate(panels):
            xs = [log10(x) for x, _ in panel.points]
            most = max(y for _, y in panel.points) or 1
            spread = (xs[-1] - xs[0]) or 1
            places = [
                (EDGE + (x - xs[0]) / spread * (WIDE - 2 * EDGE), HIGH - EDGE - y / most * 60)
                for x, (_, y) in zip(xs, panel.points, strict=True)
            ]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            texts = [f'<text x="8" y="16" font-weight="bold">{panel.title}</text>']
            for (x, y), (count, value) in zip(places, panel.points, strict=True):
                texts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1264a3"/>')
                texts.append(f'<text x="{x:.1f}" y="{y - 7:.1f}">{number(value)}</text>')
                texts.append(f'<text x="{x:.1f}" y="{HIGH - 14}">{count:,.0f}</text>')
            parts.append(
                f'<g transform="translate({right * WIDE},{down * HIGH})" font-size="10"'
                ' font-family="sans-serif">'
                f'<polyline points="{line}" fill="none" stroke="#1264a3" stroke-width="2"/>'
                f"{''.join(texts)}</g>"
            )
    wide, high = WIDE * max(map(len, rows)), HIGH * len(rows)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}">'
    return f'{head}<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
