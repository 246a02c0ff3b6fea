"""A key from a form, proved and used, or why it is not."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from bot.admin.custody import KeyCustody, Tried
from bot.digests.desk import Desk
from bot.errors import BotError, NotAllowedError
from bot.keys import Keys, KeySlots
from bot.listeners.conversation import Conversation
from bot.listeners.kept import KeptRuns
from bot.listeners.key_form import GivenKey
from bot.listeners.key_screen import KeyScreen
from bot.listeners.rights import Rights
from bot.message import Block, Message
from bot.store.errors import StoreError
from bot.views.blocks import section
from bot.views.key_form import KeyFormValues, refused_form
from bot.views.key_label import proposed_label

# The form again: its metadata, what was filled in, why it was not saved, the keys there are.
Draw = Callable[[str, KeyFormValues, str | None, KeySlots | None], Block]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTaking:
    """What setting a key and rotating it have in common."""

    rights: Rights
    keys: Keys
    custody: KeyCustody
    kept: KeptRuns
    desk: Desk
    screen: KeyScreen
    clock: Callable[[], datetime]

    async def take(
        self,
        conversation: Conversation,
        given: GivenKey,
        draw: Draw,
        *,
        is_rotation: bool = False,
    ) -> Tried | None:
        """Set a key; `None`: it was not, and the person was told why."""
        try:
            member = await self.rights.require_configurer(conversation)
            return await self.custody.set_key(
                conversation.workspace,
                given.draft(self.clock().date()),
                by=member.user_id,
                is_rotation=is_rotation,
            )
        except NotAllowedError as error:
            await self.screen.show_failure(conversation, error, refused_form)
        except BotError as error:
            sentence = (await self.screen.explained(conversation, error)).text
            in_use = await self._known_slots(conversation)
            form = draw(conversation.as_metadata(), given.values, sentence, in_use)
            told = f"The key was not saved. {sentence}"
            await self.screen.show(conversation, form, Message(told, (section(told),)))
        return None

    async def run_waiting(self, conversation: Conversation) -> None:
        """Run what waited for a key."""
        await self.kept.run_all(conversation.workspace, conversation.client)
        await self.desk.wake(conversation.workspace)

    async def _known_slots(self, conversation: Conversation) -> KeySlots | None:
        """The keys there are, as far as the store says: why one was not saved is said anyway."""
        try:
            return await self.keys.slots(conversation.workspace)
        except StoreError:
            return None


def values_of(slots: KeySlots | None, today: date) -> KeyFormValues:
    """Return what the form proposes: the same as for the key in use, under another name."""
    if slots is None:
        return KeyFormValues()
    return KeyFormValues(label=proposed_label(slots, today), scopes=slots.record.scopes)
