"""All workspaces and organisations of one local Slack, and the app that they share."""

import re
import secrets
from collections.abc import Callable, Iterator

from bot.playground.slack import seed
from bot.playground.slack.app import App, Settings
from bot.playground.slack.bell import Bell
from bot.playground.slack.installations import Installation
from bot.playground.slack.model import Member
from bot.playground.slack.orgs import Org
from bot.playground.slack.workspace import Workspace, domain_of
from bot.playground.slack.world import World

_IDS_APART = 1_000_000  # no two workspaces of an organisation have an id in common


class Realm:
    """Everything behind one address. `bell` rings after a change in any workspace."""

    def __init__(self, clock: Callable[[], float], settings: Settings) -> None:
        self.app = App(clock, settings)
        self.bell = Bell()
        self.worlds: dict[str, World] = {}  # by the workspace's id
        self.orgs: dict[str, Org] = {}
        self.base = ""  # the address, once it is known
        self._sessions: dict[str, tuple[World, Member]] = {}

    def add_workspace(self, name: str) -> World:
        """Add a workspace. Its ids are those of every other one. Raises: ValueError."""
        workspace = Workspace(self.app.clock, self._new_id("T", name), name, self.bell)
        seed.settle(workspace)
        return self._add(World(self.app, workspace))

    def add_org(self, name: str) -> Org:
        """Add an organisation without workspaces. Raises: ValueError, if the name is taken."""
        org = Org(self._new_id("E", name), name, domain_of(name), seed.org_people())
        self.orgs[org.id] = org
        return org

    def add_workspace_of(self, org: Org, name: str) -> World:
        """Add a workspace of an organisation. Raises: ValueError, if the name is taken."""
        team_id = self._new_id("T", name)
        first_number = len(org.teams) * _IDS_APART + 1
        workspace = Workspace(self.app.clock, team_id, name, self.bell, first_number)
        seed.settle_in_org(workspace, org)
        org.teams.append(team_id)
        return self._add(World(self.app, workspace, org))

    def worlds_of(self, installation: Installation) -> Iterator[World]:
        """Yield the workspaces in which an installation acts, oldest first."""
        for team_id, world in self.worlds.items():
            if team_id in installation.teams:
                yield world

    def sign_in(self, world: World, member: Member) -> str:
        """Return the value of a cookie that proves who somebody is to the pages of Slack."""
        session = f"xoxd-{secrets.token_hex(24)}"
        self._sessions[session] = (world, member)
        return session

    def signed_in(self, session: str) -> tuple[World, Member] | None:
        """Return who a cookie stands for, or None."""
        return self._sessions.get(session)

    def _add(self, world: World) -> World:
        world.response_urls.base = f"{self.base}/response/"
        self.worlds[world.workspace.team_id] = world
        return world

    def _new_id(self, kind: str, name: str) -> str:
        new = f"{kind}0{re.sub('[^A-Z0-9]', '', name.upper())}"
        if new in self.worlds or new in self.orgs:
            raise ValueError(f"there is already something called {name}")
        return new
