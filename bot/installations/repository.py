"""Store installations, encrypted, and find the one that serves a workspace."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cachetools import TTLCache

from bot.clock import seconds_now
from bot.installations.installation import (
    Installation,
    Tokens,
    decode,
    encode,
    key_of,
    moment,
    organisation,
    organisation_of,
)
from bot.store.documents import Documents
from bot.store.encryption import KeyRing, associated_data
from bot.workspace import WorkspaceId

# Tokens may be revoked without the app being removed, e.g. after they were seen in public.
WAITS_FOR_REINSTALL = timedelta(days=30)
CHECKED_EVERY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class StoredInstallation:
    """An installation as it is stored. `rev` is the document's.

    `refreshing_until`: a process has the lease to refresh its token; see `token_rotation.py`.
    `check_at`: when Slack is next asked whether it takes the tokens; see `token_check.py`.
    """

    installation: Installation
    rev: int
    refreshing_until: datetime | None = None
    check_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResolvedInstallation:
    """A workspace, and the home of the installation whose token acts in it.

    They are the same, unless the installation is for a whole organisation.
    """

    home: WorkspaceId
    workspace: WorkspaceId


def _ways(workspace: WorkspaceId) -> list[ResolvedInstallation]:
    homes = filter(None, (workspace, organisation_of(workspace)))
    return [ResolvedInstallation(home, workspace) for home in homes]


REMEMBERED_FOR_S = 5.0


class InstallationRepository:
    """Reads and writes installations, and caches each for 5 s, also a missing one.

    A change by another process is seen here so much later, unless Slack refuses the token (then
    `forget` comes) or there was none. Until then a request of a deleted workspace may be let in,
    with a revoked token and a store that refuses writes; an old token works for hours more.

    Every method but `forget` may raise StoreError; those that read UnreadableSecretError, when the
    tokens were encrypted for another place or with a lost key.
    """

    def __init__(
        self,
        documents: Documents,
        ring: KeyRing,
        *,
        clock_s: Callable[[], float] = seconds_now,
    ) -> None:
        self._documents = documents
        self._ring = ring
        self._known: TTLCache[WorkspaceId, StoredInstallation | None] = TTLCache(
            10_000, REMEMBERED_FOR_S, timer=clock_s
        )

    async def recent(self, home: WorkspaceId) -> StoredInstallation | None:
        """Return the installation as it was at most 5 s ago, `None` for none."""
        try:
            return self._known[home]
        except KeyError:
            return await self.get(home)

    async def get(self, home: WorkspaceId) -> StoredInstallation | None:
        document = await self._documents.get(key_of(home))
        if document is None:
            self._known[home] = None
            return None
        tokens = self._decrypted(home, document.value)
        kept = self._known[home] = StoredInstallation(
            decode(home, document.value, tokens),
            document.rev,
            moment(document.value.get("refreshing_until")),
            document.due_at if tokens else None,
        )
        return kept

    def forget(self, workspace: WorkspaceId) -> None:
        """Let the next look read the store, e.g. as Slack has just refused the token."""
        for way in _ways(workspace):
            self._known.pop(way.home, None)

    async def find(
        self, team_id: str, enterprise_id: str | None, *, is_org_install: bool | None = None
    ) -> ResolvedInstallation | None:
        """Return the installation that serves a request; `None`: the app is not installed there.

        A workspace's own installation comes before that of its organisation; one that is older
        than its membership keeps its id. `is_org_install` is Slack's word, `None` if there is
        none: when it is `False`, `enterprise_id` may be another person's, and the organisation's
        does not serve the request.
        """
        if team_id.startswith("E"):  # an organisation is no workspace
            return None
        team, alone = WorkspaceId(team_id, enterprise_id), WorkspaceId(team_id)
        ways = [ResolvedInstallation(each, each) for each in dict.fromkeys((team, alone))]
        if enterprise_id and is_org_install is not False:
            ways.append(ResolvedInstallation(organisation(enterprise_id), team))
        return await self._first(ways)

    async def resolve(self, workspace: WorkspaceId) -> ResolvedInstallation | None:
        """Return the installation that serves a known workspace; `None`: none any more."""
        return await self._first(_ways(workspace))

    async def _first(self, ways: list[ResolvedInstallation]) -> ResolvedInstallation | None:
        # Twice: another process may have installed it a moment ago.
        for look in (self.recent, self.get):
            for way in ways:
                kept = await look(way.home)
                if kept and kept.installation.tokens:
                    return way
        return None

    async def put(
        self,
        installation: Installation,
        *,
        if_rev: int | None = None,
        refreshing_until: datetime | None = None,
        check_at: datetime | None = None,
    ) -> StoredInstallation:
        """Save an installation, replacing the one before; `if_rev` as in `Documents.put`.

        Without `check_at` its tokens are first checked a day after it was made.
        """
        home, revoked = installation.home, installation.revoked_at
        value = {**encode(installation), **self._encrypted(home, installation.tokens)}
        if refreshing_until:
            value["refreshing_until"] = refreshing_until.isoformat()
        if installation.tokens is None:
            check_at = None
        elif check_at is None:
            check_at = installation.installed_at + CHECKED_EVERY
        due_at = revoked + WAITS_FOR_REINSTALL if revoked else check_at
        self._known.pop(home, None)
        document = await self._documents.put(key_of(home), value, due_at=due_at, if_rev=if_rev)
        kept = StoredInstallation(installation, document.rev, refreshing_until, check_at)
        self._known[home] = kept
        return kept

    def _encrypted(self, home: WorkspaceId, tokens: Tokens | None) -> dict[str, Any]:
        if tokens is None:
            return {}

        def sealed(field: str, text: str) -> dict[str, str]:
            return {"sealed": self._ring.encrypt(text, associated_data(field, home))}

        value: dict[str, Any] = {"token": sealed("bot-token", tokens.access)}
        if tokens.refresh:
            value["refresh"] = sealed("refresh-token", tokens.refresh)
        if tokens.expires_at:
            value["expires_at"] = tokens.expires_at.isoformat()
        return value

    def _decrypted(self, home: WorkspaceId, value: dict[str, Any]) -> Tokens | None:
        if "token" not in value:
            return None

        def opened(field: str, sealed: dict[str, str]) -> str:
            return self._ring.decrypt(sealed["sealed"], associated_data(field, home))

        refresh = value.get("refresh")
        return Tokens(
            access=opened("bot-token", value["token"]),
            refresh=refresh and opened("refresh-token", refresh),
            expires_at=moment(value.get("expires_at")),
        )
