"""Welcome the person who installed the app, and see whether the store knows a workspace."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import structlog
from slack_bolt.authorization import AuthorizeResult

from bot.access.permissions import Permissions
from bot.access.repository import Act, Audit
from bot.blocks.message import Message
from bot.installations import views
from bot.installations.installation import Installation, is_installation, organisation, prefix_of
from bot.installations.repository import InstallationRepository
from bot.keys.repository import Keys
from bot.process.concurrency import Tasks
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.auth import workspace_of
from bot.slack.posting import Posting
from bot.store.documents import Documents
from bot.store.fenced import ErasableDocuments

logger = structlog.get_logger()
BEGINS_WITHIN_S = 2.0


@dataclass(frozen=True, slots=True)
class Welcome:
    """Welcomes the installer, and notes it in the history. Failures are only logged."""

    documents: Documents
    repository: InstallationRepository
    posting: Posting
    tasks: Tasks
    keys: Keys
    audit: Audit
    permissions: Permissions

    def on_installed(self, installation: Installation, before: Installation | None) -> None:
        """Start to welcome the installer; `before` is the installation that was replaced."""
        self.tasks.start(self._greet(installation, before))

    async def on_granted(self, workspace: WorkspaceId) -> None:
        """Welcome the organisation's installer in a workspace that was given the app.

        Only where the store has no data yet: Slack may repeat the event. Raises StoreError.
        """
        found = await self.repository.get(organisation(workspace.enterprise_id or ""))
        keys = await self.documents.list_keys(prefix_of(workspace))
        if found and all(map(is_installation, keys)):
            self.on_installed(replace(found, home=workspace), None)

    async def _greet(self, installation: Installation, before: Installation | None) -> None:
        home, user_id = installation.home, installation.installed_by
        with structlog.contextvars.bound_contextvars(home=str(home), user=user_id):
            with log_and_suppress("could not welcome the installer", Exception):
                await self.posting.send_dm(home, user_id, await self._message(installation))
            if installation.is_org_wide:
                return  # it is in no workspace yet
            act = Act.APP_REINSTALLED if before else Act.APP_INSTALLED
            await self.audit.note(home, act, by=user_id)

    async def _message(self, installation: Installation) -> Message:
        if installation.is_org_wide:
            return views.organisation_message(installation)
        home = installation.home
        if await self.keys.record(home):
            return views.welcome_back_message(installation)
        member = await self.posting.member(home, installation.installed_by)
        may_set_key = await self.permissions.is_configurer(home, member)
        return views.welcome_message(installation, may_set_key=may_set_key)


@dataclass(slots=True)
class StoreCheck:
    """Checks once whether the store has data of the one workspace, of which `own` asks Slack.

    The store then takes in what it may have refused since a removal.
    """

    documents: ErasableDocuments
    own: Callable[[], Awaitable[AuthorizeResult]]
    _is_done: bool = field(default=False, init=False)

    async def check_at_start(self) -> None:
        """Check before the first request: the store must take in its workspace again.

        Slack or the store may not answer now: `check` then comes again with the periodic work.
        """
        with log_and_suppress("the store is not checked yet", BotError, TimeoutError):
            async with asyncio.timeout(BEGINS_WITHIN_S):
                await self.check()

    async def check(self) -> None:
        """Check, unless that is done; raise SlackError or StoreError if it is still unknown."""
        if self._is_done:
            return
        workspace = workspace_of(await self.own())
        prefix = prefix_of(workspace)
        await self.documents.welcome(prefix)
        if not await self.documents.list_keys(prefix):
            said = "the store knows nothing of this workspace: it is new, or the store was lost"
            logger.warning(said, workspace=str(workspace))
        self._is_done = True
