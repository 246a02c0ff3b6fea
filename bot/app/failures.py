"""Explain failures: every feature's sentences, and what is known about who asked."""

import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, TypeVar

from bot.access.permissions import Permissions
from bot.access.views import ACCESS_ERRORS
from bot.blocks.message import Message
from bot.digests.errors import DIGEST_ERRORS
from bot.dispatch import usage
from bot.dispatch.command_text import NotUnderstoodError
from bot.dispatch.commands import COMMANDS
from bot.dispatch.failure import SHARED_SENTENCES, Facts, failure_message
from bot.dispatch.kept_commands import KeptCommand, KeptCommands
from bot.dispatch.request import Request
from bot.domains.errors import DOMAIN_ERRORS
from bot.domains.lookup import UnknownDomainError
from bot.keys.errors import KEY_ERRORS
from bot.keys.key_record import KeyRecord, NoKeyError
from bot.keys.workspace_tracker import LackingScopeError, WorkspaceTracker
from bot.process.errors import BotError
from bot.scans.bulk_record import BulkScanRunsError
from bot.scans.errors import SCAN_ERRORS
from bot.slack.errors import SlackError
from bot.store.documents import StoreError, UnreadableSecretError
from bot.tracker.models import (
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    ReserveReachedError,
)

T = TypeVar("T")
SENTENCES = {
    **SHARED_SENTENCES,
    **ACCESS_ERRORS,
    **KEY_ERRORS,
    **DOMAIN_ERRORS,
    **SCAN_ERRORS,
    **DIGEST_ERRORS,
}


# What an admin reads differs from what a member reads.
_FOR_ADMINS = (
    BulkScanRunsError,
    NoKeyError,
    LackingScopeError,
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    ReserveReachedError,
    UnreadableSecretError,
)


@dataclass(frozen=True, slots=True)
class Failures:
    """Explains a failure to the person; to those who may set the key, also how to mend it."""

    tracker: WorkspaceTracker
    kept_commands: KeptCommands
    permissions: Permissions
    egress_addresses: tuple[str, ...]

    async def explain(self, error: Exception, request: Request) -> Message:
        """Return the message about an error; a command that lacks a key is stored for later.

        Never raises: what cannot be found out is left out.
        """
        command = (request.answer.command_line or "").partition(" ")[0]
        if isinstance(error, NotUnderstoodError) and command in COMMANDS:
            return usage.not_understood_message(
                command, error.problems, error.understood, error.corrected
            )
        is_kept = isinstance(error, NoKeyError) and await self._defer(request)
        has_two_sides = isinstance(error, _FOR_ADMINS)
        is_about_quota = isinstance(error, RateLimitedError | ReserveReachedError)
        tracker, workspace = self.tracker, request.workspace
        record = await _or_none(tracker.keys.record(workspace)) if has_two_sides else None
        facts = Facts(
            reference=request.reference,
            now=tracker.keys.clock(),
            user_id=request.origin.user_id,
            is_admin=has_two_sides
            and bool(await _or_none(self.permissions.may_configure(request))),
            command_line=request.answer.command_line,
            **facts_about(record),
            egress_addresses=self.egress_addresses,
            allowance=await _or_none(tracker.allowance(workspace)) if is_about_quota else None,
            is_kept=is_kept,
            may_add=isinstance(error, UnknownDomainError) and await self._may_add(request),
        )
        return failure_message(error, facts, SENTENCES)

    async def _may_add(self, request: Request) -> bool:
        """Return whether to offer the button: not in doubt. `/adddomain` checks again."""
        with contextlib.suppress(BotError):
            await self.permissions.require(request, "add")
            return True
        return False

    async def _defer(self, request: Request) -> bool:
        name, _, text = (request.answer.command_line or "").partition(" ")
        command = COMMANDS.get(name)
        # A form cannot open by itself later; `/domainkey` can be typed again.
        if not command or not command.operation or (command.opens_form and not text.strip()):
            return False
        origin = request.origin
        kept = KeptCommand(
            command=name,
            text=text,
            user_id=origin.user_id,
            channel_id=origin.channel_id,
            response_url=origin.response_url,
        )
        with contextlib.suppress(BotError):
            await self.kept_commands.keep(request.workspace, kept)
            return True
        return False


async def _or_none(fact: Awaitable[T]) -> T | None:
    try:
        return await fact
    except (SlackError, StoreError):
        return None


def facts_about(key: KeyRecord | None) -> dict[str, Any]:
    if key is None:
        return {}
    return {
        "key_expires_on": key.expires_on,
        "key_scopes": key.scopes,
        "notified": key.told if key.told_at else (),
    }
