"""Measure the bot beside its references, in one run: `make bench`.

Processor time and ratios are what counts; milliseconds belong to this machine and this minute.
The results go to docs/performance.md.
"""

import asyncio
import compileall
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

import msgspec

from bot.portfolio.lookup import index_by_host, suggestions
from bot.portfolio.query import parse_query, select
from bot.portfolio.service import Snapshot
from bot.tracker.decoding import decode_listing
from bot.tracker.models import Domain
from bot.views.domains import domains_message
from tests.benchmarks.commands import beside_bare_bolt, overload, presses, waiting_answers
from tests.benchmarks.digests import a_day, due_at_once
from tests.benchmarks.figures import Row, cpu_of, table, write_between
from tests.benchmarks.measured import ROOT
from tests.benchmarks.population import listing

LARGE = 10_000
SECTION_S = 240.0  # no section may keep the others from being written


async def beside_msgspec() -> list[Row]:
    """Return what a cold list of 10,000 domains costs, from bytes to message."""
    body = await listing(LARGE)

    def drawn() -> None:
        domains = decode_listing(200, body).domains
        query = parse_query("")
        found = select(domains, query, None)
        domains_message(Snapshot(tuple(domains), datetime.now(UTC)), found, query, None)

    name = "`/domains` of 10,000, bytes to message, ms (beside msgspec's decode)"
    decoded_s = cpu_of(lambda: msgspec.json.decode(body))
    return [Row(name, cpu_of(drawn) * 1e3, decoded_s * 1e3, 4.0)]


async def type_ahead() -> list[Row]:
    """Return what a look-up costs among 10,000 names, half of them not in ASCII."""
    names = [f"{('shop', 'bücher')[each % 2]}-{each}.example" for each in range(LARGE)]
    index = index_by_host(Domain(domain=name.encode("idna").decode()) for name in names)
    typed = ("shop", "bücher-77", "xn--b", "nothing like it")
    slowest = max(cpu_of(partial(suggestions, index, each)) for each in typed)
    return [Row("type-ahead over 10,000 names, processor ms", slowest * 1e3, None, 20)]


SECTIONS: tuple[Callable[[], Awaitable[list[Row]]], ...] = (
    beside_bare_bolt,
    beside_msgspec,
    type_ahead,
    waiting_answers,
    overload,
    presses,
    due_at_once,
    a_day,
)


async def measured() -> tuple[list[Row], list[str]]:
    """Return all figures, and what could not be measured."""
    rows, failures = list[Row](), []
    for section in SECTIONS:
        began = time.monotonic()
        try:
            async with asyncio.timeout(SECTION_S):
                found = await section()
        except Exception as error:  # noqa: BLE001  # one section must not lose the others
            failures.append(f"Could not be measured in this run: `{section.__name__}`: {error!r}")
            found = []
        rows += found
        _say(
            f"{section.__name__}: {time.monotonic() - began:.0f} s",
            *(f"{row.cells}" for row in found),
        )
    return rows, failures


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def main() -> None:
    began = time.monotonic()
    # As the bot is installed: no start compiles anything.
    compileall.compile_dir(ROOT / "bot", quiet=1)
    rows, failures = asyncio.run(measured())
    head = ("figure", "bot", "reference", "ratio", "target")
    lines = [*table(head, [row.cells for row in rows]), *failures]
    _say(*lines, f"({time.monotonic() - began:.0f} s in all)")
    write_between(ROOT / "docs/performance.md", lines)


if __name__ == "__main__":
    main()
