"""What `export --history` prints: who did what to each workspace's settings, an act a line. Pure.

Described for operators in docs/operating.md.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.admin.audit import KIND, Entry, encode, entries_in
from bot.operating.places import Places, places_of
from bot.store.base import Document
from bot.workspace import WorkspaceId


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
        if document.key.split("/")[1:] == [KIND]:
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
