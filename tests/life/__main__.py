"""`python -m tests.life WEEKS SEED`: weeks of the bot's life, each drawn by a seed of its own."""

import tests.virtual_time.plugin  # noqa: F401, I001  # before whatever takes hold of a clock

import sys
import time

from tests.life.story import lived

DAYS = 7.0


def main() -> int:
    weeks, seed = int(sys.argv[1]), int(sys.argv[2])
    failed = 0
    for each in range(seed, seed + weeks):
        began = time.process_time()
        why = lived(each, DAYS)
        failed += bool(why)
        again = f"\nagain: make life WEEKS=1 SEED={each}" if why else ""
        took = f"{time.process_time() - began:.0f} s of the processor"
        print(f"week of seed {each}, {took}: {why or 'well'}{again}", flush=True)  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
