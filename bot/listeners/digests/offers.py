"""What the menus in a digest's form offer while somebody types."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from bot.digests.desk import Desk
from bot.digests.zones import suggest_zones
from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.message import Block
from bot.slack.groups import UserGroups
from bot.views.digests.draft import GROUP_FIELD, LABEL_FIELD, ZONE_FIELD
from bot.views.digests.inputs import zone_option
from bot.views.digests.mentions import group_options, rule_label_options


class DigestOffers:
    """The listeners that fill those menus. Where nobody answers in time, they stay empty."""

    def __init__(self, *, desk: Desk, groups: UserGroups, clock: Callable[[], datetime]) -> None:
        self._desk = desk
        self._groups = groups
        self._clock = clock

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_options(ZONE_FIELD, self.offer_zones)
        dispatcher.on_options(LABEL_FIELD, self.offer_labels)
        dispatcher.on_options(GROUP_FIELD, self.offer_groups)

    async def offer_zones(self, _conversation: Conversation, typed: str) -> list[Block]:
        """Offer the time zones that were meant."""
        now = self._clock()
        names = await asyncio.to_thread(suggest_zones, typed, now)
        return [zone_option(name, now) for name in names]

    async def offer_labels(self, conversation: Conversation, typed: str) -> list[Block]:
        """Offer the tags and folders in use, and what was typed."""
        return rule_label_options(await self._desk.labels(conversation.workspace), typed)

    async def offer_groups(self, conversation: Conversation, typed: str) -> list[Block]:
        """Offer the user groups; none where the bot may not ask for them."""
        groups = await self._groups.listed(conversation.client, conversation.workspace)
        return group_options((group for group in groups if not group.is_disabled), typed)
