"""All workspaces and organisations of one local Slack, and the app that they share."""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import yaml

from bot.playground.slack.app import App, Settings
from bot.playground.slack.block_contents import Json
from bot.playground.slack.change_event import ChangeEvent
from bot.playground.slack.files import Files
from bot.playground.slack.installations import Installation
from bot.playground.slack.model import Channel, Member, Org, OrgPerson, Workspace, domain_of
from bot.playground.slack.posting import Checks, Posting, ResponseUrls
from bot.playground.slack.refusals import Rates, Refusal
from bot.playground.slack.views import Stacks, Triggers


class ReadMarks:
    """The last message that somebody has read, by person and channel."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._read: dict[tuple[str, str], str] = {}

    def read_ts(self, who: Member, channel: Channel) -> str:
        """Return the timestamp of the last message that they have seen; empty: none."""
        return self._read.get((who.id, channel.id), "")

    def mark(self, who: Member, channel: Channel) -> None:
        last_ts = channel.messages[-1].ts if channel.messages else ""
        if last_ts > self.read_ts(who, channel):
            self._read[who.id, channel.id] = last_ts
            self._workspace.change_event.notify()

    def unread(self, who: Member, channel: Channel) -> int:
        """Count what others said there since, outside of threads."""
        read_ts = self.read_ts(who, channel)
        return sum(
            1
            for message in channel.messages
            if message.ts > read_ts and message.is_for(who.id) and not message.thread_ts
            if who.id not in (message.user, message.typed_by)
        )


class WorkspaceState:
    """A workspace and what may be done in it. `org` is its organisation; None: outside of any."""

    def __init__(self, app: App, workspace: Workspace, org: Org | None = None) -> None:
        self.app = app
        self.workspace = workspace
        self.org = org
        self.checks = Checks()
        self.triggers = Triggers(workspace.clock, app.settings.answers_within_s)
        self.posting = Posting(self.workspace, self.checks)
        self.posting.on_change = lambda *change: app.on_message(self, *change)
        self.stacks = Stacks(self.workspace, self.checks, self.triggers)
        self.response_urls = ResponseUrls(self.workspace, self.posting)
        self.files = Files(self.workspace, self.posting)
        self.read_marks = ReadMarks(self.workspace)
        self.rates = Rates()
        self.strangers_may_type = False

    @property
    def enterprise_id(self) -> str | None:
        """The organisation's id; None outside of any."""
        return self.org.id if self.org else None

    @property
    def installation(self) -> Installation | None:
        """The installation of the app that acts here, or None."""
        team_id = self.workspace.team_id
        return self.app.installations.acting_in(team_id, self.enterprise_id)

    @property
    def is_org_wide(self) -> bool:
        """Whether the app is here because the whole organisation installed it."""
        return self.installation is not None and self.installation.is_org_wide

    @property
    def bot_token(self) -> str:
        """The newest token that acts here, or did last; empty if the app never was here."""
        installed = self.installation
        home_id = installed.home_id if installed else self.workspace.team_id
        return self.app.tokens.newest(home_id)

    @property
    def scopes(self) -> tuple[str, ...]:
        """What the app may do here; nothing where it is not installed."""
        return self.installation.scopes if self.installation else ()

    @scopes.setter
    def scopes(self, scopes: Iterable[str]) -> None:
        if self.installation is None:
            raise LookupError("the app is not installed here")
        self.installation.scopes = tuple(scopes)


OTHER_TEAM_ID = "T0ELSEWHERE"
BOT_NAME = "domain_tracker"
_TOWN = yaml.safe_load(Path(__file__).with_name("universe.yaml").read_text("utf-8"))


def _settle(workspace: Workspace, people: Json, newcomer: str = "") -> None:
    """Fill an empty workspace with people, by name with their traits, and with places."""
    for name, traits in people.items():
        workspace.add_member(name, **traits)
    workspace.bot_user_id = workspace.member_named(BOT_NAME).id
    workspace.add_member("zoe", team_id=OTHER_TEAM_ID, is_stranger=True)
    staff = [*_TOWN["staff"], *([newcomer] if newcomer else [])]
    for name, (members, traits) in _TOWN["channels"].items():
        names = [each for who in members for each in (staff if who == "staff" else [who])]
        workspace.add_channel(name, names, **traits)
    for name, members in _TOWN["user_groups"].items():
        workspace.add_user_group(name, members)


def _org_people() -> dict[str, OrgPerson]:
    """Return the people of an organisation by id."""
    people = enumerate(_TOWN["org_people"].items(), start=1)
    made = [OrgPerson(f"W{number:010}", name, **traits) for number, (name, traits) in people]
    return {person.id: person for person in made}


def _people_in(org: Org) -> Json:
    """`ada` is an admin of the first workspace only, `cy` of every other one."""
    traits = {**_TOWN["traits"], "cy" if org.teams else "ada": {"is_admin": True}}
    return {
        person.name: {"id": person.id, **traits.get(person.name, {})}
        for person in org.people.values()
    }


_IDS_APART = 1_000_000  # no two workspaces of an organisation have an id in common


class Universe:
    """Everything behind one address. `change_event` tells of a change in any workspace."""

    def __init__(self, clock: Callable[[], float], settings: Settings) -> None:
        self.app = App(clock, settings)
        self.change_event = ChangeEvent()
        self.worlds: dict[str, WorkspaceState] = {}  # by the workspace's id
        self.orgs: dict[str, Org] = {}
        self.base = ""  # the address, once it is known
        self._sessions: dict[str, tuple[WorkspaceState, Member]] = {}

    def add_workspace(self, name: str) -> WorkspaceState:
        """Add a workspace. Its ids are those of every other one. Raises: ValueError."""
        workspace = Workspace(self.app.clock, self._new_id("T", name), name, self.change_event)
        _settle(workspace, _TOWN["people"])
        return self._add(WorkspaceState(self.app, workspace))

    def add_org(self, name: str) -> Org:
        """Add an organisation without workspaces. Raises: ValueError, if the name is taken."""
        org = Org(self._new_id("E", name), name, domain_of(name), _org_people())
        self.orgs[org.id] = org
        return org

    def add_workspace_of(self, org: Org, name: str) -> WorkspaceState:
        team_id = self._new_id("T", name)
        first_number = len(org.teams) * _IDS_APART + 1
        workspace = Workspace(self.app.clock, team_id, name, self.change_event, first_number)
        _settle(workspace, _people_in(org), newcomer="ora")
        org.teams.append(team_id)
        return self._add(WorkspaceState(self.app, workspace, org))

    def worlds_of(self, installation: Installation) -> Iterator[WorkspaceState]:
        """Yield the workspaces in which an installation acts, oldest first."""
        for team_id, world in self.worlds.items():
            if team_id in installation.teams:
                yield world

    def sign_in(self, world: WorkspaceState, member: Member) -> str:
        """Return the value of a cookie that proves who somebody is to the pages of Slack."""
        session = f"xoxd-{secrets.token_hex(24)}"
        self._sessions[session] = (world, member)
        return session

    def signed_in(self, session: str) -> tuple[WorkspaceState, Member] | None:
        """Return who a cookie stands for, or None."""
        return self._sessions.get(session)

    def _add(self, world: WorkspaceState) -> WorkspaceState:
        world.files.base = self.base
        world.response_urls.base = f"{self.base}/response/"
        self.worlds[world.workspace.team_id] = world
        return world

    def _new_id(self, kind: str, name: str) -> str:
        new = f"{kind}0{re.sub('[^A-Z0-9]', '', name.upper())}"
        if new in self.worlds or new in self.orgs:
            raise ValueError(f"there is already something called {name}")
        return new


def world_for(
    universe: Universe, installation: Installation, arguments: Json, *, needs_team: bool
) -> WorkspaceState:
    """Return the workspace that a call is about.

    A workspace's own token acts there, whatever `team_id` says. An organisation's token acts where
    the channel, person, view or trigger of the arguments is, or where `team_id` says if the method
    `needs_team`. Raises: Refusal.
    """
    if not installation.is_org_wide:
        return universe.worlds[installation.home_id]
    if needs_team:
        return _granted(installation, [_team(universe, arguments)])
    everywhere = [universe.worlds[team] for team in universe.orgs[installation.home_id].teams]
    named = _named(everywhere, arguments)
    return _granted(installation, named or everywhere)


def _team(universe: Universe, arguments: Json) -> WorkspaceState:
    team_id = arguments.get("team_id")
    if not team_id:
        # As reported in https://github.com/lyft/omnibot/pull/44.
        raise Refusal("missing_argument", arg="team_id")
    if str(team_id) not in universe.worlds:
        raise Refusal("team_not_found")
    return universe.worlds[str(team_id)]


def _granted(installation: Installation, worlds: list[WorkspaceState]) -> WorkspaceState:
    for world in worlds:
        if world.workspace.team_id in installation.teams:
            return world
    raise Refusal("team_access_not_granted")


def _named(worlds: list[WorkspaceState], arguments: Json) -> list[WorkspaceState]:
    """Return the workspaces in which what the arguments name exists; none if they name nothing."""
    channel = str(arguments.get("channel") or "")
    if channel and channel[0] not in "CDGUW":
        raise Refusal("team_not_found")  # a name: it may stand for a channel in each workspace
    if channel[:1] in ("C", "D", "G"):
        return [world for world in worlds if channel in world.workspace.channels]
    return [world for world in worlds if _shows(world, arguments) or _knows(world, arguments)]


def _shows(world: WorkspaceState, arguments: Json) -> bool:
    """Tell whether the trigger of the arguments arose there, or their view is open there."""
    view_ids = [view.id for view in world.stacks.live()]
    is_of_trigger = world.triggers.find(arguments.get("trigger_id")) is not None
    return is_of_trigger or arguments.get("view_id") in view_ids


def _knows(world: WorkspaceState, arguments: Json) -> bool:
    """Tell whether the person of the arguments is a member there."""
    named = (str(arguments.get(key)) for key in ("user", "user_id", "users", "channel"))
    return not world.workspace.members.keys().isdisjoint(named)
