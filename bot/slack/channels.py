"""Slack's calls about channels, their members, and user groups."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cachetools import TTLCache
from slack_sdk.web.async_client import AsyncWebClient

from bot.process.clock import seconds_now
from bot.process.workspace import WorkspaceId
from bot.slack.client import slack_errors
from bot.slack.errors import NO_USER_GROUPS, SlackRefusedError

# Slack takes at most 999 at once, and may return fewer:
# https://docs.slack.dev/reference/methods/conversations.members
PAGE_SIZE = 999
MAX_PAGES = 50
# Slack allows 20 calls of each method a minute, and asks for a menu's options at every letter:
# https://docs.slack.dev/reference/methods/usergroups.list
KEPT_FOR_S = 60.0
MAX_KEPT = 1_000
GROUP_ID = re.compile(r"S[A-Z0-9]+")


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, or a direct message, which has no `name`.

    `is_shared`: with another company, over Slack Connect.
    """

    channel_id: str
    name: str
    is_private: bool
    is_archived: bool
    has_bot: bool
    is_shared: bool


async def fetch_channel(client: AsyncWebClient, channel_id: str) -> Channel:
    """Return a channel: https://docs.slack.dev/reference/objects/conversation-object.

    Raise SlackError; ChannelClosedError: it is gone, or private and without the bot.
    """
    async with slack_errors():
        response = await client.conversations_info(channel=channel_id)
        channel: Mapping[str, Any] = response["channel"]
        is_direct = bool(channel.get("is_im"))
        return Channel(
            channel_id=channel_id,
            name=str(channel.get("name") or ""),
            is_private=is_direct or bool(channel.get("is_private")),
            is_archived=bool(channel.get("is_archived")),
            has_bot=is_direct or bool(channel.get("is_member")),
            is_shared=bool(channel.get("is_ext_shared")),
        )


async def is_in_channel(client: AsyncWebClient, channel_id: str, user_id: str) -> bool:
    """Return whether a person is in a channel, as `fetch_channel` raises.

    Members after the first 50,000 count as absent: access must not depend on a guess.
    """
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        async with slack_errors():
            response = await client.conversations_members(
                channel=channel_id, limit=PAGE_SIZE, cursor=cursor
            )
            members = list(response.get("members") or ())
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
        if user_id in members:
            return True
        if not cursor:
            return False
    return False


@dataclass(frozen=True, slots=True)
class UserGroup:
    """A user group; `handle` comes without the `@`."""

    group_id: str
    handle: str
    name: str


class UserGroups:
    """The user groups of workspaces, each fetched at most once a minute.

    The client of an organisation's installation needs a `team_id`, which the SDK adds to each
    call. Every method may raise MissingScopeError (`usergroups:read`) and SlackError.
    """

    def __init__(self, *, clock: Callable[[], float] = seconds_now) -> None:
        self._listed: TTLCache[WorkspaceId, list[UserGroup]] = TTLCache(
            MAX_KEPT, KEPT_FOR_S, timer=clock
        )

    async def listed(self, client: AsyncWebClient, workspace: WorkspaceId) -> list[UserGroup]:
        if (known := self._listed.get(workspace)) is None:
            known = self._listed[workspace] = await fetch_user_groups(client)
        return known


async def fetch_user_groups(client: AsyncWebClient) -> list[UserGroup]:
    """Return the user groups by handle; none on a plan without. Raise SlackError."""
    try:
        async with slack_errors():
            response = await client.usergroups_list()
            groups = [_user_group(group) for group in response.get("usergroups") or ()]
    except SlackRefusedError as error:
        if error.code not in NO_USER_GROUPS:
            raise
        return []
    return sorted(groups, key=lambda group: group.handle)


def _user_group(group: Mapping[str, Any]) -> UserGroup:
    """Read a user group: https://docs.slack.dev/reference/objects/usergroup-object."""
    handle = str(group.get("handle") or "")
    return UserGroup(str(group["id"]), handle, str(group.get("name") or handle))
