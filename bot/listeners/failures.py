"""Everything that the answer to a failure needs to know, gathered."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from bot.allowance import Allowance, Allowances
from bot.connection import LackingScopeError
from bot.errors import BotError
from bot.kept import KeptCommand, KeptCommands
from bot.keys import KeyRecord, Keys, NoKeyError
from bot.listeners.conversation import Conversation
from bot.message import Message
from bot.slack.errors import SlackError, SlackRefusedError
from bot.store.errors import StoreError, UnreadableSecretError
from bot.tracker.errors import RateLimitedError, ReserveReachedError, TrackerError
from bot.views.facts import Facts
from bot.views.failure import failure_message
from bot.views.usage import USAGES, not_understood_message
from bot.words import NotUnderstoodError

# What an admin reads differs from what a member reads.
_FOR_ADMINS = (
    NoKeyError,
    LackingScopeError,
    TrackerError,
    UnreadableSecretError,
    SlackRefusedError,
)


_OPEN_FORMS = {"/scan", "/adddomain"}


class Failures:
    """Explains failures to the person who met them.

    Those for whom `may_configure` holds read how to mend the key.
    """

    def __init__(
        self,
        keys: Keys,
        kept: KeptCommands,
        allowances: Allowances,
        *,
        egress_addresses: tuple[str, ...],
        clock: Callable[[], datetime],
        may_configure: Callable[[Conversation], Awaitable[bool]],
    ) -> None:
        self._may_configure = may_configure
        self._keys = keys
        self._kept = kept
        self._allowances = allowances
        self._egress_addresses = egress_addresses
        self._clock = clock

    async def explain(
        self, error: Exception, conversation: Conversation, reference: str
    ) -> Message:
        """Return what to tell the person; a command that lacks a key is kept for later."""
        command = (conversation.command_line or "").partition(" ")[0]
        if isinstance(error, NotUnderstoodError) and command in USAGES:
            return not_understood_message(command, error.problems, error.understood)
        is_kept = isinstance(error, NoKeyError) and await self._keep(conversation)
        facts = await self.facts(error, conversation, reference, is_kept=is_kept)
        return failure_message(error, facts)

    async def facts(
        self,
        error: Exception,
        conversation: Conversation,
        reference: str,
        *,
        is_kept: bool = False,
    ) -> Facts:
        """Return what the sentence about `error` may need to know; never raises."""
        has_two_sides = isinstance(error, _FOR_ADMINS)
        return Facts(
            reference=reference,
            now=self._clock(),
            is_admin=has_two_sides and await self._mends(conversation),
            command_line=conversation.command_line,
            key=await self._record(conversation) if has_two_sides else None,
            egress_addresses=self._egress_addresses,
            allowance=await self._allowance(error, conversation),
            is_kept=is_kept,
        )

    async def _mends(self, conversation: Conversation) -> bool:
        try:
            return await self._may_configure(conversation)
        except (SlackError, StoreError):
            return False

    async def _record(self, conversation: Conversation) -> KeyRecord | None:
        try:
            return await self._keys.record(conversation.workspace)
        except StoreError:
            return None

    async def _allowance(self, error: Exception, conversation: Conversation) -> Allowance | None:
        if not isinstance(error, RateLimitedError | ReserveReachedError):
            return None
        try:
            return await self._allowances.of(conversation.workspace)
        except StoreError:
            return None

    async def _keep(self, conversation: Conversation) -> bool:
        command, _, text = (conversation.command_line or "").partition(" ")
        # A form cannot open by itself later, and the state of the key is asked for again.
        if command in {"", "/domainkey"} or (command in _OPEN_FORMS and not text.strip()):
            return False
        origin = conversation.origin
        try:
            await self._kept.keep(
                conversation.workspace,
                KeptCommand(
                    command=command,
                    text=text,
                    user_id=origin.user_id,
                    channel_id=origin.channel_id,
                    response_url=origin.response_url,
                ),
            )
        except BotError:
            return False
        return True
