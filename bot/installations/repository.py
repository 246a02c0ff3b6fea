"""Store installations, encrypted, and find the one that serves a workspace."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from cachetools import TTLCache

from bot.installations.installation import (
    Installation,
    decode,
    encode,
    key_of,
    organisation,
    organisation_of,
)
from bot.process.clock import seconds_now
from bot.process.workspace import WorkspaceId
from bot.store.documents import ConflictError, Documents, UnreadableSecretError
from bot.store.encryption import KeyRing, associated_data

# Tokens may be revoked without the app being removed, e.g. after they were seen in public.
WAITS_FOR_REINSTALL = timedelta(days=30)
CHECKED_EVERY = timedelta(days=1)
FIELD = "bot-token"


REMEMBERED_FOR_S = 5.0
# An installation with a token, perhaps an organisation's, and the workspace in which it acts.
Served = tuple[Installation, WorkspaceId]
# The home of an installation, and the workspace that it may serve.
Candidate = tuple[WorkspaceId, WorkspaceId]


def _candidates(workspace: WorkspaceId) -> list[Candidate]:
    homes = filter(None, (workspace, organisation_of(workspace)))
    return [(home, workspace) for home in homes]


class InstallationRepository:
    """Reads and writes installations, and caches each for 5 s, also a missing one.

    A change by another process is seen here so much later, unless Slack refuses the token (then
    `forget` comes) or there was none. Until then a request of a deleted workspace may be let in,
    with a revoked token and a store that refuses writes; an old token works for hours more.

    Every method but `forget` may raise StoreError; those that read, UnreadableSecretError.
    """

    def __init__(
        self, documents: Documents, ring: KeyRing, *, clock_s: Callable[[], float] = seconds_now
    ) -> None:
        self._documents = documents
        self._ring = ring
        self._known: TTLCache[WorkspaceId, Installation | None] = TTLCache(
            10_000, REMEMBERED_FOR_S, timer=clock_s
        )

    async def recent(self, home: WorkspaceId) -> Installation | None:
        try:
            return self._known[home]
        except KeyError:
            return await self.get(home)

    async def get(self, home: WorkspaceId) -> Installation | None:
        kept = None
        if document := await self._documents.get(key_of(home)):
            token = None
            if "token" in document.value:
                sealed = document.value["token"]["sealed"]
                token = self._ring.decrypt(sealed, associated_data(FIELD, home))
            kept = decode(home, document, token)
        self._known[home] = kept
        return kept

    def forget(self, workspace: WorkspaceId) -> None:
        """Let the next look read the store, e.g. as Slack has just refused the token."""
        for home, _ in _candidates(workspace):
            self._known.pop(home, None)

    async def find(
        self, team_id: str | None, enterprise_id: str | None, *, is_org_install: bool | None = None
    ) -> Served | None:
        """Return the installation that serves a request; `None`: the app is not installed there.

        A workspace's own installation comes before that of its organisation; one that is older
        than its membership keeps its id. `is_org_install` is Slack's word, `None` if there is
        none: when it is `False`, `enterprise_id` may be another person's, and the organisation's
        does not serve the request.
        """
        if not team_id or team_id.startswith("E"):  # an organisation is no workspace
            return None
        team, alone = WorkspaceId(team_id, enterprise_id), WorkspaceId(team_id)
        candidates = [(each, each) for each in dict.fromkeys((team, alone))]
        if enterprise_id and is_org_install is not False:
            candidates.append((organisation(enterprise_id), team))
        return await self._first(candidates)

    async def resolve(self, workspace: WorkspaceId) -> Served | None:
        """Return the installation that serves a known workspace; `None`: none any more."""
        return await self._first(_candidates(workspace))

    async def _first(self, candidates: list[Candidate]) -> Served | None:
        # Twice: another process may have installed it a moment ago.
        for look in (self.recent, self.get):
            for home, workspace in candidates:
                kept = await look(home)
                if kept and kept.token:
                    return kept, workspace
        return None

    async def install(self, given: Installation) -> tuple[Installation, Installation | None]:
        """Save a new installation; return it as it is saved, and the one that it replaces.

        A workspace that had the app before it joined its organisation keeps its id of then, under
        which all of its data is stored.
        """
        while True:
            home, before, rev = await self._before(given.home)
            with suppress(ConflictError):  # a token was renewed, or the app removed, in between
                return await self.put(replace(given, home=home), if_rev=rev), before

    async def _before(
        self, home: WorkspaceId
    ) -> tuple[WorkspaceId, Installation | None, int | None]:
        """Return the home of the one before, that one, and its rev (`None`: any)."""
        for each in (home, WorkspaceId(home.team_id)):
            try:
                kept = await self.get(each)
            except UnreadableSecretError:  # its key is lost: installing again is what mends that
                return each, None, None
            if kept:
                return each, kept, kept.rev
        return home, None, 0

    async def put(self, installation: Installation, *, if_rev: int | None = None) -> Installation:
        """Save an installation, replacing the one before; `if_rev` as in `Documents.put`."""
        home, value = installation.home, encode(installation)
        if installation.token:
            sealed = self._ring.encrypt(installation.token, associated_data(FIELD, home))
            value["token"] = {"sealed": sealed}
        revoked = installation.revoked_at
        due_at = installation.installed_at + CHECKED_EVERY
        due_at = revoked + WAITS_FOR_REINSTALL if revoked else due_at
        self._known.pop(home, None)
        document = await self._documents.put(key_of(home), value, due_at=due_at, if_rev=if_rev)
        kept = self._known[home] = replace(installation, rev=document.rev)
        return kept
