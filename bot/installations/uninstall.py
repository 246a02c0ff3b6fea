"""Delete the data of a workspace that removed the app, and none of a later installation.

Slack repeats the event of a removal for some minutes only. Hence it is also asked once a day
whether it still takes each token.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.access.repository import SLACK, Act, Audit
from bot.installations.installation import (
    KIND,
    Installation,
    UninstallEvent,
    UninstallKind,
    decode,
    is_installation,
    key_of,
    organisation_of,
    prefix_of,
)
from bot.installations.repository import CHECKED_EVERY, WAITS_FOR_REINSTALL, InstallationRepository
from bot.process.workspace import WorkspaceId, workspace_of_key
from bot.slack.client import slack_errors
from bot.slack.errors import TokenRefusedError
from bot.store.documents import ConflictError
from bot.store.due_work import DueWork
from bot.store.fenced import ErasableDocuments

logger = structlog.get_logger()
ANSWERED_WITHIN_S = 10.0
# https://docs.slack.dev/reference/methods/auth.test#errors
DEAD = frozenset({"account_inactive", "not_authed", "token_revoked"})


async def still_works(
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]], home: WorkspaceId
) -> bool:
    """Return whether Slack takes the token of a workspace or organisation; raise SlackError."""
    try:
        client = await client_for(home)
        async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
            await client.auth_test()
    except TokenRefusedError as error:
        if error.code not in DEAD:
            raise
        return False
    return True


@dataclass(slots=True)
class Uninstaller(DueWork):
    """Handles events about lost and granted access, and finds tokens that Slack refuses.

    Slack promises no order of `app_uninstalled` and `tokens_revoked`
    (https://docs.slack.dev/reference/events/app_uninstalled): the first deletes all, the second
    only tokens that Slack does not take; the rest is deleted after `WAITS_FOR_REINSTALL`. So only
    an event of an earlier installation, which Slack sent late, has to be told apart, by its time.

    `caches` drop what this process remembers of a workspace. `installed_since` is for a bot with
    one token, which has no document of its installation: since when the token is known to work,
    `None` for not yet. Every method may raise StoreError, and does not harm when it is repeated.
    """

    kind = KIND
    at_once = 5
    documents: ErasableDocuments
    repository: InstallationRepository
    _: KW_ONLY
    still_works: Callable[[WorkspaceId], Awaitable[bool]]
    caches: Sequence[Callable[[WorkspaceId], object]]
    audit: Audit
    installed_since: Callable[[], datetime | None]

    async def handle(self, event: UninstallEvent) -> None:
        """Handle an event; raise SlackError if Slack does not say whether it takes a token."""
        known = await self._known(event.home)
        since = known.installed_at if known else self.installed_since()
        if event.kind is UninstallKind.REVOKED:
            await self._check(event.home)
        elif since and event.at < since.replace(microsecond=0):  # Slack's are whole seconds
            logger.info("an earlier installation was removed", home=str(event.home))
        elif event.kind is UninstallKind.REMOVED:
            await self._remove(event.home, known)
        elif not known:  # what an organisation withdraws does not end an own installation
            await self._erase(event.home)

    async def grant(self, home: WorkspaceId) -> None:
        """Accept writes again of a workspace to which its organisation has given the app."""
        await self.documents.welcome(prefix_of(home))

    async def work(self, workspace: WorkspaceId) -> None:
        """Check the tokens of a workspace, or delete one that lost its own a month ago."""
        key, now = key_of(workspace), self.clock()
        document = await self.documents.get(key)
        if not document or not document.due_at or document.due_at > now:
            return
        known = decode(workspace, document, None)
        if known.revoked_at is None:
            tomorrow = now + CHECKED_EVERY
            try:
                rev = document.rev
                await self.documents.put(key, document.value, due_at=tomorrow, if_rev=rev)
            except ConflictError:
                return  # another process has put it off
            await self._check(workspace)
        elif known.revoked_at + WAITS_FOR_REINSTALL <= now:
            await self._remove(workspace, known)

    async def _check(self, home: WorkspaceId) -> None:
        """Ask Slack, and remove the tokens of `home` if it does not take them.

        Raise SlackError if it does not say, and StoreError; nothing was changed.
        """
        while True:
            known = await self._known(home)
            if known is None or known.revoked_at or await self.still_works(home):
                return
            revoked = replace(known, revoked_at=self.clock())
            with suppress(ConflictError):  # changed in between: look again
                await self.repository.put(revoked, if_rev=known.rev)
                break
        self._drop_cached(home)
        logger.warning("Slack does not take the tokens any more", home=str(home))
        if not known.is_org_wide:
            await self.audit.note(home, Act.ACCESS_REVOKED, by=SLACK)

    async def _remove(self, home: WorkspaceId, known: Installation | None) -> None:
        around = organisation_of(home)
        serves = await self._known(around) if around else None
        if serves is None or serves.revoked_at:
            await self._erase(home)
        elif known:  # the organisation's installation serves it: its data is in use
            await self.documents.delete(key_of(home))
            self._drop_cached(home)

    async def _erase(self, home: WorkspaceId) -> None:
        """Delete all data of `home`, and let the store refuse to write any more of it.

        Under an organisation's prefix, workspaces with an installation of their own stay. The
        organisation's own documents come last: a deletion that was cut off is repeated.
        """
        keys = await self.documents.list_keys(prefix_of(home))
        own = {workspace_of_key(key) for key in keys if is_installation(key)} - {home}
        others = {workspace_of_key(key) for key in keys} - own - {home}
        for each in [*sorted(others, key=str), home]:
            await self.documents.delete_prefix(f"{each}/")
            self._drop_cached(each)
        logger.info("workspace deleted", home=str(home))

    def _drop_cached(self, home: WorkspaceId) -> None:
        for forget in self.caches:
            forget(home)

    async def _known(self, home: WorkspaceId) -> Installation | None:
        document = await self.documents.get(key_of(home))
        return decode(home, document, None) if document else None
