"""The file of `export` and `import`: which words it has for what. Pure.

Described for operators in docs/operating.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from bot.digests.codec import decode_digest
from bot.digests.digest import Digest, Pause
from bot.digests.shelf import KIND, RIGHTS
from bot.store.base import Document
from bot.workspace import WorkspaceId

VERSION = 1
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ADMINS, MEMBERS = "admins", "members"
HEAD = """\
# Domain Tracker for Slack: digests, and who may change them. No keys, no tokens, no history.
# Written by `python -m bot export`, read by `python -m bot import FILE`; see docs/operating.md.
"""


@dataclass(slots=True)
class Held:
    """What a workspace holds of what the file can say; the digests are the oldest first."""

    digests: list[Digest] = field(default_factory=list)
    admins_only: bool = False


@dataclass(slots=True)
class Holdings:
    """The workspaces in order, and the keys of what should be here but cannot be read."""

    workspaces: dict[WorkspaceId, Held] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)

    def digests(self, workspace: WorkspaceId) -> dict[str, Digest]:
        """Return a workspace's digests by id."""
        held = self.workspaces.get(workspace, Held())
        return {digest.digest_id: digest for digest in held.digests}


def holdings_of(documents: Iterable[Document]) -> Holdings:
    """Return what the documents of a store hold, whatever else is among them."""
    found = Holdings()
    for document in documents:
        kind = document.key.split("/")[1:2]
        if kind in ([KIND], [RIGHTS]):
            try:
                _note(found.workspaces, document, is_digest=kind == [KIND])
            except (ValueError, LookupError):
                found.unreadable.append(document.key)
    for held in found.workspaces.values():
        held.digests.sort(key=lambda digest: (digest.made_at, digest.digest_id))
    found.workspaces = dict(sorted(found.workspaces.items(), key=lambda each: str(each[0])))
    return found


def file_text(holdings: Holdings) -> str:
    """Return the file, the same for the same holdings."""
    workspaces = [_workspace(*each) for each in holdings.workspaces.items()]
    value = {"version": VERSION, "workspaces": workspaces}
    body = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,  # lists of plain words in one line
        width=100_000,  # a filter is one line
    )
    return f"{HEAD}{body}"


def digest_fields(digest: Digest) -> dict[str, Any]:
    """Return a digest in the file's words, every field of it."""
    plan = digest.plan
    return {
        "id": digest.digest_id,
        "channel": plan.channel_id,
        "days": [DAYS[day] for day in sorted(plan.schedule.days)],
        "time": _Quoted(f"{plan.schedule.at:%H:%M}"),
        "zone": plan.schedule.zone,
        "filter": _Quoted(plan.filter_text),
        "post": plan.mode.value,
        "sign_of_life": plan.heartbeat_every,
        "worst_shown": plan.worst_count,
        "mentions": [{"when": _Quoted(rule.label), "who": [*rule.who]} for rule in plan.mentions],
        "pause": _pause(digest.pause),
        "made_by": digest.made_by,
        "made_by_name": _Quoted(digest.made_by_name),
        "made_at": _moment(digest.made_at),
    }


class _Quoted(str):
    """Text that looks like text in the file, whatever it says: `"09:00"`, `"no"`."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # as the package has it
        """Write everything out."""
        return True


def _quoted(dumper: yaml.SafeDumper, text: _Quoted) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')


_Dumper.add_representer(_Quoted, _quoted)


def _note(workspaces: dict[WorkspaceId, Held], document: Document, *, is_digest: bool) -> None:
    held = Held()
    workspace = WorkspaceId.parse(document.key.split("/")[0])
    if is_digest:
        digest = decode_digest(document.value, document.rev)
        workspaces.setdefault(workspace, held).digests.append(digest)
    else:
        admins_only = bool(document.value["admins_only"])
        workspaces.setdefault(workspace, held).admins_only = admins_only


def _workspace(workspace: WorkspaceId, held: Held) -> dict[str, Any]:
    return {
        "team": workspace.team_id,
        "organisation": workspace.enterprise_id,
        "editors": ADMINS if held.admins_only else MEMBERS,
        "digests": [digest_fields(digest) for digest in held.digests],
    }


def _pause(pause: Pause | None) -> dict[str, Any] | None:
    if pause is None:
        return None
    return {
        "since": _moment(pause.since),
        "until": pause.until and _moment(pause.until),
        "by": pause.by,
        "why": pause.why and pause.why.value,
    }


def _moment(moment: datetime) -> str:
    return _Quoted(moment.astimezone(UTC).isoformat())


def days_text(days: Sequence[str]) -> str:
    """Return days as they are told in one word: `Mon-Fri`, `daily`, `Mon,Wed`."""
    if [*days] == [*DAYS]:
        return "daily"
    if [*days] == [*DAYS[:5]]:
        return "Mon-Fri"
    return ",".join(days)
