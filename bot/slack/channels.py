"""Slack's calls about channels and their members."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.client import slack_errors

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
