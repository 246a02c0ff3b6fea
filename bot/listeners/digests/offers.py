"""What the menus in a digest's form offer while somebody types."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from cachetools import LRUCache

from bot.digests.desk import Desk
from bot.digests.zones import suggest_zones
from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.message import Block
from bot.slack.channels import UserGroup, fetch_user_groups
from bot.slack.errors import SlackError
from bot.views.digests.draft import GROUP_FIELD, LABEL_FIELD, ZONE_FIELD
from bot.views.digests.inputs import zone_option
from bot.views.digests.mentions import group_options, rule_label_options
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# Slack asks at every letter, and takes 20 such calls a minute:
# https://docs.slack.dev/reference/methods/usergroups.list
KEPT_FOR = timedelta(seconds=60)
MAX_WORKSPACES = 1_000

Known = tuple[datetime, list[UserGroup]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestOffers:
    """The listeners that fill those menus. Where nobody answers in time, they stay empty."""

    desk: Desk
    clock: Callable[[], datetime]
    _groups: LRUCache[WorkspaceId, Known] = field(default_factory=lambda: LRUCache(MAX_WORKSPACES))

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_options(ZONE_FIELD, self.offer_zones)
        dispatcher.on_options(LABEL_FIELD, self.offer_labels)
        dispatcher.on_options(GROUP_FIELD, self.offer_groups)

    async def offer_zones(self, _conversation: Conversation, typed: str) -> list[Block]:
        """Offer the time zones that were meant."""
        now = self.clock()
        names = await asyncio.to_thread(suggest_zones, typed, now)
        return [zone_option(name, now) for name in names]

    async def offer_labels(self, conversation: Conversation, typed: str) -> list[Block]:
        """Offer the tags and folders in use, and what was typed."""
        return rule_label_options(await self.desk.labels(conversation.workspace), typed)

    async def offer_groups(self, conversation: Conversation, typed: str) -> list[Block]:
        """Offer the user groups; none where the bot may not ask for them."""
        return group_options(await self._known_groups(conversation), typed)

    async def _known_groups(self, conversation: Conversation) -> list[UserGroup]:
        """The groups as they were within a minute; when Slack says no, as they were last."""
        workspace, now = conversation.workspace, self.clock()
        known = self._groups.get(workspace)
        if known and now - known[0] < KEPT_FOR:
            return known[1]
        try:
            groups = await fetch_user_groups(conversation.client)
        except SlackError as error:
            if known is None:
                raise
            logger.warning("user groups of some time ago", error=repr(error))
            return known[1]
        self._groups[workspace] = now, groups
        return groups
