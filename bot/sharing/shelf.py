"""Where the accounts of a workspace's keys are kept: one document, for an hour after a write."""

from collections.abc import Mapping
from datetime import timedelta

from bot.sharing.accounts import decode_account, encode_account
from bot.sharing.timeline import Timeline
from bot.store.base import Documents
from bot.tracker.account import WINDOW_S, Account
from bot.workspace import WorkspaceId

KIND = "budget"
VERSION = 1
# The key in use, the one before it, and what else was tried within the hour.
MAX_KEYS = 4


class AccountShelf:
    """Reads and writes them by the fingerprints of the keys; may raise StoreError.

    Outside moments are seconds of this process, as the timeline has them.
    """

    def __init__(self, documents: Documents, timeline: Timeline) -> None:
        self._documents = documents
        self._timeline = timeline

    async def get(self, workspace: WorkspaceId) -> tuple[dict[str, Account], int]:
        """Return the accounts and the document's revision, 0 for none."""
        document = await self._documents.get(_place(workspace))
        if document is None:
            return {}, 0
        if document.value.get("v") != VERSION:  # of a newer bot that runs beside this one
            return {}, document.rev
        ahead_s = self._timeline.ahead_s()
        keys = document.value["keys"].items()
        return {name: decode_account(each).moved(-ahead_s) for name, each in keys}, document.rev

    async def put(
        self, workspace: WorkspaceId, accounts: Mapping[str, Account], *, if_rev: int
    ) -> None:
        """Keep the accounts that were written last; raise ConflictError as `Documents.put`."""
        ahead_s = self._timeline.ahead_s()
        latest = sorted(accounts.items(), key=lambda each: _used_at(each[1]))[-MAX_KEYS:]
        keys = {name: encode_account(each.moved(ahead_s)) for name, each in latest}
        await self._documents.put(
            _place(workspace),
            {"v": VERSION, "keys": keys},
            due_at=self._timeline.now() + timedelta(seconds=WINDOW_S),
            if_rev=if_rev,
        )


def _used_at(account: Account) -> float:
    return max(account.told_at, account.served_at, account.probe_at, account.settled_at)


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
