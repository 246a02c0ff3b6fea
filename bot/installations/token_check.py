"""Ask Slack whether it still accepts the stored tokens, and remove those that it does not.

Slack repeats the event of a removal for some minutes only. Hence every token is checked once a
day.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.installation import (
    KIND,
    key_of,
    known_of,
)
from bot.installations.repository import CHECKED_EVERY, InstallationRepository
from bot.process.errors import warned
from bot.process.workspace import WorkspaceId, workspace_of_key
from bot.slack.client import slack_errors
from bot.slack.errors import TokenRefusedError
from bot.store.documents import ConflictError, Document, Documents, StoreError, Write, update

logger = structlog.get_logger()
ANSWERED_WITHIN_S = 10.0
# https://docs.slack.dev/reference/methods/auth.test#errors
DEAD = frozenset({"account_inactive", "not_authed", "token_revoked"})
AT_ONCE = 5
# Returns whether Slack takes the token of that home; raises SlackError when it does not say.
StillWorks = Callable[[WorkspaceId], Awaitable[bool]]


def token_proof(
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
) -> StillWorks:
    """Return a function that asks `auth.test` with the token of a workspace or organisation."""

    async def still_works(home: WorkspaceId) -> bool:
        try:
            client = await client_for(home)
            async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
                await client.auth_test()
        except TokenRefusedError as error:
            if error.code not in DEAD:
                raise
            return False
        return True

    return still_works


@dataclass(slots=True)
class TokenChecker:
    """Removes tokens that Slack refuses; the rest is deleted after `WAITS_FOR_REINSTALL`.

    `caches` drop what this process remembers of a workspace. `on_revoked` gets each home whose
    tokens were removed; it raises nothing.
    """

    documents: Documents
    repository: InstallationRepository
    _: KW_ONLY
    still_works: StillWorks
    caches: Sequence[Callable[[WorkspaceId], object]]
    clock: Callable[[], datetime]
    on_revoked: Callable[[WorkspaceId], Awaitable[object]]
    _turns: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def check(self, home: WorkspaceId) -> None:
        """Ask Slack, and remove the tokens of `home` if it does not take them.

        Raise SlackError if it does not say, and StoreError; nothing was changed.
        """
        while True:
            document = await self.documents.get(key_of(home))
            known = known_of(home, document)
            if document is None or known is None or known.revoked_at:
                return
            if await self.still_works(home):
                await self._put_off(home)
                return
            revoked = replace(known, revoked_at=self.clock())
            with suppress(ConflictError):  # changed in between: look again
                await self.repository.put(revoked, if_rev=document.rev)
                break
        for forget in self.caches:
            forget(home)
        logger.warning("Slack does not take the tokens any more", home=str(home))
        await self.on_revoked(home)

    async def check_due(self) -> None:
        """Check the tokens that are due, a few at once; raise StoreError."""
        keys = await self.documents.due_keys(self.clock(), KIND)
        await asyncio.gather(*(self._take_up(workspace_of_key(key)) for key in keys))

    async def _put_off(self, home: WorkspaceId) -> None:
        due_at = self.clock() + CHECKED_EVERY

        def put_off(document: Document | None) -> Write | None:
            known = known_of(home, document)
            if document is None or known is None or known.revoked_at:
                return None
            return Write(document.value, due_at)

        await update(self.documents, key_of(home), put_off)

    async def _take_up(self, home: WorkspaceId) -> None:
        async with self._turns:
            # The others must not wait for this one.
            with warned("not checked until tomorrow", Exception, home=str(home)):
                await self.check(home)
                return
            with suppress(StoreError):
                await self._put_off(home)
