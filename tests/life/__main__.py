"""`python -m tests.life SEED`: a week of the bot's life, drawn by a seed."""

import tests.virtual_time.plugin  # noqa: F401, I001  # before whatever takes hold of a clock

import sys
import time

from tests.life.story import lived

DAYS = 7.0


def main() -> int:
    seed = int(sys.argv[1])
    why = lived(seed, DAYS)
    again = f"\nagain: make life WEEKS=1 SEED={seed}" if why else ""
    took = f"{time.process_time():.0f} s of the processor"
    print(f"week of seed {seed}, {took}: {why or 'well'}{again}", flush=True)  # noqa: T201
    return 1 if why else 0


if __name__ == "__main__":
    sys.exit(main())
