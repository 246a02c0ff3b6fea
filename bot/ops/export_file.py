"""Write the file of `export` and the history of settings; docs/operators.md describes both."""

import contextlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

import yaml

from bot import admin
from bot.admin import HISTORY_KIND, Named, audience_names, encode, entries_in
from bot.commands import Audience
from bot.digests.models import Digest, Pause
from bot.digests.repository import KIND, RIGHTS, decode_digest
from bot.installations.installation import KIND as INSTALLATION
from bot.installations.installation import (
    WHOLE_ORGANISATION,
    Installation,
    home_of,
    is_installation,
)
from bot.ops.output import OperatingError, shown, some_of
from bot.ops.stores import Store
from bot.store.documents import Document
from bot.store.snapshot import Snapshot
from bot.views.text import plural
from bot.workspace import WorkspaceId

MAX_NAME_CHARS, MAX_ID_CHARS = 60, 40


@dataclass(frozen=True, slots=True)
class WorkspaceNames:
    """The names of workspaces, from their installations; a bot with one token has none."""

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

    def document(self, key: str, thing: str = "") -> str:
        """Return `digest/d1 of Acme (T1)` for a document's key, or `thing of Acme (T1)`.

        What belongs to no workspace is named by `thing` or by its key alone.
        """
        workspace, _, rest = key.partition("/")
        try:
            place = self.workspace(WorkspaceId.parse(workspace))
        except ValueError:  # the store's own
            return thing or key
        return f"{thing or rest} of {place}" if rest else key


def workspace_names(documents: Iterable[Document]) -> WorkspaceNames:
    """Return the names in the installations among the documents of a store."""
    names = {}
    for document in documents:
        if is_installation(document.key):
            with contextlib.suppress(ValueError):  # no workspace
                names[home_of(document.key)] = str(document.value.get("name") or "")
    return WorkspaceNames(names)


def installation_name(installation: Installation) -> str:
    return WorkspaceNames({installation.home: installation.name}).workspace(installation.home)


VERSION = 1
EXPORTED_KINDS = frozenset({KIND, RIGHTS, admin.KIND, admin.AUDIENCES_KIND})
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ADMINS, MEMBERS = "admins", "members"
WHO_MAY = "who_may"
HEAD = """\
# Domain Tracker for Slack: digests, who may change them, and who manages the API key. No keys, no
# tokens, no history.
# Written by `python -m bot export`, read by `python -m bot import FILE`; see docs/operators.md.
version: 1
"""


@dataclass(slots=True)
class Held:
    """The exported settings of one workspace; its digests in order, the oldest first."""

    digests: list[Digest] = field(default_factory=list)
    admins_only: bool = False
    managers: Named = field(default_factory=Named)
    audiences: dict[str, Audience] = field(default_factory=dict)  # empty: never chosen


@dataclass(slots=True, kw_only=True)
class Found:
    """What was read of a store; `unreadable` are the keys of damaged documents."""

    unreadable: list[str] = field(default_factory=list)
    known_names: WorkspaceNames = field(default_factory=WorkspaceNames)

    def add(self, page: Snapshot) -> None:
        """Add what a page of the store holds, and nothing else of it."""
        self.unreadable += page.unreadable
        self.known_names = WorkspaceNames(
            {**self.known_names.names, **workspace_names(page.documents).names}
        )
        for document in page.documents:
            try:
                self._add(document, document.key.split("/")[1:])
            except (ValueError, LookupError, TypeError):
                self.unreadable.append(document.key)

    def _add(self, document: Document, place: Sequence[str]) -> None:
        raise NotImplementedError

    def unreadable_error(self, outcome: str) -> OperatingError:
        """Return the error for the damaged documents; `outcome` is its last line."""
        names = [self.known_names.document(key) for key in self.unreadable]
        count = plural(len(names), "document")
        said = f"The store holds {count} that cannot be read:"
        return OperatingError(said, *some_of(names), outcome)


F = TypeVar("F", bound=Found)


@dataclass(slots=True)
class Holdings(Found):
    """The settings by workspace."""

    workspaces: dict[WorkspaceId, Held] = field(default_factory=dict)

    def digests(self, workspace: WorkspaceId) -> dict[str, Digest]:
        held = self.workspaces.get(workspace, Held())
        return {digest.digest_id: digest for digest in held.digests}

    def _add(self, document: Document, place: Sequence[str]) -> None:
        kind = place[0] if place else ""
        if kind not in EXPORTED_KINDS:
            return
        workspace = home_of(document.key)
        held = self.workspaces.get(workspace) or Held()
        if kind == KIND:
            held.digests.append(decode_digest(document.value, document.rev))
            held.digests.sort(key=lambda digest: (digest.made_at, digest.digest_id))
        elif kind == RIGHTS:
            held.admins_only = bool(document.value["admins_only"])
        elif kind == admin.KIND:
            held.managers = admin.decode(document)
        else:
            held.audiences = admin.decode_audiences(document)
        self.workspaces[workspace] = held


def file_text(holdings: Holdings) -> str:
    """Return the file, the same for the same holdings."""
    if not holdings.workspaces:
        return f"{HEAD}workspaces: []\n"
    workspaces = sorted(holdings.workspaces.items(), key=lambda each: str(each[0]))
    texts = (_workspace_text(*each) for each in workspaces)
    return f"{HEAD}workspaces:\n{''.join(texts)}"


def _workspace_text(workspace: WorkspaceId, held: Held) -> str:
    fields = {
        "team": workspace.team_id,
        "organisation": workspace.enterprise_id,
        "managers": {
            "people": list(held.managers.user_ids),
            "groups": list(held.managers.group_ids),
        },
        "editors": ADMINS if held.admins_only else MEMBERS,
        **({WHO_MAY: audience_names(held.audiences)} if held.audiences else {}),
        "digests": [_written(digest) for digest in held.digests],
    }
    text: str = yaml.dump(
        [fields],
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,  # lists of plain words in one line
        width=100_000,  # a filter is one line
    )
    return text


# Fields that version 0.1 does not read are left out where they are not set.
_LATER = {"look_every", "scans_a_night"}


def _written(digest: Digest) -> dict[str, Any]:
    fields = digest_fields(digest).items()
    return {name: value for name, value in fields if value is not None or name not in _LATER}


def digest_fields(digest: Digest) -> dict[str, Any]:
    plan = digest.plan
    return {
        "id": digest.digest_id,
        "channel": plan.channel_id,
        "days": [DAYS[day] for day in sorted(plan.schedule.days)],
        "time": _Quoted(f"{plan.schedule.at:%H:%M}"),
        "zone": plan.schedule.zone,
        "filter": _Quoted(plan.filter_text),
        "post": plan.mode.value,
        "look_every": plan.schedule.every,
        "sign_of_life": plan.heartbeat_every,
        "worst_shown": plan.worst_count,
        "scans_a_night": plan.scans_a_night or None,
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
    pass


def _quoted(dumper: yaml.SafeDumper, text: _Quoted) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')


_Dumper.add_representer(_Quoted, _quoted)


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


@dataclass(slots=True)
class Histories(Found):
    """The lines, each workspace's oldest first."""

    lines: list[str] = field(default_factory=list)

    def _add(self, document: Document, place: Sequence[str]) -> None:
        if [*place] == [HISTORY_KIND]:
            workspace = home_of(document.key)
            ids = {"team": workspace.team_id, "organisation": workspace.enterprise_id}
            entries = [ids | encode(entry) for entry in reversed(entries_in(document))]
            self.lines += [json.dumps(entry, ensure_ascii=False) for entry in entries]


async def read_holdings(store: Store) -> Holdings:
    """Return the digests and settings of a store, also beside a running bot.

    Raises:
        OperatingError: there is no store.
        StoreError: it cannot be read.
    """
    return await _read(Holdings(), store, EXPORTED_KINDS)


async def read_histories(store: Store) -> Histories:
    """Return the histories of a store; see `read_holdings`."""
    return await _read(Histories(), store, {HISTORY_KIND})


async def _read(found: F, store: Store, kinds: Collection[str]) -> F:
    """Read page by page: a store may be larger than the memory."""
    store.require_there()
    # The installations know the names of workspaces.
    async with contextlib.aclosing(store.pages(kinds={*kinds, INSTALLATION})) as pages:
        async for page in pages:
            found.add(page)
    return found
