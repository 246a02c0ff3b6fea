"""Store installations, sealed, and find the one that serves a workspace."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

from cachetools import TTLCache

from bot.concurrency import SingleFlight
from bot.installations.models import KIND, Installation, Tokens, decode, encode, organisation
from bot.store.documents import ConflictError, Document, Documents, UnreadableSecretError
from bot.store.encryption import KeyRing, associated_data
from bot.workspace import WorkspaceId

# Tokens may be revoked without the app being removed, e.g. after they were seen in public.
WAITS_FOR_REINSTALL = timedelta(days=30)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Kept:
    """An installation as it was read. `rev` is the document's.

    `refreshing_until`: until then somebody is spending its refresh token; see `token_rotation.py`.
    `prove_at`: then Slack is asked whether it still takes the tokens; see `token_check.py`.
    """

    installation: Installation
    rev: int
    refreshing_until: datetime | None = None
    prove_at: datetime | None = None


class InstallationRepository:
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
        return {"sealed": self._ring.encrypt(text, associated_data(field, home))}

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
            access=self._ring.decrypt(
                value["token"]["sealed"], associated_data("bot-token", home)
            ),
            refresh=refresh
            and self._ring.decrypt(refresh["sealed"], associated_data("refresh-token", home)),
            expires_at=expires_at and datetime.fromisoformat(expires_at),
        )


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


# For a store that this process has to itself. Where others install, renew and forget meanwhile
# it is to be short: see `RecentInstallations`.
REMEMBERED_FOR_S = 60.0
MAX_REMEMBERED = 10_000


class RecentInstallations:
    """Reads each installation once in `for_s` seconds, for everybody; that there is none, too.

    What another process has written is known here so much later, unless Slack refuses the token
    (then `forget` comes), nothing was found, or it is written (then it is read): a request of a
    workspace that was forgotten meanwhile may be let in, with a token that Slack has revoked and
    a store that takes nothing in; a token that was renewed is good for hours more.

    Every method but `forget` raises what the shelf raises.
    """

    def __init__(
        self,
        shelf: InstallationRepository,
        *,
        clock_s: Callable[[], float] = time.monotonic,
        for_s: float = REMEMBERED_FOR_S,
    ) -> None:
        self._shelf = shelf
        self._known: TTLCache[WorkspaceId, Kept | None] = TTLCache(
            MAX_REMEMBERED, for_s, timer=clock_s
        )
        self._flights: SingleFlight[WorkspaceId, Kept | None] = SingleFlight()
        self._changes = 0

    async def get(self, home: WorkspaceId) -> Kept | None:
        """Return the installation as it was `for_s` seconds ago at most, `None` for none."""
        try:
            return self._known[home]
        except KeyError:
            return await self._flights.run(home, lambda: self._read(home))

    async def read(self, home: WorkspaceId) -> Kept | None:
        """Return the installation as it is now, `None` for none."""
        self.forget(home)
        return await self._read(home)

    async def put(
        self,
        installation: Installation,
        *,
        if_rev: int | None,
        refreshing_until: datetime | None = None,
        prove_at: datetime | None = None,
    ) -> Kept:
        """Keep an installation, as `InstallationShelf.put`; raise ConflictError as it does."""
        home = installation.home
        try:
            kept = await self._shelf.put(
                installation,
                if_rev=if_rev,
                refreshing_until=refreshing_until,
                prove_at=prove_at,
            )
        finally:
            self.forget(home)  # what was read while it was written
        self._known[home] = kept
        return kept

    def forget(self, home: WorkspaceId) -> None:
        """Let whoever asks next read anew."""
        self._changes += 1
        self._flights.forget(home)
        self._known.pop(home, None)

    async def _read(self, home: WorkspaceId) -> Kept | None:
        before = self._changes
        kept = await self._shelf.get(home)
        if before == self._changes:  # else it may be older than what is known by now
            self._known[home] = kept
        return kept


TRIES = 5


@dataclass(frozen=True, slots=True)
class Saved:
    """An installation as it is kept, and the one whose place it took (`None`: there was none)."""

    installation: Installation
    before: Installation | None


async def save_installation(recent: RecentInstallations, made: Installation) -> Saved:
    """Keep `made` with its tokens; those of the one before are gone then.

    A workspace that had the app before it joined its organisation keeps the name under which
    everything that it set up is kept.

    Raises:
        ConflictError: others changed it again and again.
        StoreError: the store failed.
    """
    for _ in range(TRIES):
        home, before, rev = await _before(recent, made.home)
        installation = replace(made, home=home)
        try:
            await recent.put(installation, if_rev=rev)
        except ConflictError:
            continue  # a token was renewed, or the app removed, at the same moment
        return Saved(installation, before)
    raise ConflictError(f"the installation of {made.home} changes all the time")


async def _before(
    recent: RecentInstallations, home: WorkspaceId
) -> tuple[WorkspaceId, Installation | None, int | None]:
    """Return the home of the one before, that one, and its rev (`None`: whatever it is)."""
    for each in _homes(home):
        try:
            kept = await recent.read(each)
        except UnreadableSecretError:  # its key is lost: installing anew is what mends that
            return each, None, None
        if kept:
            return each, kept.installation, kept.rev
    return home, None, 0


def _homes(home: WorkspaceId) -> Iterator[WorkspaceId]:
    yield home
    if home.enterprise_id:
        yield WorkspaceId(home.team_id)


@dataclass(frozen=True, slots=True)
class ResolvedInstallation:
    """A workspace, and the home of the installation whose token acts in it.

    They are the same, unless the installation is for a whole organisation.
    """

    home: WorkspaceId
    workspace: WorkspaceId


class Directory:
    """Finds installations that have a token; may raise what the shelf raises."""

    def __init__(self, recent: RecentInstallations) -> None:
        self._recent = recent

    async def find(
        self, team_id: str, enterprise_id: str | None, *, is_org_install: bool | None = None
    ) -> ResolvedInstallation | None:
        """Return who a request is for; `None`: nobody has installed the app there.

        A workspace's own installation comes before that of its organisation. `is_org_install`
        is what Slack says of the request, `None` if it does not: when it is `False`, the request
        is not for the organisation's, as then `enterprise_id` may be another person's.

        A workspace that joined an organisation after it had installed the app stays what it was:
        everything that it set up is kept under that name. An organisation is no workspace.
        """
        if team_id.startswith("E"):
            return None
        team = WorkspaceId(team_id, enterprise_id)
        ways = [ResolvedInstallation(team, team)]
        if enterprise_id:
            alone = WorkspaceId(team_id)
            ways.append(ResolvedInstallation(alone, alone))
            if is_org_install is not False:
                ways.append(ResolvedInstallation(organisation(enterprise_id), team))
        return await self._first(ways)

    async def served(self, workspace: WorkspaceId) -> ResolvedInstallation | None:
        """Return who serves a workspace that is known already; `None`: no longer anybody."""
        return await self._first(_ways(workspace))

    def forget(self, workspace: WorkspaceId) -> None:
        """Let whoever asks next read anew, e.g. as Slack has just refused the token."""
        for way in _ways(workspace):
            self._recent.forget(way.home)

    async def _first(self, ways: list[ResolvedInstallation]) -> ResolvedInstallation | None:
        if found := await self._look(ways):
            return found
        # It may have been installed a moment ago, by another process.
        for way in ways:
            self._recent.forget(way.home)
        return await self._look(ways)

    async def _look(self, ways: list[ResolvedInstallation]) -> ResolvedInstallation | None:
        for way in ways:
            kept = await self._recent.get(way.home)
            if kept and kept.installation.tokens:
                return way
        return None


def _ways(workspace: WorkspaceId) -> list[ResolvedInstallation]:
    ways = [ResolvedInstallation(workspace, workspace)]
    if workspace.enterprise_id:
        ways.append(ResolvedInstallation(organisation(workspace.enterprise_id), workspace))
    return ways
