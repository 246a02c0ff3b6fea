"""Kill the bot at random moments around the slots of its digests, and count what came of them.

    python -m tests.benchmarks.kills --runs 200

The exit status is 1 when a slot was posted twice, or neither posted nor reported to its owner.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bot.logs import set_up_logs
from tests.benchmarks.killing import live_and_die, live_on
from tests.benchmarks.scene import set_up
from tests.benchmarks.verdict import Verdict, judged

PARALLEL = 6
STATES = ("untouched", "claimed", "posting", "waiting", "posted", "uncertain", "missed", "failed")
HEAD = (
    f"{'run':>4} {'killed at (s after the slot): states in the store':<78}"
    f"{'slots':>6}{'posted':>7}{'late':>6}{'uncertain (there)':>19}{'missed':>7}{'failed':>7}"
    f"{'DMs':>5}{'double':>7}{'lost':>5}"
)


async def run_kills(
    numbers: Iterable[int],
    *,
    seed: int,
    parallel: int = PARALLEL,
    tell: Callable[[Verdict], object] = lambda _verdict: None,
) -> list[Verdict]:
    """Do the runs of these numbers, several at once; what happens in one depends on its number."""
    places = asyncio.Semaphore(parallel)

    async def run(number: int) -> Verdict:
        async with places:
            verdict = await _run(number, random.Random(f"{seed}/{number}"))
            tell(verdict)
            return verdict

    return list(await asyncio.gather(*map(run, numbers)))


async def _run(number: int, chance: random.Random) -> Verdict:
    with tempfile.TemporaryDirectory() as folder:
        async with set_up(Path(folder), chance) as scene:
            kills = await live_and_die(scene, chance)
            await live_on(scene, kills[-1])
            digests = await scene.digests(scene.town.settings.database_path)
            return judged(number, scene, kills, digests)


def line(verdict: Verdict) -> str:
    """One run as a line of the table."""
    kills = "; ".join(f"{kill.after_s:+.2f}: {_counted(kill.states())}" for kill in verdict.kills)
    uncertain = f"{verdict.uncertain} ({verdict.uncertain_posted})"
    text = (
        f"{verdict.number:>4} {kills:<78}"
        f"{verdict.slots:>6}{verdict.posted:>7}{verdict.late:>6}{uncertain:>19}"
        f"{verdict.missed:>7}{verdict.failed:>7}{verdict.directs:>5}{verdict.doubles:>7}{verdict.lost:>5}"
    )
    return "\n".join([text, *(f"     !! {fault}" for fault in verdict.faults)])


def summary(verdicts: Sequence[Verdict]) -> str:
    """The totals of all runs."""

    def total(name: str) -> int:
        return sum(getattr(verdict, name) for verdict in verdicts)

    states: Counter[str] = Counter()
    for verdict in verdicts:
        for kill in verdict.kills:
            states += kill.states()
    return (
        f"{len(verdicts)} runs with {sum(len(verdict.kills) for verdict in verdicts)} kills, "
        f"{total('slots')} slots: {total('posted')} posted, {total('late')} of all late; "
        f"{total('uncertain')} uncertain of {total('in_flight')} in flight at a kill "
        f"({total('uncertain_posted')} of them are there); {total('missed')} missed, "
        f"{total('failed')} failed; {total('directs')} DMs.\n"
        f"States at the kills: {_counted(states)}.\n"
        f"{total('doubles')} doubles, {total('lost')} lost, "
        f"{sum(len(verdict.faults) for verdict in verdicts)} faults of any kind."
    )


def _counted(states: Counter[str]) -> str:
    return ", ".join(f"{states[name]} {name}" for name in STATES if states[name])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.kills")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=PARALLEL)
    parser.add_argument("--only", type=int, help="repeat the run of this number")
    chosen = parser.parse_args()
    numbers = [chosen.only] if chosen.only else range(1, chosen.runs + 1)
    set_up_logs("ERROR", "console")
    _say(HEAD)
    verdicts = asyncio.run(
        run_kills(
            numbers,
            seed=chosen.seed,
            parallel=chosen.parallel,
            tell=lambda verdict: _say(line(verdict)),
        )
    )
    _say("", summary(verdicts))
    return 1 if any(verdict.faults for verdict in verdicts) else 0


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{each}\n" for each in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
