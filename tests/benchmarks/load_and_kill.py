"""Load a bot with digests, a bulk scan and people, and kill -9 what delivers, again and again.

    python -m tests.benchmarks.load_and_kill

Once on SQLite, where the one process is killed, and once on PostgreSQL, where a `web` and two
`worker` run and the workers are killed. The exit status is 1 when a slot was posted twice, or
neither posted nor reported to its owner, when a domain was scanned twice or missed without a
word, or when a person got no answer from the `web`.
"""

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from bot.digests.models import Digest, Outcome, Plan, RunState
from bot.digests.repository import DigestRepository
from bot.digests.run_state import CLAIM
from bot.digests.schedule import Schedule
from bot.digests.views.wording import MANAGE_DIGEST
from bot.playground.slack import LocalSlack, Message, Person, lifecycle, running_slack
from bot.playground.slack.installations import Consent
from bot.playground.slack.refusals import CommandFailed
from bot.playground.tracker import Account, Tracker, running_tracker
from bot.process.workspace import WorkspaceId
from bot.scans.bulk_record import INTERRUPTED, KIND, BulkScan
from bot.store.documents import Documents
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.sqlite import open_sqlite
from tests.benchmarks.measured import Measured, process
from tests.benchmarks.population import EVERY_DAY, SQLITE, Settled, fill_store
from tests.benchmarks.quick_slack import QuickSlack
from tests.ports import reserve_port
from tests.postgres import running_postgres
from tests.whole.harness import ABOUT, RING, Clock

CHANNELS = 2
PER_ROUND = 4  # digests of a workspace in one slot: two follow each other in a channel
REFUSED = 0.05  # of the posts: too fast for Slack
SLOW_S = 0.9  # a post takes up to that, before or after the message is there
CALLS = 60  # a round has fewer posts for each workspace
SCAN_S = 0.3
BETWEEN_S = 0.5  # two lines that people type
LEAD_S = 0.5
KILLED_AFTER_S = (0.2, 3.0)
HOUR = timedelta(hours=1)
CLAIM_OVER = CLAIM + timedelta(seconds=1)
RETRIED = timedelta(minutes=16)  # a run that waits is tried again within 15
SURELY_LATE = timedelta(minutes=10)
QUIET_S = 3.0
# A killed worker's jobs are taken back after 36 s.
QUIET_ON_POSTGRES_S = 45.0
ANSWERED_WITHIN_S = 60.0
SCANNED_WITHIN_S = 300.0

Which: TypeAlias = tuple[WorkspaceId, str]


@dataclass(frozen=True, kw_only=True)
class Place:
    """One workspace; `bob` made its digests, and types."""

    workspace: WorkspaceId
    slack: LocalSlack
    account: Account
    channel_ids: tuple[str, ...]

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

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
    tracker: Tracker
    places: tuple[Place, ...]
    clock: Clock
    first_slot: datetime
    rounds: int
    database_url: str
    chance: random.Random

    @property
    def is_shared(self) -> bool:
        return not self.database_url.startswith(SQLITE)

    def posts(self) -> int:
        return sum(call.method == "chat.postMessage" for call in self.slack.calls)

    @asynccontextmanager
    async def documents(self) -> AsyncIterator[Documents]:
        """Open the store, of SQLite a copy: the bot itself is to find what a kill left."""
        with tempfile.TemporaryDirectory() as folder:
            if self.is_shared:
                documents: Documents = await open_postgres(parse_address(self.database_url))
            else:
                path = Path(self.database_url.removeprefix(SQLITE))
                for each in path.parent.glob(f"{path.name}*"):
                    shutil.copy(each, folder)
                documents = await open_sqlite(Path(folder) / path.name)
            yield documents
            await documents.close()

    async def digests(self) -> dict[Which, Digest]:
        """Return every digest, of a store that no one has open or that many may."""
        async with self.documents() as documents:
            return {
                (place.workspace, digest.digest_id): digest
                for place in self.places
                for digest in await DigestRepository(documents).of_workspace(place.workspace)
            }

    async def bulk_scan(self) -> BulkScan:
        """Return what the store holds of the bulk scan, after the bot has stopped."""
        async with self.documents() as documents:
            document = await documents.get(f"{self.places[0].workspace}/{KIND}")
        assert document
        return msgspec.convert(document.value["run"], BulkScan)


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
        places = tuple(_settled(slack, tracker, each) for each in range(workspaces))
        for place in places:
            place.account.fill(10 * rounds if place is places[0] else 10, seed=1)
        for _ in range(CALLS * workspaces * rounds):
            is_refused = chance.random() < REFUSED
            slack.fail_next(
                "chat.postMessage",
                kind="error" if is_refused else "slow",
                retry_after_s=chance.randint(1, 2),
                delay_s=chance.uniform(0, SLOW_S),
                after_acting=not is_refused and chance.random() < 0.5,
            )
        tracker.scan_latency_s = SCAN_S
        scene = Scene(
            slack=slack,
            tracker=tracker,
            places=places,
            clock=clock,
            first_slot=first,
            rounds=rounds,
            database_url=database_url,
            chance=chance,
        )
        await fill_store(database_url, [_filled(scene, each) for each in places], clock())
        yield scene


def _settled(slack: LocalSlack, tracker: Tracker, number: int) -> Place:
    name = f"w{number:03}"
    local = slack.add_workspace(name)
    workspace = local.world.workspace
    ada, now = workspace.member_named("ada").id, slack.app.clock()
    lifecycle.install(slack.universe, Consent(local.team_id, False, ada, ABOUT.scopes, None, now))
    members = ("ada", "bob", "domain_tracker")
    channels = tuple(workspace.add_channel(f"c{each}", members).id for each in range(CHANNELS))
    return Place(
        workspace=WorkspaceId(local.team_id),
        slack=local,
        account=tracker.account(name),
        channel_ids=channels,
    )


def _filled(scene: Scene, place: Place) -> Settled:
    """Return what the store holds of a place at the start."""
    installed = place.slack.world.installation
    assert installed
    slots = [scene.first_slot + n // PER_ROUND * HOUR for n in range(scene.rounds * PER_ROUND)]
    return Settled(
        team_id=place.slack.team_id,
        token=place.slack.bot_token,
        key=place.account.create_key("bot"),
        bot_user_id=installed.bot_user_id,
        installed_by=installed.installed_by,
        made_by=place.bob.id,
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
    """The processes: those that deliver, which are killed, and a `web` on PostgreSQL."""

    scene: Scene
    stack: AsyncExitStack
    killable: list[Measured] = field(default_factory=list)
    web: Measured | None = None
    port: int = field(default_factory=reserve_port)

    async def start(self) -> None:
        """Start what is not there."""
        if self.scene.is_shared and self.web is None:
            self.web = await self._started("web", self.port)
        roles = ["worker"] * 2 if self.scene.is_shared else ["all"]
        self.killable = [
            await self._started(role, self.port if role == "all" else reserve_port())
            for role in roles
        ]

    async def _started(self, role: str, port: int) -> Measured:
        env = _environment(self.scene) | {"PORT": f"{port}"}
        words = ("-m", "tests.benchmarks.fleet_bot", role)
        running = process(QuickSlack(), words, port, env, b"/readyz", ahead=self.scene.clock.ahead)
        return await self.stack.enter_async_context(running)

    async def kill(self) -> set[Which]:
        """Kill what delivers; return the digests that it was posting."""
        for each in self.killable:
            each.child.kill()
        for each in self.killable:
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
        for each in [*self.killable, *([self.web] if self.web else [])]:
            each.move_clock(self.scene.clock.ahead)

    async def stop(self) -> list[int | None]:
        """Stop all as platforms do; return their exit statuses."""
        running = [*self.killable, *([self.web] if self.web else [])]
        for each in running:
            each.child.terminate()
        return [await each.child.wait() for each in running]


def _environment(scene: Scene) -> dict[str, str]:
    return {
        "DOMAIN_TRACKER_URL": scene.tracker.url,
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
    scans: int
    unknown: int
    commands: int
    faults: tuple[str, ...]

    def lines(self) -> list[str]:
        outcomes = ", ".join(
            f"{count} {each.value if each else 'open'}"
            for each, count in self.outcomes.most_common()
        )
        return [
            f"{self.kills} kills; {self.slots} slots: {outcomes}"
            f" ({self.posting} were being posted at a kill)",
            f"bulk scan: {self.scans} scans asked for, {self.unknown} reported as unknown",
            f"{self.commands} commands answered",
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
        scene.slack.deliver_to(f"http://127.0.0.1:{fleet.port}/slack/events")
        unanswered: list[str] = []
        typing = asyncio.create_task(_type(scene, unanswered)) if scene.is_shared else None
        posting: set[Which] = set()
        for number in range(kills):
            fleet.move_clock(scene.first_slot + number * HOUR - timedelta(seconds=LEAD_S))
            await asyncio.sleep(LEAD_S)
            if number == 0:
                await _start_bulk_scan(scene)
            await asyncio.sleep(scene.chance.uniform(*KILLED_AFTER_S))
            posting |= await fleet.kill()
            await fleet.start()
            await _until_quiet(scene, QUIET_S)
        fleet.move_clock(scene.clock() + CLAIM_OVER)
        await scene.places[0].bob.next_message(
            "dm", where=lambda each: " scanned" in each.everything, timeout_s=SCANNED_WITHIN_S
        )
        await _until_quiet(scene, QUIET_ON_POSTGRES_S if scene.is_shared else QUIET_S)
        fleet.move_clock(scene.clock() + RETRIED)
        await _until_quiet(scene, QUIET_S)
        commands = await _stopped(typing)
        statuses = await fleet.stop()
        faults = [*unanswered, *(f"a process ended with {each}" for each in statuses if each)]
        return await _judged(scene, posting, commands, faults)


async def _type(scene: Scene, unanswered: list[str]) -> int:
    """Let people type until cancelled; return how many lines were answered."""
    number = 0
    try:
        while True:
            place = scene.places[1 + number % (len(scene.places) - 1)]
            try:
                await place.bob.type("/domains")
                await place.bob.next_message(
                    where=lambda each: "⏳" not in each.everything, timeout_s=ANSWERED_WITHIN_S
                )
                number += 1
            except (CommandFailed, TimeoutError) as error:
                unanswered.append(f"/domains in {place.workspace}: {error!r}")
            await asyncio.sleep(BETWEEN_S)
    except asyncio.CancelledError:
        return number


async def _stopped(typing: "asyncio.Task[int] | None") -> int:
    if typing is None:
        return 0
    typing.cancel()
    return await typing


async def _start_bulk_scan(scene: Scene) -> None:
    bob = scene.places[0].bob
    await bob.type("/scan sort:name")
    price = await bob.next_message(where=lambda each: "Start" in each.buttons)
    await bob.press(price, "Start")


async def _until_quiet(scene: Scene, quiet_s: float) -> None:
    """Wait until nothing was posted for so long."""
    before = -1
    while before != (now := scene.posts()):
        before = now
        await asyncio.sleep(quiet_s)


async def _judged(scene: Scene, posting: set[Which], commands: int, faults: list[str]) -> Verdict:
    digests, bulk = await scene.digests(), await scene.bulk_scan()
    asked = Counter(
        sent.path.split("/")[-2] for sent in scene.tracker.requests if sent.path.endswith("/scan")
    )
    faults += _faults_of_digests(scene, digests, posting)
    faults += _faults_of_bulk_scan(scene, bulk, asked)
    return Verdict(
        slots=len(digests),
        kills=scene.rounds,
        outcomes=Counter(_outcome(digest) for digest in digests.values()),
        posting=len(posting),
        scans=asked.total(),
        unknown=sum(item.trouble == INTERRUPTED for item in bulk.done),
        commands=commands,
        faults=tuple(faults),
    )


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


def _faults_of_bulk_scan(scene: Scene, run: BulkScan, asked: Counter[str]) -> Iterator[str]:
    yield from (f"{each}: scanned {times} times" for each, times in asked.items() if times > 1)
    missed = [item.domain_id for item in run.scanned if item.domain_id not in asked]
    yield from (f"{each}: missed, and not reported" for each in missed)
    if run.left or run.count != len(scene.places[0].account.domains):
        yield f"{len(run.left)} of {run.count} domains are left"
    if sum(item.trouble == INTERRUPTED for item in run.done) > scene.rounds:
        yield "more scans are unknown than there were kills"
    summaries = [
        each for each in scene.places[0].bob.messages("dm") if " scanned" in each.everything
    ]
    if len(summaries) != 1:
        yield f"{len(summaries)} messages with the summary"


async def _both(workspaces: int, kills: int, seed: int) -> int:
    faults = 0
    with (
        running_postgres() as server,
        server.database() as postgres,
        tempfile.TemporaryDirectory() as folder,
    ):
        for url in (f"{SQLITE}{folder}/bot.sqlite", postgres):
            verdict = await load_and_kill(url, workspaces=workspaces, kills=kills, seed=seed)
            faults += len(verdict.faults)
            sys.stdout.write("\n".join([url.partition(":")[0], *verdict.lines(), ""]))
            sys.stdout.flush()
    return 1 if faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.load_and_kill")
    parser.add_argument("--workspaces", type=int, default=30)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of moments and faults")
    chosen = parser.parse_args()
    return asyncio.run(_both(chosen.workspaces, chosen.kills, chosen.seed))


if __name__ == "__main__":
    sys.exit(main())
