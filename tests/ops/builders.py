"""Files of `export`, built with defaults; and the digests that they tell of."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import yaml

from bot import admin
from bot.admin import Named
from bot.digests.models import Digest
from bot.digests.repository import KIND, RIGHTS, encode_digest
from bot.installations.installation import Installation, Tokens
from bot.ops.export_file import Histories, Holdings
from bot.slack.auth import NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.store.documents import Document
from bot.store.snapshot import Snapshot
from bot.workspace import WorkspaceId
from tests.builders import BOT_TOKEN, MOMENT

ACME = WorkspaceId("T1")

DIGEST: dict[str, Any] = {
    "id": "d1",
    "channel": "C0OPS",
    "days": ["Mon", "Fri"],
    "time": "09:00",
    "zone": "Europe/Berlin",
    "made_by": "U0ADMIN",
}


def a_document(digest: Digest, workspace: WorkspaceId = ACME) -> Document:
    return Document(f"{workspace}/{KIND}/{digest.digest_id}", encode_digest(digest), 3, None)


def a_rights_document(*, admins_only: bool, workspace: WorkspaceId = ACME) -> Document:
    return Document(f"{workspace}/{RIGHTS}", {"v": 1, "admins_only": admins_only}, 1, None)


def a_managers_document(named: Named, workspace: WorkspaceId = ACME) -> Document:
    value = {"v": 1, "user_ids": [*named.user_ids], "group_ids": [*named.group_ids]}
    return Document(f"{workspace}/{admin.KIND}", value, named.rev, None)


def a_choice(workspace: WorkspaceId = ACME, **who: str) -> Document:
    return Document(f"{workspace}/{admin.AUDIENCES_KIND}", {"v": 1, **who}, 1, None)


def holding(*digests: Digest) -> Holdings:
    return holdings_of(map(a_document, digests))


def a_file(*digests: dict[str, Any], **workspace: Any) -> bytes:
    """Return a file of one workspace; each digest is given by what differs from `DIGEST`."""
    listed = [deepcopy(DIGEST) | each for each in digests]  # else yaml would write anchors
    value = {"team": "T1", "digests": listed} | workspace
    return yaml.safe_dump({"version": 1, "workspaces": [value]}, sort_keys=False).encode()


def an_installation(home: WorkspaceId = ACME, **fields: Any) -> Installation:
    """Return one with token rotation and every permission; each has tokens of its own."""
    defaults: dict[str, Any] = {
        "home": home,
        "app_id": "A1",
        "bot_id": "B1",
        "bot_user_id": "U0BOT",
        "scopes": (*NEEDED_SCOPES, *OPTIONAL_SCOPES),
        "installed_by": "U0ADMIN",
        "installed_at": MOMENT,
        "name": "Acme",
        "tokens": Tokens(
            access=f"xoxe.{BOT_TOKEN}{home}", refresh=f"xoxe-1-{home}", expires_at=MOMENT
        ),
    }
    return Installation(**(defaults | fields))


def holdings_of(documents: Iterable[Document]) -> Holdings:
    found = Holdings()
    found.add(Snapshot(documents=tuple(documents)))
    return found


def histories_of(documents: Iterable[Document]) -> Histories:
    found = Histories()
    found.add(Snapshot(documents=tuple(documents)))
    return found
