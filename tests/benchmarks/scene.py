"""Where a kill takes place: some digests of one slot, in a store that no bot has open."""

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.api_keys.key_record import KeyDraft
from bot.api_keys.repository import Keys
from bot.digests.edits import Editor, create
from bot.digests.models import Digest, Plan
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Schedule, Slot
from bot.playground.slack import LocalSlack, Message
from bot.store.encryption import KeyRing
from bot.store.sqlite import open_sqlite
from bot.views.digests.wording import MANAGE_DIGEST
from bot.workspace import WorkspaceId
from tests.whole.harness import Clock, Harness, running_stand_ins

CHANNELS = ("ops", "shops", "web")
RING = "k1:" + "a" * 43 + "="
TICK_S = 0.5  # the quickest that the settings allow
EVERY_DAY = frozenset(range(7))
SLOW_CALLS = 200  # more than a run makes
REFUSED = 0.1  # of the posts: too fast for Slack


@dataclass(frozen=True)
class Scene:
    """`slot` is hours ahead of the real clock; `town.clock` brings it near."""

    town: Harness
    workspace: WorkspaceId
    slot: Slot
    digest_ids: tuple[str, ...]

    def move_clock(self, to: datetime) -> None:
        self.town.clock.ahead = to - datetime.now(UTC)

    def posts(self) -> Iterator[tuple[str, Message]]:
        """Every post of a digest in a channel, with the digest's id."""
        return _of_digests(self.town.slack, is_direct=False)

    def directs(self) -> Iterator[tuple[str, Message]]:
        """Every direct message about a digest, with the digest's id."""
        return _of_digests(self.town.slack, is_direct=True)

    async def digests(self, path: Path) -> dict[str, Digest]:
        """Return the digests of a store that no one has open."""
        documents = await open_sqlite(path)
        try:
            found = await DigestRepository(documents).of_workspace(self.workspace)
        finally:
            await documents.close()
        return {digest.digest_id: digest for digest in found}


@asynccontextmanager
async def set_up(folder: Path, chance: random.Random) -> AsyncIterator[Scene]:
    async with running_stand_ins(folder, "socket", Clock()) as town:
        more = {"bot_secret_keys": SecretStr(RING), "tick_seconds": TICK_S}
        town.settings = town.settings.model_copy(update=more)
        for name in CHANNELS:
            town.slack.world.workspace.add_channel(name, ("ada", "bob", "domain_tracker"))
        town.account.fill(chance.randint(5, 60), seed=chance.randint(1, 1000))
        slow_down(town, chance)
        yield await _filled(town, chance)


def slow_down(town: Harness, chance: random.Random) -> None:
    """Let answers take their time, before or after they are acted upon: kills land in between.

    One post in ten is refused for a second or two.
    """
    town.tracker.latency_s = chance.uniform(0, 0.6)
    for _ in range(SLOW_CALLS):
        for method in ("chat.postMessage", "conversations.open"):
            is_refused = method == "chat.postMessage" and chance.random() < REFUSED
            town.slack.fail_next(
                method,
                kind="error" if is_refused else "slow",
                retry_after_s=chance.randint(1, 2),
                delay_s=chance.uniform(0, 0.9),
                after_acting=not is_refused and chance.random() < 0.5,
            )


async def _filled(town: Harness, chance: random.Random) -> Scene:
    """Put a key and 6 to 10 digests into the store, all due at the next full hour but one."""
    now = town.clock()
    due_at = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=2)
    workspace = WorkspaceId(town.slack.team_id)
    schedule = Schedule(EVERY_DAY, due_at.time(), "Etc/UTC")
    by = Editor(user_id=_id_of(town, "bob"), name="bob")
    documents = await open_sqlite(town.settings.database_path)
    key = KeyDraft(secret=town.account.create_key("bot"), label="bot", expires_on=None, scopes=())
    keys = Keys(documents, KeyRing.parse(RING), clock=town.clock)
    await keys.save(workspace, key, set_by=_id_of(town, "ada"))
    digest_ids = tuple(f"d{number}" for number in range(chance.randint(6, 10)))
    for digest_id in digest_ids:
        channel = town.slack.world.workspace.channel_named(chance.choice(CHANNELS))
        assert channel
        plan = Plan(channel_id=channel.id, schedule=schedule)
        await DigestRepository(documents).put(workspace, create(digest_id, plan, by, now))
    await documents.close()
    return Scene(town, workspace, Slot(due_at, due_at.replace(tzinfo=None)), digest_ids)


def _id_of(town: Harness, name: str) -> str:
    return town.slack.world.workspace.member_named(name).id


def _of_digests(slack: LocalSlack, *, is_direct: bool) -> Iterator[tuple[str, Message]]:
    for channel in list(slack.world.workspace.channels.values()):
        if channel.is_im == is_direct:
            for message in channel.messages:
                yield from ((each, message) for each in digest_ids(message.blocks))


def digest_ids(blocks: list[dict[str, Any]]) -> Iterator[str]:
    """The digest that a message is about: its button carries it."""
    for block in blocks:
        for element in block.get("elements", ()):
            if element.get("action_id") == MANAGE_DIGEST:
                yield element["value"].rpartition("/")[2]
