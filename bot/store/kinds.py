"""The kinds of documents. What is done with all of them alike goes by this table.

The clean-up and the operator's commands read it. A test writes each kind, and finds it in
docs/security.md and PRIVACY.md; another one finds nothing of any when its workspace is deleted.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from bot.store.documents import ConflictError, Documents

AT_MOST = 4_000


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """A kind of document, named as the second part of its keys: `E1.T1/digest/d1`.

    `sealed` says where in its value a sealed text is, and what field it is sealed as (see
    `associated_data`). A temporary one is deleted when it is due.
    """

    name: str
    sealed: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    is_temporary: bool = False


_ALL = (
    # who may do what, and what they did
    DocumentKind("audiences"),
    DocumentKind("audit"),
    DocumentKind("managers"),
    # the key
    DocumentKind("budget", is_temporary=True),
    DocumentKind("held-key", {("sealed",): "held-key"}, is_temporary=True),
    DocumentKind("kept", {("sealed",): "kept-command"}, is_temporary=True),
    DocumentKind("key", {("sealed",): "api-key", ("earlier", "sealed"): "api-key"}),
    # domains and their scans
    DocumentKind("bulk-scan"),
    DocumentKind("ends"),
    DocumentKind("list"),
    DocumentKind("nightly"),
    DocumentKind("scan"),
    DocumentKind("scans"),
    DocumentKind("seen"),
    DocumentKind("to-add", is_temporary=True),
    # digests
    DocumentKind("digest"),
    DocumentKind("digest-alert"),
    DocumentKind("digest-baseline"),
    # the app itself
    DocumentKind("greeted"),
    DocumentKind("installation", {("token", "sealed"): "bot-token"}),
)
KINDS = {kind.name: kind for kind in _ALL}
TEMPORARY = [kind.name for kind in _ALL if kind.is_temporary]


async def forget_expired(documents: Documents, now: datetime) -> int:
    """Delete at most 4,000 temporary documents that are due; return how many. Raise StoreError.

    In a database that takes a few seconds.
    """
    deleted = 0
    for key in await documents.due_keys(now, *TEMPORARY, limit=AT_MOST):
        document = await documents.get(key)
        if document and document.due_at and document.due_at <= now:
            with suppress(ConflictError):  # written again at this moment
                deleted += await documents.delete(key, if_rev=document.rev)
    return deleted
