"""What has become of every slot of a run: as the channel, the owner and the store have it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.digests.models import Digest, Outcome
from bot.digests.run_state import CLAIM
from bot.playground.slack import Message
from tests.benchmarks.killing import Kill
from tests.benchmarks.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One run. `faults` are sentences: doubles, losses, and whatever else is not as it must be.

    `late`: posted by a later process than the first. `uncertain_posted`: how many of the
    uncertain ones are in the channel after all. `in_flight`: noted as being posted at a kill.
    """

    number: int
    kills: tuple[Kill, ...]
    slots: int
    posted: int
    late: int
    uncertain: int
    uncertain_posted: int
    in_flight: int
    missed: int
    failed: int
    directs: int
    doubles: int
    lost: int
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fate:
    """One slot: the digest at the end, the posts in its channel, the messages to its owner."""

    digest: Digest
    posts: Sequence[Message]
    directs: int
    is_late: bool

    @property
    def outcome(self) -> Outcome | None:
        """What is recorded; `None`: the run is not over, or the owner still gets a notice."""
        if self.digest.run or self.digest.notices or len(self.digest.past) != 1:
            return None
        return self.digest.past[0].outcome

    @property
    def is_lost(self) -> bool:
        return self.outcome is None or not (self.posts or self.directs)

    def faults(self) -> Iterator[str]:
        """Yield what is not as it must be."""
        if len(self.posts) > 1:
            yield f"posted {len(self.posts)} times"
        if self.is_lost:
            yield f"lost: {self.digest.run}, {self.digest.notices}, {self.digest.past}"
        if self.outcome is Outcome.POSTED and not self.posts:
            yield "recorded as posted, and is not there"
        if self.posts and self.outcome not in {Outcome.POSTED, Outcome.UNCERTAIN}:
            yield f"recorded as {self.outcome}, and is there"
        if self.outcome is not Outcome.POSTED and not self.directs:
            yield f"recorded as {self.outcome}, and nobody was told"
        if self.is_late and not any("Late" in post.everything for post in self.posts):
            yield "late, and does not say so"


def judged(
    number: int, scene: Scene, kills: Sequence[Kill], digests: dict[str, Digest]
) -> Verdict:
    """`digests` are what the store holds after everything."""
    fates = {each: _fate(scene, each, digests[each]) for each in scene.digest_ids}
    outcomes = Counter(fate.outcome for fate in fates.values())
    uncertain = {each for each, fate in fates.items() if fate.outcome is Outcome.UNCERTAIN}
    in_flight = set().union(*(kill.posting() for kill in kills))
    faults = [f"{each}: {text}" for each, fate in fates.items() for text in fate.faults()]
    if uncertain - in_flight:
        faults.append(f"uncertain, but not in flight at a kill: {uncertain - in_flight}")
    return Verdict(
        number=number,
        kills=tuple(kills),
        slots=len(fates),
        posted=outcomes[Outcome.POSTED],
        late=sum(fate.is_late for fate in fates.values()),
        uncertain=len(uncertain),
        uncertain_posted=sum(bool(fates[each].posts) for each in uncertain),
        in_flight=len(in_flight),
        missed=outcomes[Outcome.MISSED],
        failed=outcomes[Outcome.FAILED],
        directs=sum(fate.directs for fate in fates.values()),
        doubles=sum(len(fate.posts) > 1 for fate in fates.values()),
        lost=sum(fate.is_lost for fate in fates.values()),
        faults=tuple(faults),
    )


def _fate(scene: Scene, digest_id: str, digest: Digest) -> Fate:
    posts = [message for each, message in scene.posts() if each == digest_id]
    directs = sum(each == digest_id for each, _ in scene.directs())
    since = scene.slot.due_at.timestamp() + CLAIM.total_seconds()
    return Fate(digest, posts, directs, any(float(post.ts) > since for post in posts))
