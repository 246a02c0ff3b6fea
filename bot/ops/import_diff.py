"""Apply the difference between an export file and the store, digest by digest."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from bot.admin import OPERATOR, Act, Audit, Managers, Named
from bot.digests import edits
from bot.digests.edits import Editor
from bot.digests.models import MAX_PER_CHANNEL, Digest, Pause
from bot.digests.repository import DigestRepository
from bot.ops.export_file import ADMINS, MEMBERS, Held, Holdings, Places, days_text, digest_fields
from bot.ops.import_file import Loc, WantedDigest, WantedFile, WantedPause, problems_error
from bot.ops.output import counted, shown
from bot.store.documents import Documents
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Step:
    """A digest of the file, at `loc`; `before` is `None` when the store has none of that id."""

    loc: Loc
    workspace: WorkspaceId
    wanted: WantedDigest
    before: Digest | None
    after: Digest


@dataclass(frozen=True, slots=True)
class ManagerChange:
    """The managers of a workspace's key, before and after."""

    workspace: WorkspaceId
    before: Named
    after: Named


@dataclass(frozen=True, slots=True)
class Difference:
    """Every digest of the file, the changes of editors and managers, and digests not in the file.

    `editors` says whether only admins will change digests.
    """

    steps: tuple[Step, ...]
    editors: tuple[tuple[WorkspaceId, bool], ...]
    left_alone: tuple[tuple[WorkspaceId, str], ...]
    handovers: tuple[ManagerChange, ...] = ()

    @property
    def changes(self) -> list[Step]:
        """The steps that write something."""
        return [step for step in self.steps if step.before != step.after]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.changes or self.editors or self.handovers)

    @property
    def workspaces(self) -> list[WorkspaceId]:
        """The workspaces in which something changes."""
        found = [workspace for workspace, _ in self.editors]
        found += [handover.workspace for handover in self.handovers]
        found += [step.workspace for step in self.changes]
        return list(dict.fromkeys(found))


def difference_between(holdings: Holdings, wanted: WantedFile, now: datetime) -> Difference:
    """Return the difference between the store and the file.

    Raises:
        FileProblemsError: a channel would get more digests than it can have.
    """
    steps = tuple(_steps(holdings, wanted, now))
    _require_room(holdings, steps, wanted)
    held = {each: had.admins_only for each, had in holdings.workspaces.items()}
    editors = tuple(
        (each.workspace, each.editors)
        for each in wanted.workspaces
        if each.editors is not None and each.editors != held.get(each.workspace, False)
    )
    named = {(step.workspace, step.wanted.id) for step in steps}
    left_alone = tuple(
        (workspace, digest_id)
        for workspace in holdings.workspaces
        for digest_id in holdings.digests(workspace)
        if (workspace, digest_id) not in named
    )
    return Difference(steps, editors, left_alone, tuple(_handovers(holdings, wanted)))


def imported(before: Digest | None, wanted: WantedDigest, now: datetime) -> Digest:
    """Return the digest as the file has it, or `before` itself when nothing differs.

    A new one begins with its next slot from now. An existing one keeps its past, and its last
    change has no author in Slack.
    """
    maker = Editor(user_id=wanted.made_by, name=wanted.made_by_name or "")
    if before is None:
        digest = edits.create(wanted.id, wanted.plan, maker, now)
        pause = _pause(None, wanted.pause, now)
        return replace(digest, made_at=wanted.made_at or now, pause=pause)
    pause = _pause(before.pause, wanted.pause, now)
    after = before
    if wanted.plan != before.plan:
        after = edits.update(after, wanted.plan, maker, now, version=before.version)
    if pause is None:
        after = edits.resumed(after, now)
    elif pause != before.pause:
        after = replace(edits.paused(after, maker, now, until=pause.until), pause=pause)
    after = replace(
        after,
        made_by=wanted.made_by,
        made_by_name=before.made_by_name if wanted.made_by_name is None else maker.name,
        made_at=wanted.made_at or before.made_at,
    )
    if after == before:
        return before
    return replace(after, version=before.version + 1, changed_by=None, changed_at=now)


def _steps(holdings: Holdings, file: WantedFile, now: datetime) -> Iterator[Step]:
    for place, each in enumerate(file.workspaces):
        held = holdings.digests(each.workspace)
        for number, wanted in enumerate(each.digests):
            loc: Loc = ("workspaces", place, "digests", number)
            before = held.get(wanted.id)
            yield Step(loc, each.workspace, wanted, before, imported(before, wanted, now))


def _handovers(holdings: Holdings, wanted: WantedFile) -> Iterator[ManagerChange]:
    for each in wanted.workspaces:
        before = holdings.workspaces.get(each.workspace, Held()).managers
        people, groups = each.managers.people, each.managers.groups
        after = replace(
            before,
            user_ids=before.user_ids if people is None else tuple(people),
            group_ids=before.group_ids if groups is None else tuple(groups),
        )
        if after != before:
            yield ManagerChange(each.workspace, before, after)


def _pause(before: Pause | None, wanted: WantedPause | None, now: datetime) -> Pause | None:
    if wanted is None:
        return None
    since = wanted.since or (before.since if before else now)
    pause = Pause(since=since, until=wanted.until, by=wanted.by, why=wanted.why)
    # One that is over would make up for all slots since; unless it is just what the store has.
    is_over = pause.until is not None and pause.until <= now
    return None if is_over and pause != before else pause


def _require_room(holdings: Holdings, steps: tuple[Step, ...], file: WantedFile) -> None:
    """Raise FileProblemsError when a channel would get too many digests."""
    after = {
        (workspace, digest_id): digest.plan.channel_id
        for workspace in holdings.workspaces
        for digest_id, digest in holdings.digests(workspace).items()
    }
    after |= {(step.workspace, step.after.digest_id): step.after.plan.channel_id for step in steps}
    counts = Counter((workspace, channel) for (workspace, _), channel in after.items())
    problems = []
    for step in steps:
        channel = step.after.plan.channel_id
        is_coming = step.before is None or step.before.plan.channel_id != channel
        count = counts[step.workspace, channel]
        if is_coming and count > MAX_PER_CHANNEL:
            said = f"{channel} would have {count} digests; {MAX_PER_CHANNEL} are the most"
            problems.append(((*step.loc, "channel"), said))
    if problems:
        raise problems_error(file.lines, problems)


def told(difference: Difference, places: Places) -> Iterator[str]:
    """Yield the difference: `+` is a new digest, `~` a change with each field before and after."""
    for workspace, admins_only in difference.editors:
        change = f"{MEMBERS} -> {ADMINS}" if admins_only else f"{ADMINS} -> {MEMBERS}"
        yield f"~ {places.workspace(workspace)}: editors: {change}"
    for handover in difference.handovers:
        yield from _told_handover(handover, places)
    for step in difference.changes:
        yield from _told_step(step, places)
    added = sum(step.before is None for step in difference.steps)
    changed = len(difference.changes) - added
    same = len(difference.steps) - added - changed
    for workspace, digest_id in difference.left_alone:
        place = places.workspace(workspace)
        yield f"  {place}: digest {shown(digest_id)}: not in the file, left alone"
    yield (
        f"{counted(added, 'digest')} to add, {changed:,} to change, {same:,} unchanged,"
        f" {len(difference.left_alone):,} not in the file and left alone"
    )


def _told_step(step: Step, places: Places) -> Iterator[str]:
    name = f"{places.workspace(step.workspace)}: digest {shown(step.after.digest_id)}"
    after = digest_fields(step.after)
    if step.before is None:
        days = days_text(after["days"])
        yield f"+ {name}: {after['channel']}, {days} at {after['time']} {after['zone']}"
        return
    yield f"~ {name}:"
    before = digest_fields(step.before)
    for field, value in after.items():
        if value != before[field]:
            yield f"    {field}: {_value(before[field])} -> {_value(value)}"


def _told_handover(handover: ManagerChange, places: Places) -> Iterator[str]:
    before, after = handover.before, handover.after
    yield f"~ {places.workspace(handover.workspace)}: managers:"
    for name, had, has in (
        ("people", before.user_ids, after.user_ids),
        ("groups", before.group_ids, after.group_ids),
    ):
        if had != has:
            yield f"    {name}: {_value(had)} -> {_value(has)}"


def _value(value: Any) -> str:
    return shown(json.dumps(value, ensure_ascii=False))


async def write(documents: Documents, difference: Difference, now: datetime) -> None:
    """Write the difference, after an entry in the history of each workspace.

    Raises:
        ConflictError: another process has made the same digest, or named managers.
        UnknownDigestError: somebody has deleted a digest that changes.
        StoreError: the store fails.
    """
    digests, managers = DigestRepository(documents), Managers(documents)
    audit = Audit(documents, clock=lambda: now)
    for workspace in difference.workspaces:
        await _note(audit, difference, workspace)
    for workspace, admins_only in difference.editors:
        await digests.restrict(workspace, admins_only=admins_only)
    for handover in difference.handovers:
        await managers.name(handover.workspace, handover.after)
    for step in difference.changes:
        if step.before is None:
            await digests.put(step.workspace, step.after)
        else:
            change = partial(imported, wanted=step.wanted, now=now)
            await digests.change(step.workspace, step.wanted.id, change)


async def _note(audit: Audit, difference: Difference, workspace: WorkspaceId) -> None:
    nobody = ManagerChange(workspace, Named(), Named())
    handovers = [each for each in difference.handovers if each.workspace == workspace]
    handover = (handovers or [nobody])[0]
    before, after = handover.before.ids, handover.after.ids
    steps = [step for step in difference.changes if step.workspace == workspace]
    added = sum(step.before is None for step in steps)
    details = [
        *([f"{counted(added, 'digest')} added"] if added else []),
        *([f"{counted(len(steps) - added, 'digest')} changed"] if len(steps) > added else []),
        *(
            f"digests are changed by {ADMINS if admins_only else MEMBERS}"
            for each, admins_only in difference.editors
            if each == workspace
        ),
    ]
    await audit.note(
        workspace,
        Act.IMPORTED,
        by=OPERATOR,
        added=tuple(each for each in after if each not in before),
        removed=tuple(each for each in before if each not in after),
        detail=", ".join(details) or None,
    )
