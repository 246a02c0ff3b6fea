"""How posting under load went: what is not as it must be, and how long things took."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from bot.digests.models import Outcome
from bot.digests.repository import DigestRepository
from bot.store.sqlite import open_sqlite
from tests.benchmarks.many import Crowd, Place, Size

# What was on its way when the refusal came is not called back.
ON_ITS_WAY_S = 0.25
LONGEST_CALLBACK_S = 0.05
# Slack's pace. The bot counts more than that from the answer to the post before, so that nothing
# on the way, and no busy machine, can bring two posts of a channel closer.
CLOSEST_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Seconds, unless they say otherwise. `faults` are sentences: what is not as it must be.

    `calm_last_s`: from the slot to the last post of those workspaces that were refused nothing.
    `closest_s`: the least time between two posts of one channel, as they came to Slack.
    `bot` is what the bot's process has measured, see `Meter` and `loaded.work`.
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
    faults: list[str] = field(default_factory=list)

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
            f"store: {bot['writes'] / self.slots:.1f} writes a digest,"
            f" {bot['write_mean_s'] * 1000:.1f} ms each, {bot['write_max_s'] * 1000:.0f} at most",
            f"memory: {bot['memory_began_mb']:.0f} MB before, {bot['memory_peak_mb']:.0f} at most;"
            f" processor: {bot['cpu_s']:.1f} s",
        ]


def faults_at_slack(crowd: Crowd, size: Size) -> Iterator[str]:
    for place in crowd.places:
        posts = place.posts()
        counts = Counter(len(calls) for calls in posts.values())
        if counts != {1: size.digests}:
            yield f"{place.workspace}: posts of a digest, and how many have so many: {counts}"
        if not place.retry_after_s and len(place.calls()) != size.digests:
            yield f"{place.workspace} was refused nothing, and got {len(place.calls())} calls"
        asked = [sent for sent in crowd.tracker.requests if sent.account == place.account.name]
        if len(asked) != 1:
            yield f"{place.workspace}: {len(asked)} requests to the service"
        if held := len(_held(place)):
            yield f"{place.workspace}: {held} calls while it was held"


async def unrecorded(crowd: Crowd) -> list[str]:
    documents = await open_sqlite(crowd.database)
    faults = []
    for place in crowd.places:
        for digest in await DigestRepository(documents).of_workspace(place.workspace):
            outcomes = [run.outcome for run in digest.past]
            if outcomes != [Outcome.POSTED] or digest.run or digest.notices:
                faults.append(f"{place.workspace}/{digest.digest_id}: {outcomes}, {digest.run}")
    await documents.close()
    return faults


def faults_of_bot(bot: dict[str, Any], closest_s: float) -> Iterator[str]:
    if bot["callback_max_s"] >= LONGEST_CALLBACK_S:
        yield f"a callback of {bot['callback_max_s'] * 1000:.0f} ms: {bot['longest'][0][2]}"
    if closest_s < CLOSEST_S:
        yield f"two posts of one channel {closest_s:.2f} s apart"
    if not bot["is_done"]:
        yield "the bot did not come to an end"


def findings_of(crowd: Crowd, size: Size, bot: dict[str, Any]) -> Findings:
    posted = sorted(at for place in crowd.places for at in _posted_at(place))
    calm = [at for place in crowd.places if not place.refusals() for at in _posted_at(place)]
    due = crowd.due_at.timestamp()
    return Findings(
        slots=size.workspaces * size.digests,
        refusals=sum(len(place.refusals()) for place in crowd.places),
        held=sum(len(_held(place)) for place in crowd.places),
        first_s=posted[0] - due,
        half_s=posted[len(posted) // 2] - due,
        last_s=posted[-1] - due,
        calm_last_s=max(calm, default=due) - due,
        closest_s=min(_gaps(crowd)),
        bot=bot,
    )


def _posted_at(place: Place) -> list[float]:
    return [call.at for calls in place.posts().values() for call in calls]


def _gaps(crowd: Crowd) -> Iterator[float]:
    """The time between any two posts of one channel that follow each other."""
    for place in crowd.places:
        by_channel: dict[str, list[float]] = {}
        for calls in place.posts().values():
            for call in calls:
                by_channel.setdefault(str(call.arguments["channel"]), []).append(call.at)
        for moments in by_channel.values():
            yield from (later - earlier for earlier, later in pairwise(sorted(moments)))


def _held(place: Place) -> list[float]:
    """The calls that came although Slack had told this workspace to wait."""
    return [
        call.at
        for refusal in place.refusals()
        for call in place.calls()
        if refusal.at + ON_ITS_WAY_S < call.at < refusal.at + place.retry_after_s
    ]
