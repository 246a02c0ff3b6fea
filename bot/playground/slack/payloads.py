"""The payloads that Slack sends when somebody does something, and when something happens.

https://docs.slack.dev/interactivity/implementing-slash-commands,
https://docs.slack.dev/reference/interaction-payloads and https://docs.slack.dev/apis/events-api,
compared with https://github.com/slackapi/java-slack-sdk/tree/main/json-logs/samples.
"""

import re
from collections.abc import Iterable

from bot.playground.slack import block_contents
from bot.playground.slack.app import App
from bot.playground.slack.block_contents import Found, Json
from bot.playground.slack.installations import Installation
from bot.playground.slack.methods.chat import message_json, view_json
from bot.playground.slack.model import Channel, Member, Message, View
from bot.playground.slack.universe import WorkspaceState


def home_opened(world: WorkspaceState, who: Member, tab: str = "home") -> Json:
    """Return the event of opening the app's Home tab, or its tab of `messages`.

    https://docs.slack.dev/reference/events/app_home_opened
    """
    workspace = world.workspace
    event: Json = {
        "type": "app_home_opened",
        "user": who.id,
        "channel": workspace.direct_message(who).id,
        "event_ts": workspace.new_ts(),
        "tab": tab,
    }
    # "The view will only be present if the user has opened … the Home tab" and it was published.
    if tab == "home" and (view := world.stacks.homes.get(who.id)):
        event["view"] = view_json(world, view)
    return of_workspace(world, event)


def joined_channel(world: WorkspaceState, channel: Channel) -> Json:
    """Return the event of the app's own user joining a channel.

    https://docs.slack.dev/reference/events/member_joined_channel
    """
    return {
        "type": "member_joined_channel",
        "user": world.workspace.bot_user_id,
        "channel": channel.id,
        "channel_type": "C",
        "team": world.workspace.team_id,
        "event_ts": world.workspace.new_ts(),
    }


def of_message(
    world: WorkspaceState, kind: str, message: Message, before: Message | None
) -> Json | None:
    """Return the event of a change ("added", "changed", "removed"); None: the app gets none.

    https://docs.slack.dev/reference/events/message.im and
    https://docs.slack.dev/reference/events/app_mention. An edited mention comes again:
    https://github.com/slack-go/slack/pull/1256.
    """
    channel, bot_user_id = (
        world.workspace.channels[message.channel_id],
        world.workspace.bot_user_id,
    )
    heard = {
        event
        for event, scope in _SCOPE_OF_EVENT.items()
        if event in world.app.settings.events and scope in world.scopes
    }
    at = {"channel": channel.id, "event_ts": message.edited_ts or message.ts}
    if message.is_ephemeral or bot_user_id not in channel.members:
        return None
    if channel.is_im and "message.im" in heard:
        shown = _message_event(world, kind, message, before)
        return of_workspace(world, {**shown, **at, "channel_type": "im"})
    is_mention = f"<@{bot_user_id}>" in message.mentions and message.user != bot_user_id
    if channel.is_im or kind == "removed" or not is_mention or "app_mention" not in heard:
        return None
    return of_workspace(world, {**message_json(world, message), **at, "type": "app_mention"})


_SCOPE_OF_EVENT = {"message.im": "im:history", "app_mention": "app_mentions:read"}


def _message_event(
    world: WorkspaceState, kind: str, message: Message, before: Message | None
) -> Json:
    if before is None:
        return message_json(world, message)
    event: Json = {"type": "message", "hidden": True, "ts": world.workspace.new_ts()}
    event["previous_message"] = message_json(world, before)
    if kind == "removed":
        return {**event, "subtype": "message_deleted", "deleted_ts": message.ts}
    return {**event, "subtype": "message_changed", "message": message_json(world, message)}


def of_workspace(world: WorkspaceState, event: Json, *, event_id: str | None = None) -> Json:
    """Return the payload of an event that happens now in a workspace."""
    enterprise_id = world.enterprise_id
    within = {"team_id": world.workspace.team_id}
    if enterprise_id:
        within["enterprise_id"] = enterprise_id
    payload = _wrapped(world.app, within, event, event_id)
    if world.installation is None:
        return payload
    authorization = {
        "enterprise_id": enterprise_id,
        "team_id": None if world.is_org_wide else world.workspace.team_id,
        "user_id": world.workspace.bot_user_id,
        "is_bot": True,
        "is_enterprise_install": world.is_org_wide,
    }
    return {**payload, "authorizations": [authorization], "is_ext_shared_channel": False}


def of_installation(app: App, installation: Installation, event: Json) -> Json:
    """Return the payload of an event that concerns the installation itself.

    It names no authorizations, and for an organisation no workspace: see Bolt's own samples,
    https://github.com/slackapi/bolt-python/blob/main/tests/scenario_tests_async/test_events_token_revocations.py.
    """
    within = {} if installation.is_org_wide else {"team_id": installation.home_id}
    if installation.enterprise_id:
        within["enterprise_id"] = installation.enterprise_id
    return _wrapped(app, within, event)


def team_access(
    app: App, installation: Installation, change: str, team_ids: Iterable[str]
) -> Json:
    """Return the event of giving the app to workspaces (`granted`) or taking it (`revoked`).

    https://docs.slack.dev/reference/events/team_access_granted nests the event twice; what is
    really sent is in https://github.com/slackapi/bolt-python/blob/main/tests/scenario_tests_async/test_events_org_apps.py.
    """
    event_ts = f"{app.clock():.6f}"
    named = {"type": f"team_access_{change}", "team_ids": list(team_ids), "event_ts": event_ts}
    return of_installation(app, installation, named)


def _wrapped(app: App, within: dict[str, str], event: Json, event_id: str | None = None) -> Json:
    return {
        "token": app.verification_token,
        **within,
        "api_app_id": app.id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id or app.new_event_id(),
        "event_time": int(app.clock()),
        "event_context": "4-local",
    }


_URL = r"https?://(?:(?!&[lg]t;)[^\s<>|])+"
_BARE_DOMAIN = r"(?<![\w@.&;:/-])(?:[a-zA-Z0-9-]{1,63}\.)+[a-zA-Z]{2,63}(?![\w@-])"
_TYPED = re.compile(rf"(?P<url>{_URL})|(?P<bare>{_BARE_DOMAIN})|(?<!\w)(?P<name>[@#][\w.-]+)")


def escaped(world: WorkspaceState, typed: str, *, is_message: bool = False) -> str:
    """Return typed text as Slack stores it: escaped, with links and names marked up.

    In a message a bare domain becomes a link, too.
    """
    text = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _TYPED.sub(lambda match: _marked_up(world, match, links=is_message), text)


def _marked_up(world: WorkspaceState, match: re.Match[str], *, links: bool) -> str:
    words = match[0]
    if match["url"]:
        return f"<{words}>"
    if match["bare"]:
        return f"<http://{words}|{words}>" if links else words
    for member in world.workspace.members.values():
        if words == f"@{member.name}":
            return f"<@{member.id}>"
    channel = world.workspace.channel_named(words) if words[0] == "#" else None
    if channel is None:
        return words
    return f"<#{channel.id}|{'' if channel.is_private else channel.name}>"


def command(world: WorkspaceState, who: Member, where: Channel, name: str, text: str) -> Json:
    """Return the form of a slash command; every value is a string."""
    workspace, org = world.workspace, world.org
    typed = f"{name} {text}".strip()
    return {
        "token": world.app.verification_token,
        "team_id": workspace.team_id,
        "team_domain": workspace.domain,
        **({"enterprise_id": org.id, "enterprise_name": org.name} if org else {}),
        "channel_id": where.id,
        "channel_name": "privategroup" if where.is_private else where.name,
        "user_id": who.id,
        "user_name": who.name,
        "command": name,
        "text": text,
        "api_app_id": workspace.app_id,
        "is_enterprise_install": "true" if world.is_org_wide else "false",
        "response_url": world.response_urls.give(who.id, where.id, command=typed),
        "trigger_id": world.triggers.give(who.id, where.id, None),
    }


def _interaction(
    world: WorkspaceState, kind: str, who: Member, where: Message | View | None
) -> Json:
    workspace, org = world.workspace, world.org
    team = {"id": workspace.team_id, "domain": workspace.domain}
    if org:
        team |= {"enterprise_id": org.id, "enterprise_name": org.name}
    # "With org-wide installations, payload.team in interactivity payloads can be None", Bolt says
    # (https://github.com/slackapi/bolt-python/blob/main/slack_bolt/request/internals.py): so it
    # is here for views and global shortcuts, which belong to no channel, so to no one workspace.
    is_nowhere = world.is_org_wide and not isinstance(where, Message)
    return {
        "type": kind,
        "user": {"id": who.id, "username": who.name, "name": who.name, "team_id": who.team_id},
        "api_app_id": workspace.app_id,
        "token": world.app.verification_token,
        "team": None if is_nowhere else team,
        "enterprise": {"id": org.id, "name": org.name} if org else None,
        "is_enterprise_install": world.is_org_wide,
    }


def _place(world: WorkspaceState, where: Message | View) -> Json:
    """Return the part that says in which message or view it happened."""
    if isinstance(where, View):
        return {
            "container": {"type": "view", "view_id": where.id},
            "view": view_json(world, where),
        }
    channel = world.workspace.channels[where.channel_id]
    container = {
        "type": "message",
        "message_ts": where.ts,
        "channel_id": channel.id,
        "is_ephemeral": where.is_ephemeral,
        **({"thread_ts": where.thread_ts} if where.thread_ts else {}),
    }
    shown = {"id": channel.id, "name": "privategroup" if channel.is_private else channel.name}
    # An ephemeral message itself is not sent back.
    message = {} if where.is_ephemeral else {"message": message_json(world, where)}
    return {"container": container, "channel": shown, **message}


def shortcut(world: WorkspaceState, who: Member, where: Channel, callback_id: str) -> Json:
    """Return what a global shortcut sends: not where the person was, and no response_url.

    https://docs.slack.dev/interactivity/implementing-shortcuts
    """
    return {
        **_interaction(world, "shortcut", who, None),
        "callback_id": callback_id,
        "action_ts": world.workspace.new_ts(),
        "trigger_id": world.triggers.give(who.id, where.id, None),
    }


def message_shortcut(world: WorkspaceState, who: Member, where: Message, callback_id: str) -> Json:
    place = _place(world, where)
    return {
        **_interaction(world, "message_action", who, where),
        "callback_id": callback_id,
        "action_ts": world.workspace.new_ts(),
        "trigger_id": world.triggers.give(who.id, where.channel_id, None),
        "response_url": world.response_urls.give(who.id, where.channel_id),
        "message_ts": where.ts,
        "channel": place["channel"],
        "message": place["message"],
    }


def block_actions(
    world: WorkspaceState, who: Member, where: Message | View, found: Found, done: Json
) -> Json:
    """Return what pressing or choosing sends; `done` is the new state of the element."""
    unsent = {"options", "min_query_length", "accessibility_label"}
    action = {key: value for key, value in found.element.items() if key not in unsent}
    block_id, action_id = found.key
    at = {"action_id": action_id, "block_id": block_id, "action_ts": world.workspace.new_ts()}
    payload = {
        **_interaction(world, "block_actions", who, where),
        **_place(world, where),
        "actions": [{**action, **done, **at}],
    }
    if isinstance(where, View):
        payload["trigger_id"] = world.triggers.give(who.id, where.channel_id, where.id)
        return payload
    payload["state"] = {"values": block_contents.state_values(where.blocks, where.typed)}
    payload["trigger_id"] = world.triggers.give(who.id, where.channel_id, None)
    payload["response_url"] = world.response_urls.give(who.id, where.channel_id, target=where)
    return payload


def block_suggestion(
    world: WorkspaceState, who: Member, where: Message | View, found: Found, query: str
) -> Json:
    """Return what typing into an external select sends: of a message only its place."""
    block_id, action_id = found.key
    return {
        **_interaction(world, "block_suggestion", who, where),
        **{name: part for name, part in _place(world, where).items() if name != "message"},
        "action_id": action_id,
        "block_id": block_id,
        "value": query,
    }


def view_submission(world: WorkspaceState, who: Member, view: View) -> Json:
    return {
        **_interaction(world, "view_submission", who, view),
        "trigger_id": world.triggers.give(who.id, view.channel_id, view.id),
        "view": view_json(world, view),
        "response_urls": [],
    }
