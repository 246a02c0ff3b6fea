"""Slack's calls about channels and their members.

Lists are read page by page; those that no person waits for, at the pace that Slack asks for.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.client import slack_errors
from bot.slack.errors import SlackRateLimitedError
from bot.workspace import WorkspaceId

# Slack takes at most 999 at once, and may return fewer:
# https://docs.slack.dev/reference/methods/conversations.members
PAGE_SIZE = 999
MAX_PAGES = 50


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

    Raise ChannelClosedError if it is gone, or private and without the bot; MissingScopeError;
    SlackError.
    """
    async with slack_errors():
        channel: Mapping[str, Any] = (await client.conversations_info(channel=channel_id))[
            "channel"
        ]
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

    async def ask(cursor: str | None) -> Any:
        return await client.conversations_members(
            channel=channel_id, limit=PAGE_SIZE, cursor=cursor
        )

    async for members in _pages(ask, "members", None):
        if user_id in members:
            return True
    return False


# "We recommend no more than 200 results at a time":
# https://docs.slack.dev/reference/methods/users.conversations
MEMBERS_PAGE_SIZE = 200
MAX_IN_CHARGE = 5
LONGEST_WAIT_S = 60
Sleep = Callable[[float], Awaitable[object]]


async def fetch_own_channels(
    client: AsyncWebClient, workspace: WorkspaceId, *, limit: int, sleep: Sleep = asyncio.sleep
) -> list[str]:
    """Return at most `limit` ids of open channels that the bot is in; raise SlackError."""
    found: list[str] = []

    async def ask(cursor: str | None) -> Any:
        return await client.users_conversations(
            types="public_channel,private_channel",
            exclude_archived=True,
            limit=MEMBERS_PAGE_SIZE,
            cursor=cursor,
            team_id=workspace.team_id,
        )

    async for channels in _pages(ask, "channels", sleep):
        found += [str(channel["id"]) for channel in channels]
        if len(found) >= limit:
            break
    return found[:limit]


async def fetch_admins(
    client: AsyncWebClient, workspace: WorkspaceId, *, sleep: Sleep = asyncio.sleep
) -> list[str]:
    """Return the ids of five owners and admins, the primary owner first; raise SlackError.

    At most 10,000 people are read.
    """
    ranked: list[tuple[int, str]] = []

    async def ask(cursor: str | None) -> Any:
        return await client.users_list(
            limit=MEMBERS_PAGE_SIZE, cursor=cursor, team_id=workspace.team_id
        )

    async for users in _pages(ask, "members", sleep):
        ranked += [(rank, str(user["id"])) for user in users if (rank := _rank(user)) is not None]
        if any(rank == 0 for rank, _ in ranked):
            break
    return [user_id for _, user_id in sorted(ranked)[:MAX_IN_CHARGE]]


async def _pages(
    ask: Callable[[str | None], Awaitable[Any]], name: str, sleep: Sleep | None
) -> AsyncIterator[list[Any]]:
    """Yield the list called `name` of each page, in at most so many calls.

    Without `sleep` no rate limit is waited for.
    """
    cursor: str | None = None
    for calls_left in reversed(range(MAX_PAGES)):
        try:
            async with slack_errors():
                answer = await ask(cursor)
                page = list(answer.get(name) or ())
                cursor = (answer.get("response_metadata") or {}).get("next_cursor")
        except SlackRateLimitedError as error:
            if not (sleep and calls_left) or error.retry_after_s > LONGEST_WAIT_S:
                raise
            await sleep(error.retry_after_s)
        else:
            yield page
            if not cursor:
                return


def _rank(user: Mapping[str, Any]) -> int | None:
    """Return 0 for the primary owner, 1 for owners, 2 for admins, `None` for others.

    https://docs.slack.dev/reference/objects/user-object
    """
    if user.get("deleted") or user.get("is_bot") or user.get("is_stranger"):
        return None
    flags = ("is_primary_owner", "is_owner", "is_admin")
    return next((rank for rank, flag in enumerate(flags) if user.get(flag)), None)
