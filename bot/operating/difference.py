"""What an import would change: the store as it is, beside the file. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.admin.managers import Named
from bot.digests import changes
from bot.digests.changes import Editor
from bot.digests.digest import MAX_PER_CHANNEL, Digest, Pause
from bot.operating.document import Held, Holdings
from bot.operating.wanted import WantedDigest, WantedPause, WantedWorkspace
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
class Handover:
    """Who manages a workspace's key, and who will."""

    workspace: WorkspaceId
    before: Named
    after: Named


@dataclass(frozen=True, slots=True)
class Difference:
    """Every digest of the file, what is to be said of editors, and what the file does not name.

    `handovers` are the changes of managers.
    """

    steps: tuple[Step, ...]
    editors: tuple[tuple[WorkspaceId, bool], ...]
    left_alone: tuple[tuple[WorkspaceId, str], ...]
    handovers: tuple[Handover, ...] = ()

    @property
    def changes(self) -> list[Step]:
        """The steps that write something."""
        return [step for step in self.steps if step.is_change]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.changes or self.editors or self.handovers)

    @property
    def workspaces(self) -> list[WorkspaceId]:
        """Those in which something is to be written."""
        found = [workspace for workspace, _ in self.editors]
        found += [handover.workspace for handover in self.handovers]
        found += [step.workspace for step in self.changes]
        return list(dict.fromkeys(found))


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
    return Difference(steps, editors, left_alone, tuple(_handovers(holdings, wanted)))


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


def _steps(holdings: Holdings, each: WantedWorkspace, now: datetime) -> Iterator[Step]:
    held = holdings.digests(each.workspace)
    for wanted in each.digests:
        before = held.get(wanted.digest_id)
        yield Step(each.workspace, wanted, before, imported(before, wanted, now))


def _handovers(holdings: Holdings, wanted: Sequence[WantedWorkspace]) -> Iterator[Handover]:
    for each in wanted:
        before = holdings.workspaces.get(each.workspace, Held()).managers
        people, groups = each.managers.user_ids, each.managers.group_ids
        after = replace(
            before,
            user_ids=before.user_ids if people is None else people,
            group_ids=before.group_ids if groups is None else groups,
        )
        if after != before:
            yield Handover(each.workspace, before, after)


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
