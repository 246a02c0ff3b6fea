"""What operators call a workspace and what is kept of it: by name where one is known. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.installations.installation import WHOLE_ORGANISATION, Installation
from bot.installations.shelf import is_installation
from bot.operating.printing import shown
from bot.store.base import Document
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
