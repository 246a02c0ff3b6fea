"""Check, save, rotate and remove the API key of a workspace. Callers check permissions."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from bot.access.permissions import Permissions
from bot.access.repository import Act, Audit
from bot.blocks.message import Message
from bot.domainkey import views
from bot.domains.lookup import index_by_host
from bot.domains.service import Portfolio, SeenDomains
from bot.keys.key_record import (
    EarlierKeyRefusedError,
    ExpiredDraftError,
    KeyDraft,
    KeyPair,
    KeyRecord,
    OtherPortfolioError,
)
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.scans.nightly import NightlySetting
from bot.slack.client import Member
from bot.store.documents import StoreError
from bot.tracker.models import InsufficientPermissionsError, InvalidKeyError

# The keys after one of them was seen to work, and the number of its domains.
KeyCheck = tuple[KeyPair, int]


@dataclass(frozen=True, slots=True)
class KeyService:
    """Sets, checks, rolls back and removes keys, audited. Every method may raise StoreError."""

    keys: Keys
    tracker: WorkspaceTracker
    portfolio: Portfolio
    audit: Audit
    seen: SeenDomains
    permissions: Permissions
    nightly_setting: NightlySetting

    async def set_key(
        self, workspace: WorkspaceId, draft: KeyDraft, *, by: str, is_confirmed: bool = False
    ) -> KeyCheck:
        """Check a key with one request and use it from now on.

        Raise ExpiredDraftError; TrackerError: it does not work, or that is unknown; and without
        `is_confirmed` OtherPortfolioError: it sees no domain that was seen before, and is held.
        """
        if draft.expires_on and draft.expires_on < self.keys.clock().date():
            raise ExpiredDraftError("an expiration in the past")
        listing = await self.tracker.probe_key(workspace, draft.secret)
        hosts = await asyncio.to_thread(index_by_host, listing.domains)
        last = None if is_confirmed else await self.seen.last(workspace)
        if last and last.count and not last.shares_any(hosts):
            await self.keys.hold(workspace, draft, by)
            raise OtherPortfolioError(len(hosts), last.count)
        act = Act.KEY_REPLACED if await self.keys.record(workspace) else Act.KEY_SET
        pair = await self.keys.save(workspace, draft, set_by=by)
        await self._taken(workspace, pair, hosts, act, by)
        return pair, len(listing.domains)

    async def confirm(self, workspace: WorkspaceId, *, by: str) -> KeyCheck:
        """Use the key that is held for a person; raise KeyNotHeldError, and as `set_key` does."""
        draft = await self.keys.held(workspace, by)
        check = await self.set_key(workspace, draft, by=by, is_confirmed=True)
        with log_and_suppress("a saved key is still held", StoreError):  # it expires soon
            await self.keys.forget_held(workspace, by)
        return check

    async def check(self, workspace: WorkspaceId) -> KeyCheck:
        """Check the key in use, even if it was refused before; raise NoKeyError, TrackerError."""
        now = self.keys.clock()
        snapshot = await self.portfolio.snapshot(workspace, newer_than=now, slot_at=now)
        return await self.keys.present(workspace), len(snapshot.domains)

    async def roll_back(self, workspace: WorkspaceId, mark: str, *, by: str) -> KeyCheck:
        """Check the earlier key with one request and use it from now on.

        Raise KeysChangedError, EarlierKeyRefusedError, and TrackerError if that is unknown.
        """
        key = await self.keys.earlier(workspace, mark)
        try:
            listing = await self.tracker.probe_key(workspace, key.secret)
        except (InvalidKeyError, InsufficientPermissionsError) as error:
            raise EarlierKeyRefusedError("not swapped in") from error
        hosts = await asyncio.to_thread(index_by_host, listing.domains)
        pair = await self.keys.roll_back(workspace, key)
        await self._taken(workspace, pair, hosts, Act.KEY_ROLLED_BACK, by)
        return pair, len(listing.domains)

    async def _taken(
        self, workspace: WorkspaceId, pair: KeyPair, hosts: Collection[str], act: Act, by: str
    ) -> None:
        """Note that another key is in use from now on, which sees these hosts."""
        await self.portfolio.forget_everywhere(workspace)
        await self.audit.note(workspace, act, by=by, key=pair.record.shown)
        await self.seen.note(workspace, hosts)

    async def finish(self, workspace: WorkspaceId, mark: str, *, by: str) -> KeyRecord:
        """Delete the earlier key; return the key in use.

        Raise NoKeyError, and KeysChangedError if another key is the earlier one, or in use.
        """
        pair = await self.keys.present(workspace)
        if pair.earlier or pair.record.mark == mark:  # else it is deleted already
            pair.earlier_of(mark)
        if pair.earlier and await self.keys.forget_earlier(workspace, mark):
            shown = pair.earlier.record.shown
            await self.audit.note(workspace, Act.EARLIER_KEY_FORGOTTEN, by=by, key=shown)
        return pair.record

    async def remove(self, workspace: WorkspaceId, mark: str, *, by: str) -> None:
        """Delete both keys; raise KeysChangedError if the one in use is not that of `mark`."""
        removed = await self.keys.remove(workspace, mark)
        await self.portfolio.forget_everywhere(workspace)
        if removed:
            await self.audit.note(workspace, Act.KEY_REMOVED, by=by, key=removed.shown)

    async def state_message(self, member: Member, workspace: WorkspaceId) -> Message:
        pair = await self.keys.pair(workspace)
        listed = await self.portfolio.last_snapshot(workspace)
        return views.key_state_message(
            pair,
            await self.tracker.allowance(workspace),
            self.keys.clock(),
            managers=await self.permissions.managers(workspace),
            audiences=await self.permissions.audiences(workspace),
            nights=await self.nightly_setting.shown(workspace) if pair else None,
            domains=len(listed.domains) if listed else 0,
            may_name=member.is_admin,
        )
