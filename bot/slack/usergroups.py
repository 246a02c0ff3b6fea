"""Slack's user groups and their members, cached for a minute."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cachetools import TTLCache
from slack_sdk.web.async_client import AsyncWebClient

from bot.process.clock import seconds_now
from bot.process.workspace import WorkspaceId
from bot.slack.client import fetch_admins, fetch_member, slack_errors
from bot.slack.errors import NO_USER_GROUPS, SlackRefusedError

# Slack allows 20 calls of each method a minute, and asks for a menu's options at every letter:
# https://docs.slack.dev/reference/methods/usergroups.list
KEPT_FOR_S = 60.0
MAX_KEPT = 1_000
GROUP_ID = re.compile(r"S[A-Z0-9]+")
# aiohttp alone would wait 300 s: see `posting.py`.
ANSWERED_WITHIN_S = 10.0
# https://docs.slack.dev/reference/methods/usergroups.users.list
_GONE = NO_USER_GROUPS | {"no_such_subteam"}


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
        self._people: TTLCache[tuple[WorkspaceId, str], tuple[str, ...]] = TTLCache(
            MAX_KEPT, KEPT_FOR_S, timer=clock
        )

    async def listed(self, client: AsyncWebClient, workspace: WorkspaceId) -> list[UserGroup]:
        """Return the groups by handle."""
        known = self._listed.get(workspace)
        if known is None:
            known = self._listed[workspace] = await fetch_user_groups(client)
        return known

    async def people_in(
        self, client: AsyncWebClient, workspace: WorkspaceId, group_id: str
    ) -> tuple[str, ...]:
        """Return the user ids in a group, at most a minute old: permissions depend on them."""
        place = (workspace, group_id)
        known = self._people.get(place)
        if known is None:
            known = self._people[place] = await fetch_people_in(client, group_id)
        return known


class GroupPeople:
    """User groups and people for background work; `client_for` returns a workspace's client."""

    def __init__(
        self,
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
        groups: UserGroups,
    ) -> None:
        self._client_for = client_for
        self._groups = groups

    async def people_in(self, workspace: WorkspaceId, group_id: str) -> tuple[str, ...]:
        """Return the user ids in a group; raise SlackError."""
        client = await self._client_for(workspace)
        return await self._groups.people_in(client, workspace, group_id)

    async def is_colleague(self, workspace: WorkspaceId, user_id: str) -> bool:
        """Return whether a user is a full member of the workspace; raise SlackError."""
        client = await self._client_for(workspace)
        async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
            return (await fetch_member(client, workspace, user_id)).is_colleague

    async def admins(self, workspace: WorkspaceId, limit: int) -> tuple[str, ...]:
        """Return the ids of some admins and owners of the workspace; raise SlackError."""
        client = await self._client_for(workspace)
        async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
            return await fetch_admins(client, workspace, limit)


async def fetch_user_groups(client: AsyncWebClient) -> list[UserGroup]:
    """Return the user groups by handle; none on a plan without. Raise SlackError."""
    try:
        async with slack_errors():
            answer = await client.usergroups_list()
            groups = [_user_group(group) for group in answer.get("usergroups") or ()]
    except SlackRefusedError as error:
        if error.code not in NO_USER_GROUPS:
            raise
        return []
    return sorted(groups, key=lambda group: group.handle)


async def fetch_people_in(client: AsyncWebClient, group_id: str) -> tuple[str, ...]:
    """Return the user ids in a group; none if it is gone or disabled. Raise SlackError."""
    try:
        async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
            # Without `include_disabled` Slack returns no people of a disabled group.
            answer = await client.usergroups_users_list(usergroup=group_id)
            return tuple(str(user_id) for user_id in answer["users"] if user_id)
    except SlackRefusedError as error:
        if error.code not in _GONE:
            raise
        return ()


def _user_group(group: Mapping[str, Any]) -> UserGroup:
    """Read a user group: https://docs.slack.dev/reference/objects/usergroup-object."""
    handle = str(group.get("handle") or "")
    return UserGroup(str(group["id"]), handle, str(group.get("name") or handle))
