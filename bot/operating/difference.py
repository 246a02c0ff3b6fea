"""What an import would change: the store as it is, beside the file. Pure."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bot.digests import changes
from bot.digests.changes import Editor
from bot.digests.digest import MAX_PER_CHANNEL, Digest, Pause
from bot.operating.document import ADMINS, MEMBERS, Holdings, days_text, digest_fields
from bot.operating.printing import counted, shown
from bot.operating.reading import WantedDigest, WantedPause, WantedWorkspace
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Step:
    """One digest of the file: `before` is `None` when the store has none of that id."""

    workspace: WorkspaceId
    wanted: WantedDigest
    before: Digest | None
    after: Digest

    @property
    def is_change(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Difference:
    """Every digest of the file, what is to be said of editors, and what the file does not name."""

    steps: tuple[Step, ...]
    editors: tuple[tuple[WorkspaceId, bool], ...]
    left_alone: tuple[tuple[WorkspaceId, str], ...]

    @property
    def changes(self) -> list[Step]:
        """The steps that write something."""
        return [step for step in self.steps if step.is_change]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not self.changes and not self.editors


def difference_between(
    holdings: Holdings, wanted: Sequence[WantedWorkspace], now: datetime
) -> Difference:
    """Return what has to be written for the store to be as the file says.

    Raises:
        FileProblemsError: a channel would get more digests than it can have.
    """
    steps = tuple(step for each in wanted for step in _steps(holdings, each, now))
    _require_room(holdings, steps)
    held = {each: had.admins_only for each, had in holdings.workspaces.items()}
    editors = tuple(
        (each.workspace, each.admins_only)
        for each in wanted
        if each.admins_only is not None and each.admins_only != held.get(each.workspace, False)
    )
    named = {(step.workspace, step.wanted.digest_id) for step in steps}
    left_alone = tuple(
        (workspace, digest_id)
        for workspace in holdings.workspaces
        for digest_id in holdings.digests(workspace)
        if (workspace, digest_id) not in named
    )
    return Difference(steps, editors, left_alone)


def imported(before: Digest | None, wanted: WantedDigest, now: datetime) -> Digest:
    """Return the digest as the file has it; the same one when nothing is different.

    A new one begins with its next slot from now. One that there is keeps its past; it counts as
    changed by nobody in Slack.
    """
    maker = Editor(user_id=wanted.made_by, name=wanted.made_by_name or "")
    if before is None:
        digest = changes.made(wanted.digest_id, wanted.plan, maker, now)
        pause = _pause(None, wanted.pause, now)
        return replace(digest, made_at=wanted.made_at or now, pause=pause)
    pause = _pause(before.pause, wanted.pause, now)
    after = before
    if wanted.plan != before.plan:
        after = changes.changed(after, wanted.plan, maker, now, version=before.version)
    if pause is None:
        after = changes.resumed(after, now)
    elif pause != before.pause:
        after = replace(changes.paused(after, maker, now, until=pause.until), pause=pause)
    after = replace(
        after,
        made_by=wanted.made_by,
        made_by_name=before.made_by_name if wanted.made_by_name is None else maker.name,
        made_at=wanted.made_at or before.made_at,
    )
    if after == before:
        return before
    return replace(after, version=before.version + 1, changed_by=None, changed_at=now)


def told(difference: Difference) -> Iterator[str]:
    """Yield the difference in lines: `+` is new, `~` changed, with each field before and after."""
    for workspace, admins_only in difference.editors:
        yield f"~ {workspace}: editors: {_editors(not admins_only)} -> {_editors(admins_only)}"
    for step in difference.changes:
        yield from _told_step(step)
    added = sum(step.before is None for step in difference.steps)
    changed = len(difference.changes) - added
    same = len(difference.steps) - added - changed
    for workspace, digest_id in difference.left_alone:
        yield f"  {workspace}: digest {shown(digest_id)}: not in the file, left alone"
    yield (
        f"{counted(added, 'digest')} to add, {changed:,} to change, {same:,} unchanged,"
        f" {len(difference.left_alone):,} not in the file and left alone"
    )


def _steps(holdings: Holdings, each: WantedWorkspace, now: datetime) -> Iterator[Step]:
    held = holdings.digests(each.workspace)
    for wanted in each.digests:
        before = held.get(wanted.digest_id)
        yield Step(each.workspace, wanted, before, imported(before, wanted, now))


def _pause(before: Pause | None, wanted: WantedPause | None, now: datetime) -> Pause | None:
    if wanted is None:
        return None
    since = wanted.since or (before.since if before else now)
    pause = Pause(since=since, until=wanted.until, by=wanted.by, why=wanted.why)
    # One that is over would make up for all slots since; unless it is just what the store has.
    is_over = pause.until is not None and pause.until <= now
    return None if is_over and pause != before else pause


def _require_room(holdings: Holdings, steps: Sequence[Step]) -> None:
    """Raise FileProblemsError when a digest would come into a channel that is full."""
    after = {
        (workspace, digest_id): digest.plan.channel_id
        for workspace in holdings.workspaces
        for digest_id, digest in holdings.digests(workspace).items()
    }
    after |= {(step.workspace, step.after.digest_id): step.after.plan.channel_id for step in steps}
    counts = Counter((workspace, channel) for (workspace, _), channel in after.items())
    for step in steps:
        channel = step.after.plan.channel_id
        is_coming = step.before is None or step.before.plan.channel_id != channel
        count = counts[step.workspace, channel]
        if is_coming and count > MAX_PER_CHANNEL:
            said = f"{channel} would have {count} digests; {MAX_PER_CHANNEL} are the most"
            step.wanted.spot.fail(said)
    for step in steps:
        step.wanted.spot.require_right()


def _told_step(step: Step) -> Iterator[str]:
    name, after = (
        f"{step.workspace}: digest {shown(step.after.digest_id)}",
        digest_fields(step.after),
    )
    if step.before is None:
        days = days_text(after["days"])
        yield f"+ {name}: {after['channel']}, {days} at {after['time']} {after['zone']}"
        return
    yield f"~ {name}:"
    before = digest_fields(step.before)
    for field, value in after.items():
        if value != before[field]:
            yield f"    {field}: {_value(before[field])} -> {_value(value)}"


def _value(value: Any) -> str:
    return shown(json.dumps(value, ensure_ascii=False))


def _editors(admins_only: bool) -> str:  # noqa: FBT001  # a converter of that flag
    return ADMINS if admins_only else MEMBERS
