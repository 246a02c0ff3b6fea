"""`/domainkey`: the workspace's API key, for admins and owners, asked of Slack each time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from bot.connection import Connection
from bot.digests.desk import Desk
from bot.errors import BotError, NotAllowedError
from bot.keys import ExpiredDraftError, KeyRecord, Keys, NoKeyError
from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.failures import Failures
from bot.listeners.kept import KeptRuns
from bot.listeners.key_form import GivenKey, read_key_form
from bot.message import Block, Message
from bot.portfolio.portfolio import Portfolio
from bot.redaction import holds_secret
from bot.slack.calls import open_form, update_form
from bot.slack.errors import SlackError
from bot.store.errors import UnreadableSecretError
from bot.tracker.budget import Budget, BudgetState, fingerprint
from bot.views.failure import failure_message
from bot.views.key import (
    CHECK_KEY,
    REMOVE_KEY,
    SET_KEY,
    checked_message,
    key_state_message,
    removed_message,
    saved_message,
    typed_key_message,
)
from bot.views.key_form import (
    KEY_FORM,
    KeyFormValues,
    checking_form,
    key_form,
    refused_form,
    saved_form,
)
from bot.views.key_trouble import draft_trouble
from bot.views.usage import usage_message
from bot.words import is_help

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyListeners:
    """The listeners about the workspace's key. Each of them checks the person's rights anew."""

    keys: Keys
    connection: Connection
    portfolio: Portfolio
    kept: KeptRuns
    desk: Desk
    failures: Failures
    budget: Budget
    clock: Callable[[], datetime]

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/domainkey", self.show_state)
        dispatcher.on_press(SET_KEY, self.open_key_form)
        dispatcher.on_press(CHECK_KEY, self.check_key, replies=True)
        dispatcher.on_press(REMOVE_KEY, self.remove_key, replies=True)
        dispatcher.on_form(KEY_FORM, read_key_form, self.set_key, meanwhile=checking_form)

    async def show_state(self, conversation: Conversation, text: str) -> None:
        """Answer `/domainkey`. Whatever stands behind it is neither read nor repeated."""
        conversation.command_line = "/domainkey"
        if is_help(text):
            await conversation.reply(usage_message("/domainkey"))
            return
        is_allowed = await _is_admin(conversation)
        if text.strip():
            looks_like_key = holds_secret(text)
            await conversation.reply(
                typed_key_message(looks_like_key=looks_like_key, may_set=is_allowed)
            )
            return
        if not is_allowed:
            raise NotAllowedError("/domainkey")
        record = await self.keys.record(conversation.workspace)
        state = await self._budget_state(conversation)
        await conversation.reply(key_state_message(record, state, self.clock().date()))

    async def open_key_form(self, conversation: Conversation, _value: str) -> None:
        """Open the private form that sets or replaces the key."""
        await _require_admin(conversation)
        record = await self.keys.record(conversation.workspace)
        values = (
            KeyFormValues(label=record.label, scopes=record.scopes) if record else KeyFormValues()
        )
        form = key_form(conversation.as_metadata(), values)
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def set_key(self, conversation: Conversation, given: GivenKey) -> None:
        """Prove the key with one request, save it, run what waited for it; say so in the form."""
        try:
            await _require_admin(conversation)
            draft = given.draft(self.clock().date())
            if draft.expires_on and draft.expires_on < self.clock().date():
                raise ExpiredDraftError("an expiration in the past")
            listing = await self.connection.try_out(draft)
            record = await self.keys.save(
                conversation.workspace, draft, set_by=conversation.origin.user_id
            )
        except BotError as error:
            await self._show_trouble(conversation, given, error)
            return
        self.portfolio.forget(conversation.workspace)
        count = len(listing.domains)
        await _show(conversation, saved_form(record, count), saved_message(record, count))
        await self.kept.run_all(conversation.workspace, conversation.client)
        await self.desk.wake(conversation.workspace)

    async def check_key(self, conversation: Conversation, _value: str) -> None:
        """Ask the service whether the key works now, even if it was refused before."""
        await _require_admin(conversation)
        conversation.command_line = "/domainkey"
        listing = await self.connection.check_again(conversation.workspace)
        record = await self._record(conversation)
        await conversation.reply(checked_message(record, len(listing.domains)))
        await self.desk.wake(conversation.workspace)

    async def remove_key(self, conversation: Conversation, _value: str) -> None:
        """Forget the key."""
        await _require_admin(conversation)
        was_there = await self.keys.remove(conversation.workspace)
        self.portfolio.forget(conversation.workspace)
        await conversation.reply(removed_message(was_there=was_there))

    async def _show_trouble(
        self, conversation: Conversation, given: GivenKey, error: BotError
    ) -> None:
        logger.warning("key not saved", error=repr(error), cause=repr(error.__cause__))
        facts = await self.failures.facts(error, conversation, "")
        trouble = draft_trouble(error, facts)
        message = failure_message(error, facts)
        if isinstance(error, NotAllowedError):
            await _show(conversation, refused_form(message.text), message)
            return
        sentence = trouble or message.text
        form = key_form(conversation.as_metadata(), given.values, sentence)
        await _show(conversation, form, Message(f"The key was not saved. {sentence}"))

    async def _record(self, conversation: Conversation) -> KeyRecord:
        record = await self.keys.record(conversation.workspace)
        if record is None:
            raise NoKeyError("removed meanwhile")
        return record

    async def _budget_state(self, conversation: Conversation) -> BudgetState | None:
        try:
            key = await self.keys.stored(conversation.workspace)
        except (NoKeyError, UnreadableSecretError):
            return None
        return self.budget.state(fingerprint(key.secret))


async def _is_admin(conversation: Conversation) -> bool:
    return (await conversation.fetch_member()).is_admin


async def _require_admin(conversation: Conversation) -> None:
    if not await _is_admin(conversation):
        raise NotAllowedError("the key is for admins")


async def _show(conversation: Conversation, form: Block, otherwise: Message) -> None:
    """Put `form` where the person waits; when they have closed it, tell them in the channel."""
    try:
        await update_form(conversation.client, conversation.view_id or "", form)
    except SlackError as error:
        logger.info("the form is gone", error=repr(error))
        await conversation.reply(otherwise)
