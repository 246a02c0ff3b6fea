"""Thirty workspaces with ten digests each, all due at one moment, and a Slack for each."""

import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

from bot.api_keys.key_record import KeyDraft
from bot.api_keys.repository import Keys
from bot.digests.baseline import Baseline, baseline_of
from bot.digests.edits import Editor, create
from bot.digests.models import Plan
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Schedule
from bot.playground.slack import Call, LocalSlack, running_slack
from bot.playground.tracker import Account, Tracker, running_tracker
from bot.portfolio.lookup import index_by_host
from bot.store.documents import Documents
from bot.store.encryption import KeyRing
from bot.store.sqlite import open_sqlite
from bot.tracker.models import Domain
from bot.workspace import WorkspaceId
from tests.benchmarks.scene import EVERY_DAY, RING, digest_ids
from tests.whole.harness import Clock

CALLS = 200  # more than come to one Slack
REFUSING = 0.5  # of the workspaces: their Slacks refuse some posts
REFUSED = 0.1  # of the posts there
MOVED = 0.05  # of the domains since the post before


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is, in each workspace: `crowded` of its digests share one channel.

    `large` of the workspaces have 10,000 domains each.
    """

    workspaces: int = 30
    digests: int = 10
    crowded: int = 4
    domains: int = 300
    large: int = 3
    large_domains: int = 10_000


@dataclass(frozen=True)
class Place:
    """One workspace. `retry_after_s`: some posts are answered 429 with it; 0: none is."""

    workspace: WorkspaceId
    slack: LocalSlack
    account: Account
    retry_after_s: int

    def posts(self) -> dict[str, list[Call]]:
        """The posts that Slack took, by digest."""
        found: dict[str, list[Call]] = {}
        for call in self.calls():
            if call.answer.get("ok"):
                for digest_id in digest_ids(call.answer["message"]["blocks"]):
                    found.setdefault(digest_id, []).append(call)
        return found

    def calls(self) -> list[Call]:
        return [call for call in self.slack.calls if call.method == "chat.postMessage"]

    def refusals(self) -> list[Call]:
        return [call for call in self.calls() if call.status == 429]


@dataclass(frozen=True)
class Crowd:
    """Everybody, and the moment at which every digest is due, hours ahead of the real clock."""

    places: Sequence[Place]
    tracker: Tracker
    database: Path
    clock: Clock
    due_at: datetime


@asynccontextmanager
async def gathered(folder: Path, size: Size, chance: random.Random) -> AsyncIterator[Crowd]:
    """Start every Slack and the service, and put everybody's key and digests into a store."""
    clock = Clock()
    async with AsyncExitStack() as stack:
        tracker = await stack.enter_async_context(running_tracker(clock=clock))
        places = []
        for number in range(size.workspaces):
            slack = await stack.enter_async_context(running_slack(clock=clock.seconds))
            slack.world.posting.burst = 2  # more than two posts in a second get a 429
            account = tracker.account(f"a{number}")
            is_large = number % (size.workspaces // max(1, size.large)) == 0
            account.fill(size.large_domains if is_large else size.domains, seed=number)
            workspace = WorkspaceId(f"T{number:03}")
            retry_after_s = chance.randint(1, 3) if chance.random() < REFUSING else 0
            places.append(Place(workspace, slack, account, retry_after_s))
            _order_faults(places[-1], chance)
        due_at = clock().replace(minute=0, second=0, microsecond=0) + timedelta(hours=2)
        crowd = Crowd(places, tracker, folder / "bot.sqlite", clock, due_at)
        documents = await open_sqlite(crowd.database)
        for place in places:
            await _fill(cast(Documents, documents), place, crowd, size, chance)
        await documents.close()
        yield crowd


def _order_faults(place: Place, chance: random.Random) -> None:
    for _ in range(CALLS):
        is_refused = bool(place.retry_after_s) and chance.random() < REFUSED
        place.slack.fail_next(
            "chat.postMessage",
            kind="error" if is_refused else "slow",
            retry_after_s=place.retry_after_s,
            delay_s=0 if is_refused else chance.uniform(0, 0.15),
            after_acting=not is_refused,
        )


async def _fill(
    documents: Documents, place: Place, crowd: Crowd, size: Size, chance: random.Random
) -> None:
    now = crowd.clock()
    ring, workspace = KeyRing.parse(RING), place.workspace
    key = KeyDraft(secret=place.account.create_key("bot"), label="", expires_on=None, scopes=())
    await Keys(documents, ring, clock=crowd.clock).save(workspace, key, set_by="U0ADA")
    slack = place.slack.world.workspace
    channels = [
        slack.add_channel(f"c{number}", ("ada", "bob", "domain_tracker")).id
        for number in range(size.digests - size.crowded + 1)
    ]
    schedule = Schedule(EVERY_DAY, crowd.due_at.time(), "Etc/UTC")
    before = _baseline(place.account, now - timedelta(days=1), chance)
    by = Editor(user_id=slack.member_named("bob").id, name="bob")
    shelf = DigestRepository(documents)
    for number in range(size.digests):
        plan = Plan(channel_id=channels[max(0, number - size.crowded + 1)], schedule=schedule)
        digest = create(f"d{number}", plan, by, now)
        await shelf.keep_baseline(workspace, digest.digest_id, "yesterday", before)
        await shelf.put(workspace, replace(digest, baseline="yesterday"))


def _baseline(account: Account, at: datetime, chance: random.Random) -> Baseline:
    """The scores of yesterday: a few of them another band away."""
    return baseline_of(index_by_host(_yesterday(account, chance)), at)


def _yesterday(account: Account, chance: random.Random) -> Iterator[Domain]:
    for record in account.domains.values():
        health = record.health if isinstance(record.health, int | float) else None
        if health is not None and chance.random() < MOVED:
            health = (health + 40) % 100
        yield Domain(domain=record.domain, domain_id=record.domain_id, health_score=health)
