"""What a form carries, so that its answer finds the way back to where it was opened. Pure."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.slack.replies import Origin
from bot.workspace import WorkspaceId

_HOME = "home"
"""In the place of whether a message was pressed: the Home tab was."""


def written(workspace: WorkspaceId, origin: Origin, note: str | None = None) -> str:
    """Return the metadata of a form that `origin` opens; `note` comes back with it."""
    where = _HOME if origin.is_home else origin.is_message
    way = [str(workspace), origin.channel_id, origin.response_url, where]
    return json.dumps(way if note is None else [*way, note])


def origin_in(view: Mapping[str, Any], workspace: WorkspaceId, user_id: str) -> Origin:
    """Return where the person was who opened a form.

    From nowhere when it does not say, or was opened in another workspace.
    """
    return replace(_carried(view, workspace)[0], user_id=user_id)


def note_of(view: Mapping[str, Any], workspace: WorkspaceId) -> str | None:
    """Return the note that a form carries, if any; none of another workspace."""
    return _carried(view, workspace)[1]


def _carried(view: Mapping[str, Any], workspace: WorkspaceId) -> tuple[Origin, str | None]:
    match json.loads(view.get("private_metadata") or "[]"):
        case [
            str() as opened_in,
            str() | None as channel_id,
            str() | None as url,
            bool() | "home" as where,
            *notes,
        ] if opened_in == str(workspace) and all(isinstance(note, str) for note in notes):
            is_home = where == _HOME
            way = Origin("", channel_id, url, is_message=where is True, is_home=is_home)
            return way, notes[0] if notes else None
    return Origin(""), None
