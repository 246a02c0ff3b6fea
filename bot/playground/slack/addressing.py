"""In which workspace a call acts whose token belongs to a whole organisation.

https://docs.slack.dev/enterprise/developing-for-enterprise-orgs
"""

from typing import Any

from bot.playground.slack.installations import Installation
from bot.playground.slack.realm import Realm
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.world import World

Json = dict[str, Any]


def world_for(
    realm: Realm, installation: Installation, arguments: Json, *, needs_team: bool
) -> World:
    """Return the workspace that a call is about.

    A workspace's own token acts there, whatever `team_id` says. An organisation's token acts
    where the channel, person, view or trigger of the arguments is, or where `team_id` says if the
    method `needs_team`.

    Raises:
        Refusal: `missing_argument` without a `team_id` that is needed, `team_access_not_granted`
            for a workspace that was not given the app, `team_not_found` for a channel's name.
    """
    if not installation.is_org_wide:
        return realm.worlds[installation.home_id]
    if needs_team:
        return _granted(installation, [_team(realm, arguments)])
    everywhere = [realm.worlds[team] for team in realm.orgs[installation.home_id].teams]
    named = _named(everywhere, arguments)
    if realm.app.settings.heeds_team_id_everywhere:
        named.sort(key=lambda world: world.workspace.team_id != arguments.get("team_id"))
    return _granted(installation, named or everywhere)


def _team(realm: Realm, arguments: Json) -> World:
    team_id = arguments.get("team_id")
    if not team_id:
        # As told in https://github.com/lyft/omnibot/pull/44.
        raise Refusal("missing_argument", arg="team_id")
    if str(team_id) not in realm.worlds:
        raise Refusal("team_not_found")
    return realm.worlds[str(team_id)]


def _granted(installation: Installation, worlds: list[World]) -> World:
    for world in worlds:
        if world.workspace.team_id in installation.teams:
            return world
    raise Refusal("team_access_not_granted")


def _named(worlds: list[World], arguments: Json) -> list[World]:
    """Return the workspaces in which what the arguments name exists; none if they name nothing."""
    channel = str(arguments.get("channel") or "")
    if channel and channel[0] not in "CDGUW":
        raise Refusal("team_not_found")  # a name: it may stand for a channel in each workspace
    if channel[:1] in ("C", "D", "G"):
        return [world for world in worlds if channel in world.workspace.channels]
    return [world for world in worlds if _shows(world, arguments) or _knows(world, arguments)]


def _shows(world: World, arguments: Json) -> bool:
    """Tell whether the trigger of the arguments arose there, or their view is open there."""
    view_id, external_id = arguments.get("view_id"), arguments.get("external_id")
    return world.triggers.find(arguments.get("trigger_id")) is not None or any(
        view_id == view.id or (external_id and external_id == view.payload.get("external_id"))
        for view in world.stacks.live()
    )


def _knows(world: World, arguments: Json) -> bool:
    """Tell whether the person of the arguments is a member there."""
    named = (str(arguments.get(key)) for key in ("user", "user_id", "users", "channel"))
    return not world.workspace.members.keys().isdisjoint(named)
