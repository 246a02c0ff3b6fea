"""The Web API calls that the bot makes, with Slack's failures turned into ours."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.errors import SlackUnavailableError, slack_error
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Member:
    """A person as this workspace knows them.

    `is_admin` covers owners too, and admins of the organisation; guests and strangers are none.
    `is_stranger`: somebody of another workspace, met in a shared channel.
    """

    user_id: str
    name: str
    is_admin: bool
    is_stranger: bool


@asynccontextmanager
async def slack_errors() -> AsyncIterator[None]:
    """Turn what the SDK raises inside the block into a SlackError."""
    try:
        yield
    except SlackApiError as error:
        code, retry_after_s = str(error.response.get("error", "")), 1.0
        if error.response.status_code == 429:
            code, retry_after_s = "ratelimited", _seconds(error.response.headers)
        if not code or error.response.status_code >= 500:
            raise SlackUnavailableError(f"status {error.response.status_code}") from error
        raise slack_error(code, retry_after_s=retry_after_s) from error
    except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
        raise SlackUnavailableError(type(error).__name__) from error


async def fetch_member(client: AsyncWebClient, workspace: WorkspaceId, user_id: str) -> Member:
    """Return what Slack says of a person now: https://docs.slack.dev/reference/objects/user-object.

    Raises:
        SlackError: Slack did not say; then nobody may be taken for an admin.
    """
    async with slack_errors():
        user: Mapping[str, Any] = (await client.users_info(user=user_id))["user"]
    in_org: Mapping[str, Any] = user.get("enterprise_user") or {}
    profile: Mapping[str, Any] = user.get("profile") or {}
    is_guest = bool(user.get("is_restricted") or user.get("is_ultra_restricted"))
    is_stranger = bool(user.get("is_stranger")) or not _belongs(user, in_org, workspace)
    is_admin = any(who.get(flag) for who in (user, in_org) for flag in ("is_admin", "is_owner"))
    is_person = not (user.get("deleted") or user.get("is_bot") or is_guest or is_stranger)
    name = profile.get("display_name") or user.get("real_name") or user.get("name") or "somebody"
    return Member(user_id, str(name), is_admin and is_person, is_stranger)


def _belongs(user: Mapping[str, Any], in_org: Mapping[str, Any], workspace: WorkspaceId) -> bool:
    """`is_stranger` is not set for everybody of another workspace, but their team differs.

    Inside an organisation people of its other workspaces belong.
    """
    if workspace.enterprise_id and in_org.get("enterprise_id") == workspace.enterprise_id:
        return True
    return user.get("team_id") in {None, workspace.team_id}


async def open_form(client: AsyncWebClient, trigger_id: str, form: Mapping[str, Any]) -> str:
    """Open `form` for whoever pressed; return the view's id.

    Raises:
        TriggerExpiredError: the press is older than 3 s, or has opened a form already.
        SlackError: Slack refused or did not answer.
    """
    async with slack_errors():
        answer = await client.views_open(trigger_id=trigger_id, view=dict(form))
    return str(answer["view"]["id"])


async def update_form(client: AsyncWebClient, view_id: str, form: Mapping[str, Any]) -> None:
    """Put `form` in the place of an open one; raise SlackError."""
    async with slack_errors():
        await client.views_update(view_id=view_id, view=dict(form))


async def send_direct(client: AsyncWebClient, user_id: str, message: Mapping[str, Any]) -> None:
    """Send a person a direct message from the bot; raise SlackError."""
    async with slack_errors():
        opened = await client.conversations_open(users=user_id)
        await client.chat_postMessage(
            channel=opened["channel"]["id"], unfurl_links=False, unfurl_media=False, **message
        )


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


def _seconds(headers: Mapping[str, Any]) -> float:
    value = str(headers.get("Retry-After") or headers.get("retry-after") or "")
    return float(value) if value.isdecimal() else 1.0
