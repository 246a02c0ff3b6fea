"""Slack's calls about channels and their members.

Both lists come in pages; when Slack asks for less haste, its next page is waited for.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.client import slack_errors
from bot.slack.errors import MissingScopeError, SlackRateLimitedError
from bot.workspace import WorkspaceId

# Slack takes at most 999 at once, and may return fewer:
# https://docs.slack.dev/reference/methods/conversations.members
PAGE_SIZE = 999
MAX_PAGES = 50


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel or a direct message; the latter has no `name`.

    `has_bot`: the bot is in it. `is_shared`: with another company, over Slack Connect.
    """

    channel_id: str
    name: str
    is_private: bool
    is_archived: bool
    has_bot: bool
    is_shared: bool


async def fetch_channel(client: AsyncWebClient, channel_id: str) -> Channel:
    """Return what Slack says of a channel now.

    https://docs.slack.dev/reference/objects/conversation-object

    Raises:
        ChannelClosedError: it is gone, or private and without the bot.
        MissingScopeError: the bot may not ask; `channels:read` or `groups:read` is lacking.
        SlackError: Slack did not say.
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
    """Tell whether a person is in a channel.

    Only the first 50 pages of members are read, almost 50,000 people: whoever comes later counts
    as absent, so that nobody is let in by a guess.

    Raises:
        SlackError: as for `fetch_channel`.
    """
    cursor = ""
    async with slack_errors():
        for _page in range(MAX_PAGES):
            answer = await client.conversations_members(
                channel=channel_id, limit=PAGE_SIZE, cursor=cursor or None
            )
            if user_id in (answer.get("members") or ()):
                return True
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return False
    return False


# "We recommend no more than 200 results at a time":
# https://docs.slack.dev/reference/methods/users.conversations
MEMBERS_PAGE_SIZE = 200
KINDS = ("public_channel,private_channel", "public_channel", "private_channel")
MAX_IN_CHARGE = 5
MAX_WAITS = 5  # for one page
LONGEST_WAIT_S = 60
Sleep = Callable[[float], Awaitable[object]]


async def fetch_own_channels(
    client: AsyncWebClient, workspace: WorkspaceId, *, limit: int, sleep: Sleep = asyncio.sleep
) -> list[str]:
    """Return the ids of at most `limit` channels that the bot is in and that are not archived.

    Raises:
        MissingScopeError: both `channels:read` and `groups:read` are lacking.
        SlackError: Slack did not say.
    """
    for kinds in KINDS[:-1]:
        try:
            return await _own_channels(client, workspace, kinds, limit, sleep)
        except MissingScopeError:
            continue  # one of the two scopes is enough to find some
    return await _own_channels(client, workspace, KINDS[-1], limit, sleep)


async def fetch_admins(
    client: AsyncWebClient, workspace: WorkspaceId, *, sleep: Sleep = asyncio.sleep
) -> list[str]:
    """Return the ids of at most five people: the primary owner, then owners, then admins.

    At most 50 pages are read, 10,000 people, until the primary owner is found.

    Raises:
        MissingScopeError: `users:read` is lacking.
        SlackError: Slack did not say.
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


async def _own_channels(
    client: AsyncWebClient, workspace: WorkspaceId, kinds: str, limit: int, sleep: Sleep
) -> list[str]:
    found: list[str] = []

    async def ask(cursor: str | None) -> Any:
        return await client.users_conversations(
            types=kinds,
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


async def _pages(
    ask: Callable[[str | None], Awaitable[Any]], name: str, sleep: Sleep
) -> AsyncIterator[list[Mapping[str, Any]]]:
    """Yield what each page has under `name`, at Slack's pace."""
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page, cursor = await _page(lambda: ask(cursor), name, sleep)  # noqa: B023  # called at once
        yield page
        if not cursor:
            return


async def _page(
    ask: Callable[[], Awaitable[Any]], name: str, sleep: Sleep
) -> tuple[list[Mapping[str, Any]], str | None]:
    for _ in range(MAX_WAITS):
        try:
            return await _asked(ask, name)
        except SlackRateLimitedError as error:
            if error.retry_after_s > LONGEST_WAIT_S:
                raise
            await sleep(error.retry_after_s)
    return await _asked(ask, name)


async def _asked(
    ask: Callable[[], Awaitable[Any]], name: str
) -> tuple[list[Mapping[str, Any]], str | None]:
    async with slack_errors():
        answer = await ask()
        following = (answer.get("response_metadata") or {}).get("next_cursor")
        return list(answer.get(name) or ()), following or None


def _rank(user: Mapping[str, Any]) -> int | None:
    """Return 0 for the primary owner, 1 for owners, 2 for admins; `None` for everybody else.

    https://docs.slack.dev/reference/objects/user-object
    """
    if user.get("deleted") or user.get("is_bot") or user.get("is_stranger"):
        return None
    flags = ("is_primary_owner", "is_owner", "is_admin")
    return next((rank for rank, flag in enumerate(flags) if user.get(flag)), None)
