"""Load workers with digests, and kill -9 them at random moments, again and again.

    python -m tests.benchmarks.load_and_kill

Two `worker` share a PostgreSQL. The exit status is 1 when a slot was posted twice, or
neither posted nor reported to its owner. One process on SQLite is killed by `make life`.
"""

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from bot.digests.models import Digest, Outcome, Plan, RunState
from bot.digests.repository import DigestRepository
from bot.digests.run_state import CLAIM
from bot.digests.schedule import Schedule
from bot.digests.views.wording import MANAGE_DIGEST
from bot.playground.slack import LocalSlack, Message, lifecycle, running_slack
from bot.playground.slack.installations import Consent
from bot.playground.tracker import running_tracker
from bot.process.workspace import WorkspaceId
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from tests.benchmarks.measured import Measured, process
from tests.benchmarks.population import EVERY_DAY, Settled, fill_store
from tests.benchmarks.quick_slack import QuickSlack
from tests.ports import reserve_port
from tests.postgres import running_postgres
from tests.whole.harness import ABOUT, RING, Clock

CHANNELS = 2
PER_ROUND = 4  # digests of a workspace in one slot: two follow each other in a channel
REFUSED = 0.05  # of the posts: too fast for Slack
SLOW_S = 0.9  # a post takes up to that, before or after the message is there
CALLS = 60  # a round has fewer posts for each workspace
LEAD_S = 0.5
KILLED_AFTER_S = (0.2, 3.0)
HOUR = timedelta(hours=1)
CLAIM_OVER = CLAIM + timedelta(seconds=1)
RETRIED = timedelta(minutes=16)  # a run that waits is tried again within 15
SURELY_LATE = timedelta(minutes=10)
QUIET_S = 3.0
QUIET_AT_LAST_S = 45.0  # a killed worker's jobs are taken back after 36 s

Which: TypeAlias = tuple[WorkspaceId, str]


@dataclass(frozen=True, kw_only=True)
class Place:
    """One workspace; bob made its digests."""

    workspace: WorkspaceId
    slack: LocalSlack
    channel_ids: tuple[str, ...]

    def about_digests(self, *, is_direct: bool) -> Iterator[tuple[Which, Message]]:
        """Yield the posts in channels, or the direct messages, with the digest of each."""
        for channel in list(self.slack.world.workspace.channels.values()):
            for message in channel.messages if channel.is_im == is_direct else ():
                for digest_id in _digest_ids(message.blocks):
                    yield (self.workspace, digest_id), message


def _digest_ids(blocks: list[dict[str, Any]]) -> Iterator[str]:
    for block in blocks:
        for element in block.get("elements", ()):
            if element.get("action_id") == MANAGE_DIGEST:
                yield element["value"].rpartition("/")[2]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Everybody whom the bot serves. In each round each workspace has PER_ROUND digests."""

    slack: LocalSlack
    places: tuple[Place, ...]
    service_url: str
    key: str
    clock: Clock
    first_slot: datetime
    rounds: int
    database_url: str
    chance: random.Random

    def posts(self) -> int:
        return sum(call.method == "chat.postMessage" for call in self.slack.calls)

    async def digests(self) -> dict[Which, Digest]:
        """Return every digest in the store."""
        documents = await open_postgres(parse_address(self.database_url))
        repository = DigestRepository(documents)
        found = {
            (place.workspace, digest.digest_id): digest
            for place in self.places
            for digest in await repository.of_workspace(place.workspace)
        }
        await documents.close()
        return found


@asynccontextmanager
async def running_scene(
    database_url: str, *, workspaces: int, rounds: int, seed: int
) -> AsyncIterator[Scene]:
    """Run Slack and the service, and fill the store."""
    clock, chance = Clock(), random.Random(seed)
    first = clock().replace(minute=0, second=0, microsecond=0) + 2 * HOUR
    async with (
        running_slack(clock=clock.seconds, **ABOUT.settings) as slack,
        running_tracker(clock=clock) as tracker,
    ):
        account = tracker.account("all")
        account.fill(10, seed=1)
        for _ in range(CALLS * workspaces * rounds):
            is_refused = chance.random() < REFUSED
            slack.fail_next(
                "chat.postMessage",
                kind="error" if is_refused else "slow",
                retry_after_s=chance.randint(1, 2),
                delay_s=chance.uniform(0, SLOW_S),
                after_acting=not is_refused and chance.random() < 0.5,
            )
        scene = Scene(
            slack=slack,
            places=tuple(_settled(slack, each) for each in range(workspaces)),
            service_url=tracker.url,
            key=account.create_key("bot"),
            clock=clock,
            first_slot=first,
            rounds=rounds,
            database_url=database_url,
            chance=chance,
        )
        await fill_store(database_url, [_filled(scene, each) for each in scene.places], clock())
        yield scene


def _settled(slack: LocalSlack, number: int) -> Place:
    local = slack.add_workspace(f"w{number:03}")
    workspace = local.world.workspace
    ada, now = workspace.member_named("ada").id, slack.app.clock()
    lifecycle.install(slack.universe, Consent(local.team_id, False, ada, ABOUT.scopes, None, now))
    members = ("ada", "bob", "domain_tracker")
    channels = tuple(workspace.add_channel(f"c{each}", members).id for each in range(CHANNELS))
    return Place(workspace=WorkspaceId(local.team_id), slack=local, channel_ids=channels)


def _filled(scene: Scene, place: Place) -> Settled:
    """Return what the store holds of a place at the start."""
    installed = place.slack.world.installation
    assert installed
    slots = [scene.first_slot + n // PER_ROUND * HOUR for n in range(scene.rounds * PER_ROUND)]
    return Settled(
        team_id=place.slack.team_id,
        token=place.slack.bot_token,
        key=scene.key,
        bot_user_id=installed.bot_user_id,
        installed_by=installed.installed_by,
        made_by=place.slack.person("bob").id,
        plans=[
            Plan(
                channel_id=place.channel_ids[number % CHANNELS],
                schedule=Schedule(EVERY_DAY, slot.time(), "Etc/UTC"),
            )
            for number, slot in enumerate(slots)
        ],
    )


@dataclass
class Fleet:
    """The workers, which are killed."""

    scene: Scene
    stack: AsyncExitStack
    workers: list[Measured] = field(default_factory=list)

    async def start(self) -> None:
        self.workers = [await self._started() for _ in range(2)]

    async def _started(self) -> Measured:
        port = reserve_port()
        env = _environment(self.scene) | {"PORT": f"{port}"}
        words = ("-m", "tests.benchmarks.fleet_bot", "worker")
        running = process(QuickSlack(), words, port, env, b"/readyz", ahead=self.scene.clock.ahead)
        return await self.stack.enter_async_context(running)

    async def kill(self) -> set[Which]:
        """Kill them; return the digests that they were posting."""
        for each in self.workers:
            each.child.kill()
        for each in self.workers:
            await each.child.wait()
        while not all(call.status for call in self.scene.slack.calls):  # noqa: ASYNC110  # no event
            await asyncio.sleep(0.02)
        digests = await self.scene.digests()
        return {
            which
            for which, digest in digests.items()
            if digest.run and digest.run.state is RunState.POSTING
        }

    def move_clock(self, to: datetime) -> None:
        """Move everybody's clock."""
        self.scene.clock.ahead = to - datetime.now(UTC)
        for each in self.workers:
            each.move_clock(self.scene.clock.ahead)

    async def stop(self) -> list[int | None]:
        """Stop all as platforms do; return their exit statuses."""
        for each in self.workers:
            each.child.terminate()
        return [await each.child.wait() for each in self.workers]


def _environment(scene: Scene) -> dict[str, str]:
    return {
        "DOMAIN_TRACKER_URL": scene.service_url,
        "SLACK_CLIENT_ID": scene.slack.client_id,
        "SLACK_CLIENT_SECRET": scene.slack.client_secret,
        "SLACK_SIGNING_SECRET": scene.slack.signing_secret,
        "SLACK_API_URL": scene.slack.api_url,
        "SLACK_AUTHORIZE_URL": scene.slack.authorize_url,
        "PUBLIC_URL": "http://127.0.0.1:1",  # no one installs anything here
        "DATABASE_URL": scene.database_url,
        "BOT_SECRET_KEYS": RING,
        "HOST": "127.0.0.1",
        "TICK_SECONDS": "0.5",
    }


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of it; `faults` are sentences."""

    slots: int
    kills: int
    outcomes: Counter[Outcome | None]
    posting: int
    faults: tuple[str, ...]

    def lines(self) -> list[str]:
        outcomes = ", ".join(
            f"{count} {each.value if each else 'open'}"
            for each, count in self.outcomes.most_common()
        )
        return [
            f"{self.kills} kills; {self.slots} slots: {outcomes}"
            f" ({self.posting} were being posted at a kill)",
            *(f"!! {fault}" for fault in self.faults),
        ]


async def load_and_kill(database_url: str, *, workspaces: int, kills: int, seed: int) -> Verdict:
    """Do it all once, on an empty store: a slot and a kill in each hour of the clock."""
    async with (
        running_scene(database_url, workspaces=workspaces, rounds=kills, seed=seed) as scene,
        AsyncExitStack() as stack,
    ):
        fleet = Fleet(scene, stack)
        await fleet.start()
        posting: set[Which] = set()
        for number in range(kills):
            fleet.move_clock(scene.first_slot + number * HOUR - timedelta(seconds=LEAD_S))
            await asyncio.sleep(LEAD_S + scene.chance.uniform(*KILLED_AFTER_S))
            posting |= await fleet.kill()
            await fleet.start()
            await _until_quiet(scene, QUIET_S)
        fleet.move_clock(scene.clock() + CLAIM_OVER)
        await _until_quiet(scene, QUIET_AT_LAST_S)
        fleet.move_clock(scene.clock() + RETRIED)
        await _until_quiet(scene, QUIET_S)
        statuses = await fleet.stop()
        digests = await scene.digests()
        return Verdict(
            slots=len(digests),
            kills=kills,
            outcomes=Counter(_outcome(digest) for digest in digests.values()),
            posting=len(posting),
            faults=(
                *(f"a process ended with {each}" for each in statuses if each),
                *_faults_of_digests(scene, digests, posting),
            ),
        )


async def _until_quiet(scene: Scene, quiet_s: float) -> None:
    """Wait until nothing was posted for so long."""
    before = -1
    while before != (now := scene.posts()):
        before = now
        await asyncio.sleep(quiet_s)


def _outcome(digest: Digest) -> Outcome | None:
    """Return how the digest's one slot has ended; `None` if it has not, or has more to say."""
    if digest.run or digest.notices or len(digest.past) != 1:
        return None
    return digest.past[0].outcome


def _faults_of_digests(
    scene: Scene, digests: dict[Which, Digest], posting: set[Which]
) -> Iterator[str]:
    """Yield what is not as it must be: in the channel, with the owner, and in the store."""
    posts: dict[Which, list[Message]] = {}
    reported = set()
    for place in scene.places:
        for which, message in place.about_digests(is_direct=False):
            posts.setdefault(which, []).append(message)
        reported |= {which for which, _ in place.about_digests(is_direct=True)}
    if len(digests) != len(scene.places) * scene.rounds * PER_ROUND:
        yield f"{len(digests)} digests are in the store"
    for which, digest in digests.items():
        own, outcome = posts.get(which, []), _outcome(digest)
        if len(own) > 1:
            yield f"{which}: posted {len(own)} times"
        if outcome is None or not (own or which in reported):
            yield f"{which}: neither posted nor reported: {digest.run}, {digest.past}"
        if bool(own) != (outcome is Outcome.POSTED) and outcome is not Outcome.UNCERTAIN:
            yield f"{which}: recorded as {outcome}, and {len(own)} posts are there"
        if outcome is not Outcome.POSTED and which not in reported:
            yield f"{which}: {outcome}, and its owner was not notified"
        if outcome is Outcome.UNCERTAIN and which not in posting:
            yield f"{which}: uncertain, but no kill met its post"
        slot = scene.first_slot + int(which[1][1:]) // PER_ROUND * HOUR
        late = [each for each in own if float(each.ts) > (slot + SURELY_LATE).timestamp()]
        if any("late" not in each.everything.lower() for each in late):
            yield f"{which}: late, and does not say so"


async def _on_postgres(workspaces: int, kills: int, seed: int) -> int:
    with running_postgres() as server, server.database() as url:
        verdict = await load_and_kill(url, workspaces=workspaces, kills=kills, seed=seed)
    sys.stdout.write("\n".join([*verdict.lines(), ""]))
    return 1 if verdict.faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.load_and_kill")
    parser.add_argument("--workspaces", type=int, default=30)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of moments and faults")
    chosen = parser.parse_args()
    return asyncio.run(_on_postgres(chosen.workspaces, chosen.kills, chosen.seed))


if __name__ == "__main__":
    sys.exit(main())
