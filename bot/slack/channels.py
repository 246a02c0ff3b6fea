"""What Slack says of channels, and of who is in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.calls import slack_errors

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
