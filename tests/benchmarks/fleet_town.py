"""Many workspaces that installed one bot by OAuth, and the Slack and the service behind them."""

import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.playground.slack import LocalSlack, Message, Person, lifecycle, running_slack
from bot.playground.slack.installations import Consent
from bot.playground.tracker import Account, Tracker, running_tracker
from bot.workspace import WorkspaceId
from tests.benchmarks.scene import digest_ids
from tests.whole.harness import ABOUT, Clock

LATENCY_S = 0.1  # of the service
SLOW = 0.1  # of the posts: Slack answers late
SLOW_S = (0.05, 0.3)
REFUSED = 0.005  # of the posts, unless the size says so: too fast for Slack
REFUSED_S = 2
SPARE = 1.5  # times as many faults as posts: refused ones come again, and owners are notified


@dataclass(frozen=True, kw_only=True)
class FleetSize:
    """How much there is. Each workspace has so many `channels` for its share of `digests`.

    The first `large` of the workspaces have 10,000 domains each. Of the posts `refused` are.
    """

    digests: int = 10_000
    workspaces: int = 500
    channels: int = 10
    domains: int = 30
    large: int = 0
    refused: float = REFUSED

    @property
    def per_workspace(self) -> int:
        return self.digests // self.workspaces


@dataclass(frozen=True)
class FleetPlace:
    """One workspace. `bob` makes its digests, and types commands."""

    workspace: WorkspaceId
    slack: LocalSlack
    account: Account
    channel_ids: tuple[str, ...]

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    def posts(self) -> Iterator[tuple[str, Message]]:
        """Every post of a digest in a channel, with the digest's id."""
        channels = self.slack.world.workspace.channels
        for channel_id in self.channel_ids:
            for message in channels[channel_id].messages:
                yield from ((each, message) for each in digest_ids(message.blocks))

    def directs(self) -> Iterator[tuple[str, Message]]:
        """Every direct message about a digest, with the digest's id."""
        for channel in self.slack.world.workspace.channels.values():
            for message in channel.messages if channel.is_im else ():
                yield from ((each, message) for each in digest_ids(message.blocks))


@dataclass(frozen=True)
class Fleet:
    """Everybody whom the bot's processes serve."""

    size: FleetSize
    places: Sequence[FleetPlace]
    slack: LocalSlack
    tracker: Tracker
    clock: Clock

    def posted(self) -> int:
        """How many messages stand in the channels of digests."""
        return sum(
            len(place.slack.world.workspace.channels[each].messages)
            for place in self.places
            for each in place.channel_ids
        )


@asynccontextmanager
async def running_fleet(size: FleetSize, chance: random.Random) -> AsyncIterator[Fleet]:
    """Run the stand-ins, in this process; Slack is late now and then, and refuses a few posts."""
    clock = Clock()
    async with (
        running_slack(
            clock=clock.seconds,
            **ABOUT.settings,
        ) as slack,
        running_tracker(clock=clock) as tracker,
    ):
        tracker.latency_s = LATENCY_S
        places = [_settled(slack, tracker, number, size) for number in range(size.workspaces)]
        _order_faults(slack, size, chance)
        yield Fleet(size, places, slack, tracker, clock)


def _settled(slack: LocalSlack, tracker: Tracker, number: int, size: FleetSize) -> FleetPlace:
    name = f"w{number:04}"
    local = slack.add_workspace(name)
    workspace = local.world.workspace
    ada = workspace.member_named("ada").id
    now = slack.app.clock()
    lifecycle.install(slack.universe, Consent(local.team_id, False, ada, ABOUT.scopes, None, now))
    channel_ids = tuple(
        workspace.add_channel(f"c{each}", ("ada", "bob", "domain_tracker")).id
        for each in range(size.channels)
    )
    account = tracker.account(name)
    account.fill(10_000 if number < size.large else size.domains, seed=number)
    return FleetPlace(WorkspaceId(local.team_id), local, account, channel_ids)


def _order_faults(slack: LocalSlack, size: FleetSize, chance: random.Random) -> None:
    for _ in range(int(size.digests * SPARE)):
        is_refused = chance.random() < size.refused
        slack.fail_next(
            "chat.postMessage",
            kind="error" if is_refused else "slow",
            retry_after_s=REFUSED_S,
            delay_s=chance.uniform(*SLOW_S) if chance.random() < SLOW else 0.0,
            after_acting=not is_refused and chance.random() < 0.5,
        )
