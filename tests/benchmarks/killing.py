"""One run: a bot is killed around the slot of some digests, perhaps again, then one may live."""

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.digests.models import Digest, RunState
from bot.digests.run_state import CLAIM
from tests.benchmarks.scene import RING, TICK_S, Scene
from tests.fakes import TIME_LIMIT_S
from tests.processes import BotProcess
from tests.whole.harness import Harness, running_bot, until_ready
from tests.whole.test_process import process

LEAD_S = 0.5
FIRST_KILL_S = (-0.3, 4.0)  # after the slot
SECOND_KILL_S = (0.0, 4.0)  # after that process was ready
HEARD = 0.6  # of the kills: Slack acts upon what was on its way to it
TWICE = 0.35  # of the runs: the second process is killed too
OUTAGE = 0.1  # of the runs: no one starts the bot again before it is too late for the slot
CLAIM_OVER = CLAIM + timedelta(seconds=1)
TOO_LATE = timedelta(hours=7)
SETTLED_WITHIN_S = 240.0


@dataclass(frozen=True, slots=True)
class Kill:
    """`after_s`: after the slot, by the bot's clock. `digests`: as the store held them then."""

    after_s: float
    digests: dict[str, Digest]

    def states(self) -> Counter[str]:
        return Counter(map(state_of, self.digests.values()))

    def posting(self) -> set[str]:
        return {key for key, digest in self.digests.items() if state_of(digest) == "posting"}


def state_of(digest: Digest) -> str:
    """How far the digest's one slot has come."""
    if digest.run:
        return digest.run.state.value
    return digest.past[-1].outcome.value if digest.past else "untouched"


async def live_and_die(scene: Scene, chance: random.Random) -> list[Kill]:
    """Kill one process or two; return what each left behind."""
    kills = [await _first_life(scene, chance)]
    if chance.random() < TWICE:
        scene.town.clock.ahead += CLAIM_OVER
        kills.append(await _second_life(scene, chance))
    is_outage = chance.random() < OUTAGE
    scene.town.clock.ahead += TOO_LATE if is_outage else CLAIM_OVER
    return kills


async def live_on(scene: Scene, left: Kill) -> None:
    """Run the whole bot until all that the last kill left is posted or told, then stop it.

    What never happens is waited for some minutes and found missing by who judges.
    """
    told_before = Counter(digest_id for digest_id, _ in scene.directs())

    def is_over() -> bool | None:
        posts = {digest_id for digest_id, _ in scene.posts()}
        text = Counter(digest_id for digest_id, _ in scene.directs()) - told_before
        return all(_is_settled(each, posts, text) for each in left.digests.values()) or None

    async with running_bot(scene.town):
        try:
            await scene.town.slack.world.workspace.change_event.until(is_over, SETTLED_WITHIN_S)
        except TimeoutError:
            return


def _is_settled(left: Digest, posts: set[str], text: Counter[str]) -> bool:
    if left.notices or (left.run and left.run.state is RunState.POSTING):
        return text[left.digest_id] > 0
    if left.past:
        return True
    return left.digest_id in posts or text[left.digest_id] > 0


async def _first_life(scene: Scene, chance: random.Random) -> Kill:
    after_s, is_heard = chance.uniform(*FIRST_KILL_S), chance.random() < HEARD
    async with _process(scene.town) as bot:
        scene.move_clock(scene.slot.due_at - timedelta(seconds=LEAD_S))
        _hand_clock(bot, scene.town)
        await asyncio.sleep(LEAD_S + after_s)
        return await _killed(scene, bot, "first", is_heard=is_heard)


async def _second_life(scene: Scene, chance: random.Random) -> Kill:
    after_s, is_heard = chance.uniform(*SECOND_KILL_S), chance.random() < HEARD
    async with _process(scene.town) as bot:
        await asyncio.sleep(after_s)
        return await _killed(scene, bot, "second", is_heard=is_heard)


async def _killed(scene: Scene, bot: BotProcess, name: str, *, is_heard: bool) -> Kill:
    """Kill the bot. What it had sent arrives, though no one waits for the answer, or never."""
    slack = scene.town.slack
    bot.kill()
    at = scene.town.clock()
    if not is_heard:
        slack.revoke_token()
    await bot.wait()
    async with asyncio.timeout(TIME_LIMIT_S):
        while not all(call.status for call in slack.calls):  # noqa: ASYNC110  no event tells of ordered faults
            await asyncio.sleep(0.02)
    slack.revoke_token(None)
    digests = await scene.digests(_copied_store(scene.town.settings.database_path, name))
    return Kill((at - scene.slot.due_at).total_seconds(), digests)


@asynccontextmanager
async def _process(town: Harness) -> AsyncIterator[BotProcess]:
    more = {"BOT_SECRET_KEYS": RING, "TICK_SECONDS": f"{TICK_S}", "LOG_LEVEL": "INFO"}
    async with process(town, module="tests.benchmarks.fleet_bot", **more) as bot:
        _hand_clock(bot, town)
        await until_ready(town)
        yield bot


def _hand_clock(bot: BotProcess, town: Harness) -> None:
    assert bot.stdin
    bot.stdin.write(f"{town.clock.ahead.total_seconds()}\n".encode())


def _copied_store(path: Path, name: str) -> Path:
    """A copy, so that the bot itself finds what the kill left: a log that no one has merged."""
    folder = path.with_name(name)
    folder.mkdir()
    for end in ("", "-wal"):
        if (source := path.with_name(path.name + end)).exists():
            shutil.copy(source, folder)
    return folder / path.name
