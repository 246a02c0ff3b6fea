"""Delete the data of a workspace that removed the app, and none of a later installation."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import datetime

import structlog

from bot.installations.installation import (
    KIND,
    Installation,
    UninstallEvent,
    UninstallKind,
    is_installation,
    key_of,
    known_of,
    organisation_of,
    prefix_of,
)
from bot.installations.token_check import TokenChecker
from bot.process.errors import BotError, warned
from bot.process.workspace import WorkspaceId, workspace_of_key
from bot.store.fenced import ErasableDocuments

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Uninstaller:
    """Handles events about lost and granted access.

    Slack promises no order of `app_uninstalled` and `tokens_revoked`
    (https://docs.slack.dev/reference/events/app_uninstalled): the first deletes all, the second
    only tokens that Slack does not take. So only an event of an earlier installation, which Slack
    sent late, has to be told apart, by its time.

    `installed_since` is for a bot with one token, which has no document of its installation: since
    when the token is known to work, `None` for not yet. Every method may raise StoreError, and
    does not harm when it is repeated.
    """

    documents: ErasableDocuments
    checker: TokenChecker
    _: KW_ONLY
    installed_since: Callable[[], datetime | None] = lambda: None

    async def handle(self, event: UninstallEvent) -> None:
        """Handle an event; raise SlackError if Slack does not say whether it takes a token."""
        known = await self._known(event.home)
        since = known.installed_at if known else self.installed_since()
        if event.kind is UninstallKind.REVOKED:
            await self.checker.check(event.home)
        elif since and event.at < since.replace(microsecond=0):  # Slack's are whole seconds
            logger.info("an earlier installation was removed", home=str(event.home))
        elif event.kind is UninstallKind.REMOVED:
            await self._remove(event.home, known)
        elif not known:  # what an organisation withdraws does not end an own installation
            await self._erase(event.home)

    async def grant(self, home: WorkspaceId) -> None:
        """Accept writes of a workspace again, to which its organisation has given the app."""
        await self.documents.welcome(prefix_of(home))

    async def run_due(self) -> None:
        """Check the tokens that are due, and delete workspaces that lost theirs a month ago."""
        await self.checker.check_due()
        for key in await self.documents.due_keys(self.checker.clock(), KIND):
            home = workspace_of_key(key)
            with warned("not deleted yet", BotError, home=str(home)):
                known = await self._known(home)
                if known and known.revoked_at:
                    await self._remove(home, known)

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
        for forget in self.checker.caches:
            forget(home)

    async def _known(self, home: WorkspaceId) -> Installation | None:
        return known_of(home, await self.documents.get(key_of(home)))
