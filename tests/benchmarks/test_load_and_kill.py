"""`python -m tests.benchmarks.load_and_kill`, small."""

from pathlib import Path

import pytest

from tests.benchmarks.load_and_kill import load_and_kill
from tests.benchmarks.population import SQLITE


@pytest.mark.real_time
@pytest.mark.timeout(300)  # some starts of the bot, and its clock runs in real seconds
async def test_kills_under_load_double_and_lose_no_digest_and_no_scan(tmp_path: Path) -> None:
    verdict = await load_and_kill(f"{SQLITE}{tmp_path}/bot.sqlite", workspaces=3, kills=3, seed=1)

    assert verdict.faults == ()
    assert verdict.slots == 36
    assert verdict.scans >= 30 - verdict.kills
