"""Keeping an installation that was made just now, in the place of the one before."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.installations.installation import Installation
from bot.installations.recent import RecentInstallations
from bot.store.errors import ConflictError, UnreadableSecretError
from bot.workspace import WorkspaceId

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
