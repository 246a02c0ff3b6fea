"""The Web API calls that the bot makes, with Slack's failures turned into ours."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.answers import FAILURES, error_of
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Member:
    """A person as this workspace knows them.

    `is_admin` covers owners too, and admins of the organisation; guests and strangers are none.
    `is_stranger`: somebody of another workspace, met in a shared channel. `is_guest`: somebody
    who sees only some channels. `is_person`: neither a bot nor an account that was closed.
    `zone` is the IANA name of their time zone, `None` if Slack does not say.
    """

    user_id: str
    name: str
    is_admin: bool
    is_stranger: bool
    is_guest: bool = False
    is_person: bool = True
    zone: str | None = None

    @property
    def is_colleague(self) -> bool:
        """Whether they are a person of this workspace, and not one of its guests."""
        return self.is_person and not (self.is_guest or self.is_stranger)


@asynccontextmanager
async def slack_errors() -> AsyncIterator[None]:
    """Turn what the SDK raises inside the block into a SlackError."""
    try:
        yield
    except FAILURES as error:
        raise error_of(error) from error


async def fetch_member(client: AsyncWebClient, workspace: WorkspaceId, user_id: str) -> Member:
    """Return what Slack says of a person now: https://docs.slack.dev/reference/objects/user-object.

    Raises:
        SlackError: Slack did not say; then nobody may be taken for an admin.
    """
    async with slack_errors():
        user: Mapping[str, Any] = (await client.users_info(user=user_id))["user"]
        in_org: Mapping[str, Any] = _in_organisation(user, workspace)
        profile: Mapping[str, Any] = user.get("profile") or {}
        is_stranger = bool(user.get("is_stranger")) or not _belongs(user, in_org, workspace)
    is_guest = bool(user.get("is_restricted") or user.get("is_ultra_restricted"))
    is_person = not (user.get("deleted") or user.get("is_bot"))
    name = profile.get("display_name") or user.get("real_name") or user.get("name") or "somebody"
    zone = user.get("tz")
    return Member(
        user_id,
        str(name),
        is_person and not (is_guest or is_stranger) and _administers(user, in_org, workspace),
        is_stranger,
        is_guest=is_guest,
        is_person=is_person,
        zone=zone if isinstance(zone, str) and zone else None,
    )


def _in_organisation(user: Mapping[str, Any], workspace: WorkspaceId) -> Mapping[str, Any]:
    """Return what the person is in this workspace's organisation: nothing in another one's."""
    found: Mapping[str, Any] = user.get("enterprise_user") or {}
    is_ours = found.get("enterprise_id") == workspace.enterprise_id
    return found if workspace.enterprise_id and is_ours else {}


def _administers(
    user: Mapping[str, Any], in_org: Mapping[str, Any], workspace: WorkspaceId
) -> bool:
    """Whoever administers the organisation administers each of its workspaces.

    Of which workspace `is_admin` is told is said for the person's own alone; with the token of a
    whole organisation it repeats that of the organisation. An admin of another workspace of the
    same organisation is none here: https://github.com/slackapi/bolt-js/issues/1566.
    """
    is_own = workspace.enterprise_id is None or user.get("team_id") == workspace.team_id
    sides = (user, in_org) if is_own else (in_org,)
    return any(side.get(flag) is True for side in sides for flag in ("is_admin", "is_owner"))


def _belongs(user: Mapping[str, Any], in_org: Mapping[str, Any], workspace: WorkspaceId) -> bool:
    """`is_stranger` is not set for everybody of another workspace, but their team differs.

    In an organisation a person has one team and may be in several: `teams` says in which.
    """
    teams = in_org.get("teams")
    if in_org and teams is not None:
        return workspace.team_id in teams
    if in_org:
        return True
    own = {workspace.team_id} if workspace.enterprise_id else {None, workspace.team_id}
    return user.get("team_id") in own


async def open_form(client: AsyncWebClient, trigger_id: str, form: Mapping[str, Any]) -> str:
    """Open `form` for whoever pressed; return the view's id.

    Raises:
        TriggerExpiredError: the press is older than 3 s, or has opened a form already.
        SlackError: Slack refused or did not answer.
    """
    async with slack_errors():
        answer = await client.views_open(trigger_id=trigger_id, view=dict(form))
    return str(answer["view"]["id"])


async def update_form(
    client: AsyncWebClient, view_id: str, form: Mapping[str, Any], *, view_hash: str | None = None
) -> str | None:
    """Put `form` in the place of an open one; return its hash, `None` if Slack does not say.

    Raises:
        FormChangedError: it is no longer the one of `view_hash`; `None` takes it as it is.
        SlackError: Slack refused or did not answer.
    """
    async with slack_errors():
        answer = await client.views_update(view_id=view_id, view=dict(form), hash=view_hash)
    view: Mapping[str, Any] = answer.get("view") or {}
    return view.get("hash")


async def open_direct(client: AsyncWebClient, user_id: str) -> str:
    """Return the id of the bot's direct message with a person; raise SlackError."""
    async with slack_errors():
        opened = await client.conversations_open(users=user_id)
        return str(opened["channel"]["id"])


async def post_message(client: AsyncWebClient, channel_id: str, message: Mapping[str, Any]) -> str:
    """Post a message without previews of its links; return its `ts`. Raise SlackError."""
    async with slack_errors():
        posted = await client.chat_postMessage(
            channel=channel_id, unfurl_links=False, unfurl_media=False, **message
        )
    return str(posted.get("ts") or "")


async def send_direct(client: AsyncWebClient, user_id: str, message: Mapping[str, Any]) -> None:
    """Send a person a direct message from the bot; raise SlackError."""
    await post_message(client, await open_direct(client, user_id), message)


async def send_ephemeral(
    client: AsyncWebClient, channel_id: str, user_id: str, message: Mapping[str, Any]
) -> None:
    """Show a message to one person in a channel; raise SlackError."""
    async with slack_errors():
        await client.chat_postEphemeral(channel=channel_id, user=user_id, **message)


async def check_app_token(client: AsyncWebClient, app_token: str) -> None:
    """Return when Slack lets this token open a Socket Mode link; raise SlackError."""
    async with slack_errors():
        await client.apps_connections_open(app_token=app_token)
