"""The people, channels and user groups that every local workspace starts with."""

from bot.playground.slack.workspace import Workspace

OTHER_TEAM_ID = "T0ELSEWHERE"


def settle(workspace: Workspace) -> None:
    """Fill an empty workspace."""
    bot = workspace.add_member("domain_tracker", is_bot=True)
    workspace.bot_user_id = bot.id
    workspace.add_member("ada", is_admin=True)
    workspace.add_member("olga", is_owner=True)
    workspace.add_member("bob")
    workspace.add_member("cy")
    workspace.add_member("gus", is_restricted=True)
    workspace.add_member("zoe", team_id=OTHER_TEAM_ID, is_stranger=True)
    staff = ("ada", "olga", "bob", "cy")
    workspace.add_channel("general", (*staff, "gus", bot.name))
    workspace.add_channel("random", staff)
    workspace.add_channel("secret", ("ada", "bob", bot.name), is_private=True)
    workspace.add_channel("hidden", ("ada", "bob"), is_private=True)
    workspace.add_channel("old", (*staff, bot.name), is_archived=True)
    workspace.add_channel("shared", (*staff, "zoe", bot.name), is_shared=True)
    workspace.add_user_group("web-team", ("ada", "bob"))
    workspace.add_user_group("security", ("olga",))
