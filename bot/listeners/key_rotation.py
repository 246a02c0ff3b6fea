"""The form that leads through the rotation of the workspace's key, one view redrawn in place."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.errors import BotError
from bot.keys import EarlierKey, KeySlots, NoEarlierKeyError, NoKeyError
from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.key_form import GivenKey, read_key_form
from bot.listeners.key_taking import KeyTaking, values_of
from bot.message import Block, Message
from bot.slack.calls import open_form
from bot.views.key import ROTATE_KEY, saved_message
from bot.views.key_form import KeyFormValues
from bot.views.key_rotation import (
    DELETED_IT,
    GO_ON,
    MADE_IT,
    ROTATION_FORM,
    STANDS_STILL,
    checking_step,
    finished,
    first_step,
    fourth_step,
    interrupted,
    second_step,
    third_step,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RotationListeners:
    """The listeners of the form. Each of them checks the person's rights anew."""

    taking: KeyTaking

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(ROTATE_KEY, self.open_rotation)
        dispatcher.on_press(MADE_IT, self.ask_for_key)
        dispatcher.on_form(ROTATION_FORM, read_key_form, self.swap, meanwhile=checking_step)
        dispatcher.on_press(GO_ON, self.go_on)
        dispatcher.on_press(STANDS_STILL, self.ask_to_delete)
        dispatcher.on_press(DELETED_IT, self.finish)

    async def open_rotation(self, conversation: Conversation, _value: str) -> None:
        """Open the form that leads through the rotation of the key."""
        await self.taking.rights.require_configurer(conversation)
        slots = await self._slots(conversation)
        form = first_step(slots, self._values(slots).label, conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def ask_for_key(self, conversation: Conversation, _value: str) -> None:
        """Show the second step: the new key goes in."""

        async def form() -> Block:
            slots = await self._slots(conversation)
            return second_step(conversation.as_metadata(), self._values(slots), None, slots)

        await self._redraw(conversation, form)

    async def swap(self, conversation: Conversation, given: GivenKey) -> None:
        """Prove the new key, use it at once, and show the third step."""
        tried = await self.taking.take(conversation, given, second_step, is_rotation=True)
        if tried is None:
            return
        saved = saved_message(tried.record, tried.domains)
        if tried.slots.earlier is None:  # it was removed meanwhile: there is no old one to delete
            await self.taking.screen.show(conversation, interrupted(saved.text), saved)
        else:
            form = third_step(
                tried.record, tried.slots.earlier, tried.domains, conversation.as_metadata()
            )
            await self.taking.screen.show(conversation, form, saved)
        await self.taking.run_waiting(conversation)

    async def go_on(self, conversation: Conversation, mark: str) -> None:
        """Show the third step of a rotation that was left there."""

        async def form() -> Block:
            slots = await self._slots(conversation)
            earlier = _earlier(slots, mark)
            return third_step(slots.record, earlier, None, conversation.as_metadata())

        await self._redraw(conversation, form)

    async def ask_to_delete(self, conversation: Conversation, mark: str) -> None:
        """Show the fourth step: the old key is deleted in the service."""

        async def form() -> Block:
            earlier = _earlier(await self._slots(conversation), mark)
            return fourth_step(earlier, conversation.as_metadata())

        await self._redraw(conversation, form)

    async def finish(self, conversation: Conversation, mark: str) -> None:
        """Forget the old key: it was deleted."""

        async def form() -> Block:
            by = conversation.origin.user_id
            await self.taking.custody.forget_earlier(conversation.workspace, mark, by=by)
            return finished((await self._slots(conversation)).record)

        await self._redraw(conversation, form)

    async def _redraw(
        self, conversation: Conversation, draw: Callable[[], Awaitable[Block]]
    ) -> None:
        """Show the next step, or in its place why there is none."""
        try:
            await self.taking.rights.require_configurer(conversation)
            form = await draw()
        except BotError as error:
            await self.taking.screen.show_failure(conversation, error, interrupted)
            return
        await self.taking.screen.show(conversation, form, Message("That form is closed."))

    def _values(self, slots: KeySlots) -> KeyFormValues:
        return values_of(slots, self.taking.clock().date())

    async def _slots(self, conversation: Conversation) -> KeySlots:
        slots = await self.taking.keys.slots(conversation.workspace)
        if slots is None:
            raise NoKeyError("removed meanwhile")
        return slots


def _earlier(slots: KeySlots, mark: str) -> EarlierKey:
    if slots.earlier is None or slots.earlier.record.mark != mark:
        raise NoEarlierKeyError("not the one that was meant")
    return slots.earlier
