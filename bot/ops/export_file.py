"""Write the file of `export` and the history of settings. Pure.

Described for operators in docs/operating.md.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from bot import admin
from bot.admin import HISTORY_KIND, Entry, Named, encode, entries_in
from bot.digests.models import Digest, Pause
from bot.digests.repository import KIND, RIGHTS, decode_digest
from bot.installations.models import WHOLE_ORGANISATION, Installation, is_installation
from bot.ops.output import shown
from bot.store.documents import Document
from bot.workspace import WorkspaceId

MAX_NAME_CHARS, MAX_ID_CHARS = 60, 40
MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class Places:
    """The names by which installations know their workspaces; a bot with one token keeps none."""

    names: Mapping[WorkspaceId, str] = field(default_factory=dict)

    def workspace(self, workspace: WorkspaceId) -> str:
        """Return `Acme (T1)`, `Acme (T1, organisation E1)`, `T1` or `organisation E1`."""
        team_id = "" if workspace.team_id == WHOLE_ORGANISATION else workspace.team_id
        organisation = f"organisation {workspace.enterprise_id}" if workspace.enterprise_id else ""
        name = shown(self.names.get(workspace, ""), MAX_NAME_CHARS)
        first, *beside = [shown(each, MAX_ID_CHARS) for each in (team_id, organisation) if each]
        if name:
            return f"{name} ({', '.join([first, *beside])})"
        return f"{first} ({beside[0]})" if beside else first

    def document(self, key: str) -> str:
        """Return `digest/d1 of Acme (T1)` for a document's key; one of no workspace as it is."""
        workspace, slash, rest = key.partition("/")
        try:
            return self.of(rest, WorkspaceId.parse(workspace)) if slash and rest else key
        except ValueError:  # the store's own
            return key

    def of(self, thing: str, workspace: WorkspaceId) -> str:
        """Return `the API key of Acme (T1)`."""
        return f"{thing} of {self.workspace(workspace)}"


def places_of(documents: Iterable[Document]) -> Places:
    """Return the names that stand in the installations among the documents of a store."""
    names = {}
    for document in documents:
        if is_installation(document.key):
            name = document.value.get("name")
            try:
                names[WorkspaceId.parse(document.key.split("/")[0])] = str(name or "")
            except ValueError:
                continue  # no workspace: others tell of it
    return Places(names)


def installation_name(installation: Installation) -> str:
    """Return what operators call the place of an installation."""
    return Places({installation.home: installation.name}).workspace(installation.home)


def some_names(names: Sequence[str]) -> str:
    """Return the first few, and how many more there are."""
    left_out = len(names) - MAX_NAMED
    return "; ".join(names[:MAX_NAMED]) + (f"; and {left_out:,} more" if left_out > 0 else "")


VERSION = 1
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ADMINS, MEMBERS = "admins", "members"
HEAD = """\
# Domain Tracker for Slack: digests, who may change them, and who manages the API key. No keys, no
# tokens, no history.
# Written by `python -m bot export`, read by `python -m bot import FILE`; see docs/operating.md.
"""


@dataclass(slots=True)
class Held:
    """What a workspace holds of what the file can say; the digests are the oldest first."""

    digests: list[Digest] = field(default_factory=list)
    admins_only: bool = False
    managers: Named = field(default_factory=Named)


@dataclass(slots=True)
class Holdings:
    """The workspaces in order, and the keys of what should be here but cannot be read.

    `places` is what operators call the workspaces.
    """

    workspaces: dict[WorkspaceId, Held] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    places: Places = field(default_factory=Places)

    def digests(self, workspace: WorkspaceId) -> dict[str, Digest]:
        """Return a workspace's digests by id."""
        held = self.workspaces.get(workspace, Held())
        return {digest.digest_id: digest for digest in held.digests}


def holdings_of(documents: Iterable[Document]) -> Holdings:
    """Return what the documents of a store hold, whatever else is among them."""
    documents = [*documents]
    found = Holdings(places=places_of(documents))
    for document in documents:
        kind = document.key.split("/")[1:2]
        if kind and kind[0] in _TAKEN:
            try:
                workspace = WorkspaceId.parse(document.key.split("/")[0])
                held = found.workspaces.get(workspace) or Held()
                _TAKEN[kind[0]](held, document)
                found.workspaces[workspace] = held
            except (ValueError, LookupError, TypeError):
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


def _take_digest(held: Held, document: Document) -> None:
    held.digests.append(decode_digest(document.value, document.rev))


def _take_rights(held: Held, document: Document) -> None:
    held.admins_only = bool(document.value["admins_only"])


def _take_managers(held: Held, document: Document) -> None:
    held.managers = admin.decode(document)


# kind of document -> what becomes of it; each raises ValueError or the like for what is none
_TAKEN = {KIND: _take_digest, RIGHTS: _take_rights, admin.KIND: _take_managers}


def _workspace(workspace: WorkspaceId, held: Held) -> dict[str, Any]:
    return {
        "team": workspace.team_id,
        "organisation": workspace.enterprise_id,
        "managers": {
            "people": list(held.managers.user_ids),
            "groups": list(held.managers.group_ids),
        },
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


@dataclass(slots=True)
class Histories:
    """The lines, each workspace's oldest first, and the keys of what cannot be read.

    `places` is what operators call the workspaces.
    """

    lines: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    places: Places = field(default_factory=Places)


def histories_of(documents: Iterable[Document]) -> Histories:
    """Return the histories among the documents of a store."""
    documents = sorted(documents, key=lambda each: each.key)
    found = Histories(places=places_of(documents))
    for document in documents:
        if document.key.split("/")[1:] == [HISTORY_KIND]:
            try:
                found.lines += _lines(document)
            except (ValueError, LookupError, TypeError):
                found.unreadable.append(document.key)
    return found


def _lines(document: Document) -> Iterator[str]:
    workspace = WorkspaceId.parse(document.key.split("/")[0])
    for entry in reversed(entries_in(document)):
        yield json.dumps(_fields(workspace, entry), ensure_ascii=False)


def _fields(workspace: WorkspaceId, entry: Entry) -> dict[str, Any]:
    return {
        "team": workspace.team_id,
        "organisation": workspace.enterprise_id,
        **encode(entry),
    }
