"""Files of `export`, built with defaults; and the digests that they tell of."""

from copy import deepcopy
from typing import Any

import yaml

from bot.digests.codec import encode_digest
from bot.digests.digest import Digest
from bot.digests.shelf import KIND, RIGHTS
from bot.operating.document import Holdings, holdings_of
from bot.store.base import Document
from bot.workspace import WorkspaceId

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


def holding(*digests: Digest) -> Holdings:
    return holdings_of(map(a_document, digests))


def a_file(*digests: dict[str, Any], **workspace: Any) -> bytes:
    """Return a file of one workspace; each digest is given by what differs from `DIGEST`."""
    listed = [deepcopy(DIGEST) | each for each in digests]  # else yaml would write anchors
    value = {"team": "T1", "digests": listed} | workspace
    return yaml.safe_dump({"version": 1, "workspaces": [value]}, sort_keys=False).encode()
