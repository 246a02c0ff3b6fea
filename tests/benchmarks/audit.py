"""How posting under load went: what is not as it must be, and how long things took."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from bot.digests.models import Digest, Outcome
from bot.playground.slack import Call
from tests.benchmarks.fleet_store import Which
from tests.benchmarks.fleet_town import REFUSED_S, Fleet, FleetPlace

# What was on its way when the refusal came is not called back.
ON_ITS_WAY_S = 0.25
LONGEST_CALLBACK_S = 0.05
# Slack's pace. The bot counts more than that from the answer to the post before, so that nothing
# on the way, and no busy machine, can bring two posts of a channel closer.
CLOSEST_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Seconds, unless they say otherwise.

    `calm_last_s`: from the slot to the last post of those workspaces that were refused nothing.
    `closest_s`: the least time between two posts of one channel, as they came to Slack.
    `bot` is what the bot's process has measured, see `Meter`, and what the system says of it.
    """

    slots: int
    refusals: int
    held: int
    first_s: float
    half_s: float
    last_s: float
    calm_last_s: float
    closest_s: float
    bot: dict[str, Any]

    def lines(self) -> list[str]:
        """The findings as people read them."""
        bot = self.bot
        slowest = [
            f"   {cpu_s * 1000:6.1f} {wall_s * 1000:6.1f}  {where}"
            for cpu_s, wall_s, where in bot["longest"]
        ]
        return [
            f"{self.slots} digests; {self.refusals} posts refused with 429",
            f"after the slot: first post {self.first_s:.1f} s, half of them {self.half_s:.1f} s,"
            f" the last {self.last_s:.1f} s; last of those never refused {self.calm_last_s:.1f} s",
            f"closest two posts of one channel: {self.closest_s:.2f} s",
            f"calls that came while their workspace was held: {self.held}",
            f"loop: longest callback {bot['callback_max_s'] * 1000:.0f} ms of processor time;"
            f" longest lag {bot['lag_max_s'] * 1000:.0f} ms,"
            f" 99 of 100 below {bot['lag_p99_s'] * 1000:.0f} ms"
            f" ({bot['idle_lag_max_s'] * 1000:.0f} ms with nothing to do);"
            f" longest garbage collection {bot['collection_max_s'] * 1000:.0f} ms",
            "longest callbacks (ms of processor, ms by the wall clock, where they went on):",
            *slowest,
            f"memory: {bot['memory_began_mb']:.0f} MB before, {bot['memory_peak_mb']:.0f} at most;"
            f" processor: {bot['cpu_s']:.1f} s",
        ]


def findings_of(fleet: Fleet, due_at: datetime, bot: dict[str, Any]) -> Findings:
    calls = _calls(fleet)
    taken = [call for each in calls.values() for call in each if call.status == 200]
    posted = sorted(call.at - due_at.timestamp() for call in taken)
    calm = [call for call in taken if not _refusals(calls[call.token])]
    return Findings(
        slots=fleet.size.digests,
        refusals=sum(len(_refusals(each)) for each in calls.values()),
        held=sum(_held(each) for each in calls.values()),
        first_s=posted[0],
        half_s=posted[len(posted) // 2],
        last_s=posted[-1],
        calm_last_s=max(call.at for call in calm) - due_at.timestamp(),
        closest_s=min(_gaps(taken)),
        bot=bot,
    )


def faults_of(fleet: Fleet, findings: Findings, digests: Mapping[Which, Digest]) -> Iterator[str]:
    """Yield what is not as it must be, as Slack, the service and the store have it."""
    calls = _calls(fleet)
    for place in fleet.places:
        yield from _faults_at(place, fleet, calls[place.slack.bot_token])
    for which, digest in digests.items():
        outcomes = [run.outcome for run in digest.past]
        if outcomes != [Outcome.POSTED] or digest.run or digest.notices:
            yield f"{which}: {outcomes}, {digest.run}"
    bot = findings.bot
    if bot["callback_max_s"] >= LONGEST_CALLBACK_S:
        yield f"a callback of {bot['callback_max_s'] * 1000:.0f} ms: {bot['longest'][0][2]}"
    if findings.closest_s < CLOSEST_S:
        yield f"two posts of one channel {findings.closest_s:.2f} s apart"
    if bot["status"]:
        yield f"the bot ended with {bot['status']}"


def _faults_at(place: FleetPlace, fleet: Fleet, calls: list[Call]) -> Iterator[str]:
    counts = Counter(Counter(digest_id for digest_id, _ in place.posts()).values())
    if counts != {1: fleet.size.per_workspace}:
        yield f"{place.workspace}: posts of a digest, and how many have so many: {counts}"
    if len(calls) != fleet.size.per_workspace + len(_refusals(calls)):
        yield f"{place.workspace} got {len(calls)} calls"
    asked = [sent for sent in fleet.tracker.requests if sent.account == place.account.name]
    if len(asked) != 1:
        yield f"{place.workspace}: {len(asked)} requests to the service"
    if held := _held(calls):
        yield f"{place.workspace}: {held} calls while it was held"


def _calls(fleet: Fleet) -> dict[str | None, list[Call]]:
    """Return the posts that Slack was asked for, by the workspace's token."""
    found: dict[str | None, list[Call]] = defaultdict(list)
    for call in fleet.slack.calls:
        if call.method == "chat.postMessage":
            found[call.token].append(call)
    return found


def _refusals(calls: list[Call]) -> list[Call]:
    return [call for call in calls if call.status == 429]


def _gaps(calls: list[Call]) -> Iterator[float]:
    """Yield the time between any two posts of one channel that follow each other."""
    by_channel: dict[tuple[str | None, str], list[float]] = defaultdict(list)
    for call in calls:
        by_channel[call.token, str(call.arguments["channel"])].append(call.at)
    for moments in by_channel.values():
        yield from (later - earlier for earlier, later in pairwise(sorted(moments)))


def _held(calls: list[Call]) -> int:
    """Return how many came although Slack had told this workspace to wait."""
    return sum(
        refusal.at + ON_ITS_WAY_S < call.at < refusal.at + REFUSED_S
        for refusal in _refusals(calls)
        for call in calls
    )
