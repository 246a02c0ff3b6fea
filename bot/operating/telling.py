"""What an import would change, in lines for an operator. Pure."""

import json
from collections.abc import Iterator
from typing import Any

from bot.operating.difference import Difference, Handover, Step
from bot.operating.document import ADMINS, MEMBERS, days_text, digest_fields
from bot.operating.places import Places
from bot.operating.printing import counted, shown


def told(difference: Difference, places: Places) -> Iterator[str]:
    """Yield the difference in lines: `+` is new, `~` changed, with each field before and after."""
    for workspace, admins_only in difference.editors:
        before, after = editors_word(not admins_only), editors_word(admins_only)
        yield f"~ {places.workspace(workspace)}: editors: {before} -> {after}"
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


def editors_word(admins_only: bool) -> str:  # noqa: FBT001  # a converter of that flag
    """Return the file's word for who may change digests."""
    return ADMINS if admins_only else MEMBERS


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


def _told_handover(handover: Handover, places: Places) -> Iterator[str]:
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
