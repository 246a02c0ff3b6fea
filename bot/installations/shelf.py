"""Where installations are kept: one document each, its tokens sealed for that place alone."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from bot.installations.installation import Installation, Tokens, decode, encode
from bot.store.base import Document, Documents
from bot.store.sealed import KeyRing, about
from bot.workspace import WorkspaceId

KIND = "installation"
# Tokens may be revoked without the app being removed, e.g. after they were seen in public.
WAITS_FOR_REINSTALL = timedelta(days=30)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Kept:
    """An installation as it was read. `rev` is the document's.

    `refreshing_until`: until then somebody is spending its refresh token; see `tokens.py`.
    `prove_at`: then Slack is asked whether it still takes the tokens; see `proving.py`.
    """

    installation: Installation
    rev: int
    refreshing_until: datetime | None = None
    prove_at: datetime | None = None


class InstallationShelf:
    """Reads and writes installations.

    Every method may raise StoreError; those that read UnreadableSecretError, when the tokens
    were sealed for another place or with a lost key.
    """

    def __init__(self, documents: Documents, ring: KeyRing) -> None:
        self._documents = documents
        self._ring = ring

    async def get(self, home: WorkspaceId) -> Kept | None:
        """Return the installation of a workspace or organisation, `None` when there is none."""
        document = await self._documents.get(_place(home))
        return self._opened(home, document) if document else None

    async def put(
        self,
        installation: Installation,
        *,
        if_rev: int | None = None,
        refreshing_until: datetime | None = None,
        prove_at: datetime | None = None,
    ) -> Kept:
        """Keep an installation in the place of the one before; `if_rev` as in `Documents.put`.

        Without `prove_at` its tokens are proved first a day after it was made.

        Raises:
            ConflictError: the one before is no longer at `if_rev`; nothing was changed.
        """
        value = {**encode(installation), **self._sealed(installation)}
        if refreshing_until:
            value["refreshing_until"] = refreshing_until.isoformat()
        home, revoked = installation.home, installation.revoked_at
        if installation.tokens:
            prove_at = prove_at or next_proof(home, installation.installed_at)
        else:
            prove_at = None
        due_at = revoked + WAITS_FOR_REINSTALL if revoked else prove_at
        document = await self._documents.put(_place(home), value, due_at=due_at, if_rev=if_rev)
        return Kept(installation, document.rev, refreshing_until, prove_at)

    def _sealed(self, installation: Installation) -> dict[str, Any]:
        tokens, home = installation.tokens, installation.home
        if tokens is None:
            return {}
        kept: dict[str, Any] = {"token": self._seal("bot-token", home, tokens.access)}
        if tokens.refresh:
            kept["refresh"] = self._seal("refresh-token", home, tokens.refresh)
        if tokens.expires_at:
            kept["expires_at"] = tokens.expires_at.isoformat()
        return kept

    def _seal(self, field: str, home: WorkspaceId, text: str) -> dict[str, str]:
        return {"sealed": self._ring.seal(text, about(field, home))}

    def _opened(self, home: WorkspaceId, document: Document) -> Kept:
        value = document.value
        until = value.get("refreshing_until")
        tokens = self._tokens(home, value)
        return Kept(
            decode(home, value, tokens),
            document.rev,
            until and datetime.fromisoformat(until),
            document.due_at if tokens else None,
        )

    def _tokens(self, home: WorkspaceId, value: dict[str, Any]) -> Tokens | None:
        if "token" not in value:
            return None
        refresh, expires_at = value.get("refresh"), value.get("expires_at")
        return Tokens(
            access=self._ring.unseal(value["token"]["sealed"], about("bot-token", home)),
            refresh=refresh and self._ring.unseal(refresh["sealed"], about("refresh-token", home)),
            expires_at=expires_at and datetime.fromisoformat(expires_at),
        )


def is_installation(key: str) -> bool:
    """Return whether the document of that name is one of these."""
    return key.count("/") == 1 and key.endswith(f"/{KIND}")


def next_proof(home: WorkspaceId, after: datetime) -> datetime:
    """Return when the tokens of `home` are proved next: a day later, or up to a half more or less.

    Each home has its own time of the day, so that they do not all come at once.
    """
    midnight = after.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    moment = midnight + timedelta(seconds=crc32(str(home).encode()) % DAY.total_seconds())
    while moment < after + DAY / 2:
        moment += DAY
    return moment


def _place(home: WorkspaceId) -> str:
    return f"{home}/{KIND}"
