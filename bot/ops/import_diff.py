"""Apply the difference between an export file and the store, digest by digest."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from bot.admin import (
    CHOSEN_FOR,
    DEFAULT_AUDIENCES,
    OPERATOR,
    Act,
    Audiences,
    Audit,
    Managers,
    Named,
    audience_names,
)
from bot.commands import Audience
from bot.digests import edits
from bot.digests.edits import Editor
from bot.digests.models import MAX_PER_CHANNEL, Digest, Pause
from bot.digests.repository import DigestRepository
from bot.ops.export_file import (
    ADMINS,
    MEMBERS,
    WHO_MAY,
    Held,
    Holdings,
    WorkspaceNames,
    digest_fields,
)
from bot.ops.import_file import (
    Loc,
    WantedDigest,
    WantedFile,
    WantedManagers,
    WantedPause,
    problems_error,
)
from bot.ops.output import shown
from bot.store.documents import Documents
from bot.views.text import plural
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Step:
    """A digest of the file, at `loc`; `before` is `None` when the store has none of that id."""

    loc: Loc
    wanted: WantedDigest
    before: Digest | None
    after: Digest


@dataclass(frozen=True, slots=True)
class WorkspaceDifference:
    """The digests of one workspace in the file, and what changes beside them.

    `admins_only`: who will change digests, `None`: as before. `managers` and `audiences`: before
    and after.
    """

    workspace: WorkspaceId
    steps: list[Step]
    admins_only: bool | None
    managers: tuple[Named, Named]
    audiences: tuple[dict[str, Audience], dict[str, Audience]]

    @property
    def changes(self) -> list[Step]:
        return [step for step in self.steps if step.before != step.after]

    @property
    def is_empty(self) -> bool:
        is_same = all(before == after for before, after in (self.managers, self.audiences))
        return not self.changes and self.admins_only is None and is_same


@dataclass(frozen=True, slots=True)
class Difference:
    """The workspaces of the file, and the digests of the store that are not in it."""

    workspaces: list[WorkspaceDifference]
    left_alone: list[tuple[WorkspaceId, str]]

    @property
    def is_empty(self) -> bool:
        return all(each.is_empty for each in self.workspaces)


def difference_between(holdings: Holdings, wanted: WantedFile, now: datetime) -> Difference:
    """Return the difference between the store and the file.

    FileProblemsError: a channel would get more digests than it can have.
    """
    found, problems = list[WorkspaceDifference](), list[tuple[Loc, str]]()
    for number, each in enumerate(wanted.workspaces):
        held = holdings.workspaces.get(each.workspace, Held())
        digests = holdings.digests(each.workspace)
        steps = [
            Step(
                ("workspaces", number, "digests", at),
                digest,
                before,
                imported(before, digest, now),
            )
            for at, digest in enumerate(each.digests)
            for before in [digests.get(digest.id)]
        ]
        problems += _overfull(digests, steps)
        is_same = each.editors in (None, held.admins_only)
        managers = (held.managers, _managers(held.managers, each.managers))
        present = DEFAULT_AUDIENCES | held.audiences
        audiences = (present, present | each.who_may.model_dump(exclude_none=True))
        editors = None if is_same else each.editors
        found.append(WorkspaceDifference(each.workspace, steps, editors, managers, audiences))
    if problems:
        raise problems_error(wanted.lines, problems)
    named = {(each.workspace, step.wanted.id) for each in found for step in each.steps}
    left_alone = [
        (workspace, digest_id)
        for workspace in holdings.workspaces
        for digest_id in holdings.digests(workspace)
        if (workspace, digest_id) not in named
    ]
    return Difference(found, left_alone)


def _managers(before: Named, wanted: WantedManagers) -> Named:
    """Return the managers as the file has them; it may leave out people or groups."""
    people, groups = wanted.people, wanted.groups
    return replace(
        before,
        user_ids=before.user_ids if people is None else tuple(people),
        group_ids=before.group_ids if groups is None else tuple(groups),
    )


def _overfull(digests: Mapping[str, Digest], steps: list[Step]) -> Iterator[tuple[Loc, str]]:
    """Yield a problem for each digest that would come into a channel that is full."""
    after = {**digests} | {step.after.digest_id: step.after for step in steps}
    counts = Counter(digest.plan.channel_id for digest in after.values())
    for step in steps:
        channel = step.after.plan.channel_id
        is_coming = step.before is None or step.before.plan.channel_id != channel
        if is_coming and counts[channel] > MAX_PER_CHANNEL:
            count = f"{channel} would have {counts[channel]} digests"
            yield (*step.loc, "channel"), f"{count}; {MAX_PER_CHANNEL} are the most"


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


def _pause(before: Pause | None, wanted: WantedPause | None, now: datetime) -> Pause | None:
    if wanted is None:
        return None
    since = wanted.since or (before.since if before else now)
    pause = Pause(since=since, until=wanted.until, by=wanted.by, why=wanted.why)
    # One that is over would make up for all slots since; unless it is just what the store has.
    is_over = pause.until is not None and pause.until <= now
    return None if is_over and pause != before else pause


def difference_lines(difference: Difference, known_names: WorkspaceNames) -> Iterator[str]:
    """Yield the difference: `+` is a new digest, `~` a change with each field before and after."""
    for each in difference.workspaces:
        place = known_names.workspace(each.workspace)
        if each.admins_only is not None:
            words = (MEMBERS, ADMINS) if each.admins_only else (ADMINS, MEMBERS)
            yield f"~ {place}: editors: {words[0]} -> {words[1]}"
        before, after = each.managers
        if before != after:
            yield f"~ {place}: managers:"
            yield from _field_line("people", before.user_ids, after.user_ids)
            yield from _field_line("groups", before.group_ids, after.group_ids)
        had, has = map(audience_names, each.audiences)
        if had != has:
            yield f"~ {place}: {WHO_MAY}:"
            for operation in CHOSEN_FOR:
                yield from _field_line(operation, had[operation], has[operation])
        for step in each.changes:
            yield from _step_lines(step, f"{place}: digest {shown(step.after.digest_id)}")
    steps = [step for each in difference.workspaces for step in each.steps]
    added = sum(step.before is None for step in steps)
    same = sum(step.before == step.after for step in steps)
    for workspace, digest_id in difference.left_alone:
        place = known_names.workspace(workspace)
        yield f"  {place}: digest {shown(digest_id)}: not in the file, left alone"
    yield (
        f"{plural(added, 'digest')} to add, {len(steps) - added - same:,} to change,"
        f" {same:,} unchanged, {len(difference.left_alone):,} not in the file and left alone"
    )


def _step_lines(step: Step, name: str) -> Iterator[str]:
    after = digest_fields(step.after)
    if step.before is None:
        every = after["look_every"]
        at = f"every {every} minutes" if every else f"at {after['time']}"
        yield f"+ {name}: {after['channel']}, {', '.join(after['days'])} {at} {after['zone']}"
        return
    yield f"~ {name}:"
    before = digest_fields(step.before)
    for field, value in after.items():
        yield from _field_line(field, before[field], value)


def _field_line(name: str, before: object, after: object) -> Iterator[str]:
    if before != after:
        had, has = (shown(json.dumps(each, ensure_ascii=False)) for each in (before, after))
        yield f"    {name}: {had} -> {has}"


async def write(documents: Documents, difference: Difference, now: datetime) -> None:
    """Write the difference, in each workspace after an entry in its history.

    Raises:
        ConflictError: another process has made the same digest, or named managers.
        UnknownDigestError: somebody has deleted a digest that changes.
    """
    digests, audit = DigestRepository(documents), Audit(documents, clock=lambda: now)
    for each in difference.workspaces:
        if each.is_empty:
            continue
        await _note(audit, each)
        if each.admins_only is not None:
            await digests.restrict(each.workspace, admins_only=each.admins_only)
        before, after = each.managers
        if before != after:
            await Managers(documents).name(each.workspace, after)
        await Audiences(documents).choose(each.workspace, each.audiences[1])
        for step in each.changes:
            if step.before is None:
                await digests.put(each.workspace, step.after)
            else:
                change = partial(imported, wanted=step.wanted, now=now)
                await digests.change(each.workspace, step.wanted.id, change)


async def _note(audit: Audit, difference: WorkspaceDifference) -> None:
    before, after = (each.ids for each in difference.managers)
    had, has = map(audience_names, difference.audiences)
    added = sum(step.before is None for step in difference.steps)
    changed = len(difference.changes) - added
    editors = {None: "", True: ADMINS, False: MEMBERS}[difference.admins_only]
    details = [
        f"{plural(added, 'digest')} added" if added else "",
        f"{plural(changed, 'digest')} changed" if changed else "",
        f"digests are changed by {editors}" if editors else "",
        *(f"{name} domains: {who}" for name, who in has.items() if had[name] != who),
    ]
    await audit.note(
        difference.workspace,
        Act.IMPORTED,
        by=OPERATOR,
        added=tuple(each for each in after if each not in before),
        removed=tuple(each for each in before if each not in after),
        detail=", ".join(filter(None, details)) or None,
    )
