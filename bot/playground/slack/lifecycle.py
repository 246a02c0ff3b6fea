"""What installing and removing the app does, and the events that tell the app of it."""

from collections.abc import Iterable

from bot.playground.slack import payloads, universe
from bot.playground.slack.block_contents import Json
from bot.playground.slack.installations import Consent, Installation, Token
from bot.playground.slack.model import Org
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.universe import Universe, WorkspaceState

REMOVAL = ("app_uninstalled", "tokens_revoked")  # in either order, Slack says


def install(universe: Universe, consent: Consent) -> tuple[Installation, Token]:
    """Do what somebody consented to; return the installation and its token. Raises: Refusal."""
    app = universe.app
    installation = app.installations.at(consent.home_id)
    if installation is None:
        installation = _new(universe, consent)
        app.installations.add(installation)
        for world in universe.worlds_of(installation):
            _bring_bot(world)
    installation.add_scopes(consent.scopes)
    installation.installed_by = consent.member_id
    token = app.tokens.give(installation)
    universe.change_event.notify()
    return installation, token


def _new(universe: Universe, consent: Consent) -> Installation:
    """Return an installation that nothing has been granted to yet. Raises: Refusal."""
    if consent.is_org_wide:
        return in_org(universe.orgs[consent.home_id], consent.member_id)
    world = universe.worlds[consent.home_id]
    if universe.app.installations.at(world.enterprise_id):
        # https://docs.slack.dev/reference/methods/oauth.v2.access
        raise Refusal("cannot_install_an_org_installed_app")
    return in_workspace(world, consent.member_id)


def in_workspace(world: WorkspaceState, installed_by: str) -> Installation:
    """Return an installation for one workspace that nothing has been granted to yet."""
    workspace, org = world.workspace, world.org
    return Installation(
        workspace.team_id,
        workspace.name,
        workspace.bot_user_id,
        (),
        installed_by,
        enterprise_id=org.id if org else None,
        enterprise_name=org.name if org else None,
        teams={workspace.team_id},
    )


def in_org(org: Org, installed_by: str) -> Installation:
    """Return an installation for an organisation: nothing is granted, no workspace has it."""
    bot = next(person for person in org.people.values() if person.name == universe.BOT_NAME)
    return Installation(
        org.id,
        org.name,
        bot.id,
        (),
        installed_by,
        enterprise_id=org.id,
        enterprise_name=org.name,
        is_org_wide=True,
    )


def grant(installation: Installation, world: WorkspaceState) -> None:
    """Give a workspace of an organisation the app."""
    installation.teams.add(world.workspace.team_id)
    _bring_bot(world)


def revoke_access(installation: Installation, world: WorkspaceState) -> None:
    """Take the app from a workspace of an organisation; the tokens live on for the others."""
    installation.teams.discard(world.workspace.team_id)
    take_bot_out(world)


def remove(universe: Universe, installation: Installation) -> None:
    """Remove the app from a workspace or an organisation, with all its tokens."""
    for world in list(universe.worlds_of(installation)):
        take_bot_out(world)
    universe.app.tokens.revoke_all(installation)
    universe.app.installations.remove(installation)
    if installation.is_org_wide:
        universe.orgs[installation.home_id].homes.clear()
    universe.change_event.notify()


def events_of_removal(
    universe: Universe,
    installation: Installation,
    order: Iterable[str],
) -> list[Json]:
    """Return the payloads that tell of a removal, of the types that the app is subscribed to."""
    inner: dict[str, Json] = {
        "app_uninstalled": {"type": "app_uninstalled"},
        "tokens_revoked": {
            "type": "tokens_revoked",
            "tokens": {"oauth": [], "bot": [installation.bot_user_id]},
        },
    }
    subscribed = [inner[name] for name in order if name in universe.app.settings.events]
    return [payloads.of_installation(universe.app, installation, each) for each in subscribed]


def take_bot_out(world: WorkspaceState) -> None:
    """Let the app's user be deactivated, in no channel, and nothing of the app on any screen."""
    workspace = world.workspace
    workspace.members[workspace.bot_user_id].deleted = True
    for channel in workspace.channels.values():
        if not channel.is_im:
            channel.members.discard(workspace.bot_user_id)
    for member_id in workspace.members:
        world.stacks.clear(member_id)
    world.stacks.homes = {}


def _bring_bot(world: WorkspaceState) -> None:
    workspace = world.workspace
    workspace.members[workspace.bot_user_id].deleted = False
    installation = world.installation
    if installation and installation.is_org_wide and world.org:
        world.stacks.homes = world.org.homes
