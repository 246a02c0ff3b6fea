"""Which installation serves a workspace."""

from dataclasses import dataclass

from bot.installations.installation import organisation
from bot.installations.recent import RecentInstallations
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Served:
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
    ) -> Served | None:
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
        ways = [Served(team, team)]
        if enterprise_id:
            alone = WorkspaceId(team_id)
            ways.append(Served(alone, alone))
            if is_org_install is not False:
                ways.append(Served(organisation(enterprise_id), team))
        return await self._first(ways)

    async def served(self, workspace: WorkspaceId) -> Served | None:
        """Return who serves a workspace that is known already; `None`: no longer anybody."""
        return await self._first(_ways(workspace))

    def forget(self, workspace: WorkspaceId) -> None:
        """Let whoever asks next read anew, e.g. as Slack has just refused the token."""
        for way in _ways(workspace):
            self._recent.forget(way.home)

    async def _first(self, ways: list[Served]) -> Served | None:
        if found := await self._look(ways):
            return found
        # It may have been installed a moment ago, by another process.
        for way in ways:
            self._recent.forget(way.home)
        return await self._look(ways)

    async def _look(self, ways: list[Served]) -> Served | None:
        for way in ways:
            kept = await self._recent.get(way.home)
            if kept and kept.installation.tokens:
                return way
        return None


def _ways(workspace: WorkspaceId) -> list[Served]:
    ways = [Served(workspace, workspace)]
    if workspace.enterprise_id:
        ways.append(Served(organisation(workspace.enterprise_id), workspace))
    return ways
