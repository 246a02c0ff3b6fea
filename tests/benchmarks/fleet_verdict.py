"""What has become of a fleet's slots: as the channels, the owners, the store and the queue say."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from bot.digests.models import Digest, Outcome
from bot.digests.run_state import CLAIM
from bot.playground.slack import Message
from tests.benchmarks.fleet_people import Asked
from tests.benchmarks.fleet_plot import Incident
from tests.benchmarks.fleet_store import Which
from tests.benchmarks.fleet_town import Fleet
from tests.benchmarks.verdict import Fate as Fate

# A post may wait so long between its words and its place in the channel.
ON_ITS_WAY = timedelta(seconds=40)
TELL_WITHIN_S = 60.0
# The errors behind a failure that a restart of the database explains.
AWAY = ("psycopg", "StoreError", "LostConnectionError")
INTERRUPTED = "The app was interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetVerdict:
    """`lags_s`: from the slot to the post, by when it was posted; `faults` are sentences.

    `uncertain_posted`: of the uncertain ones those that are in the channel after all.
    """

    slots: int
    outcomes: Mapping[str, int]
    uncertain: int
    uncertain_posted: int
    in_flight: int
    directs: int
    refused: int
    lags_s: Mapping[str, Sequence[float]]
    warnings: Mapping[str, int]
    faults: Sequence[str]


def judged(
    fleet: Fleet,
    due_at: datetime,
    digests: Mapping[Which, Digest],
    incidents: Sequence[Incident],
    logs: Sequence[Path],
) -> FleetVerdict:
    """`digests` are what the store holds after everything."""
    fates = dict(_fates(fleet, due_at, digests))
    uncertain = {each for each, fate in fates.items() if fate.outcome is Outcome.UNCERTAIN}
    in_flight: set[Which] = set().union(*(incident.in_flight for incident in incidents))
    faults = [f"{each}: {text}" for each, fate in fates.items() for text in fate.faults()]
    if len(fates) != fleet.size.per_workspace * fleet.size.workspaces:
        faults.append(f"{len(fates)} digests are in the store")
    if uncertain - in_flight:
        faults.append(f"uncertain, but not in flight at an incident: {uncertain - in_flight}")
    warnings = _warnings(logs)
    faults += [f"the log says: {each}" for each in warnings if each.startswith("error")]
    return FleetVerdict(
        slots=len(fates),
        outcomes=Counter(
            fate.outcome.value if fate.outcome else "open" for fate in fates.values()
        ),
        uncertain=len(uncertain),
        uncertain_posted=sum(bool(fates[each].posts) for each in uncertain),
        in_flight=len(in_flight),
        directs=sum(fate.directs for fate in fates.values()),
        refused=sum(call.status == 429 for call in fleet.slack.calls),
        lags_s=lags_of(fates, due_at, incidents),
        warnings=warnings,
        faults=faults,
    )


def faults_of_people(asked: Sequence[Asked]) -> Iterator[str]:
    """Yield who was left without a word, or had to hear from Slack that the bot is not there."""
    for each in asked:
        if each.problem:
            yield f"{each.line} at {each.at:.1f}: {each.problem}"


def faults_of_scan(asked: Asked, incident: Incident) -> Iterator[str]:
    """Yield what is wrong with the answer to the scan whose process was killed."""
    if asked.answered_s is None:
        yield f"the scan of the process that was killed: {asked.problem}"
    elif (told_s := asked.at + asked.answered_s - incident.at) > TELL_WITHIN_S:
        yield f"the scan of the process that was killed: told after {told_s:.0f} s"
    elif not (asked.is_served or INTERRUPTED in asked.words):
        yield f"the scan of the process that was killed: {asked.words[:100]}"


def lags_of(
    fates: Mapping[Which, Fate], due_at: datetime, incidents: Sequence[Incident]
) -> dict[str, list[float]]:
    """Return the seconds from the slot to each post, in the order of time, for each phase."""
    moments = sorted(float(post.ts) for fate in fates.values() for post in fate.posts)
    bounds = [(incident.name, incident.at, incident.over_at) for incident in incidents]
    lags: dict[str, list[float]] = {"all": []}
    for moment in moments:
        name = "before all incidents"
        for what, at, over_at in bounds:
            if moment >= at:
                name = f"after: {what}" if moment >= over_at else f"during: {what}"
        lags["all"].append(moment - due_at.timestamp())
        lags.setdefault(name, []).append(moment - due_at.timestamp())
    return lags


def _fates(
    fleet: Fleet, due_at: datetime, digests: Mapping[Which, Digest]
) -> Iterator[tuple[Which, Fate]]:
    late_from = (due_at + CLAIM + ON_ITS_WAY).timestamp()
    for place in fleet.places:
        posts: dict[str, list[Message]] = {}
        for digest_id, message in place.posts():
            posts.setdefault(digest_id, []).append(message)
        directs = Counter(digest_id for digest_id, _ in place.directs())
        for number in range(fleet.size.per_workspace):
            which = (place.workspace, f"d{number}")
            own = posts.get(which[1], [])
            is_late = any(float(post.ts) > late_from for post in own)
            if which in digests:
                yield which, Fate(digests[which], own, directs[which[1]], is_late)


def _warnings(logs: Sequence[Path]) -> Counter[str]:
    """Return what the processes warned of, and how often."""
    found: Counter[str] = Counter()
    for log in logs:
        for line in log.read_text().splitlines():
            try:
                text = json.loads(line)
            except ValueError:
                found[f"error: no log line: {line[:100]}"] += 1
                continue
            if text.get("level") in {"warning", "error", "critical"}:
                said = f"{text['event']} {text.get('error', '')}"
                is_away = any(each in text.get("exception", "") for each in AWAY)
                level = "while the database was away" if is_away else text["level"]
                # What differs each time: paths, addresses in memory, numbers.
                found[f"{level}: {re.split('[/<0-9]', said)[0][:80].strip()}"] += 1
    return found
