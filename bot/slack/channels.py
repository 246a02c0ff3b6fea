"""What Slack says of channels, of who is in them, and of user groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.calls import slack_errors
from bot.slack.codes import NO_USER_GROUPS
from bot.slack.errors import SlackRefusedError

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


@dataclass(frozen=True, slots=True)
class UserGroup:
    """People who can be mentioned at once; `handle` comes without the `@`."""

    group_id: str
    handle: str
    name: str


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


async def fetch_user_groups(client: AsyncWebClient) -> list[UserGroup]:
    """Return the user groups that are in use, by handle; none on a plan that has no user groups.

    The client of an organisation's installation needs a `team_id`, which the SDK adds to each
    call: https://docs.slack.dev/reference/methods/usergroups.list.

    Raises:
        MissingScopeError: `usergroups:read` is lacking.
        SlackError: Slack did not say.
    """
    try:
        async with slack_errors():
            answer = await client.usergroups_list()
            groups = [_user_group(group) for group in answer.get("usergroups") or ()]
    except SlackRefusedError as error:
        if error.code not in NO_USER_GROUPS:
            raise
        return []
    return sorted(groups, key=lambda group: group.handle)


def _user_group(group: Mapping[str, Any]) -> UserGroup:
    handle = str(group.get("handle") or "")
    return UserGroup(str(group["id"]), handle, str(group.get("name") or handle))
