"""Welcome the person who installed the app, and see whether the store knows a workspace."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field, replace

import structlog
from slack_bolt.authorization import AuthorizeResult

from bot.blocks.message import Message
from bot.installations.installation import Installation, is_installation, prefix_of
from bot.process.concurrency import Tasks
from bot.process.errors import BotError, warned
from bot.process.workspace import WorkspaceId
from bot.slack.auth import workspace_of
from bot.store.documents import Documents
from bot.store.fenced import ErasableDocuments

logger = structlog.get_logger()
BEGINS_WITHIN_S = 2.0
Tell = Callable[[WorkspaceId, str, Message], Awaitable[object]]  # a person, by user id


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A new installation, and the facts for its welcome message.

    `may_set_key`: the installer may. `has_key`: the workspace has one already.
    """

    installation: Installation
    may_set_key: bool = False
    has_key: bool = False


@dataclass(frozen=True, slots=True)
class Welcome:
    """Sends the installer a welcome message. Failures are only logged.

    `may_set_key` takes a workspace and a user id. `note` writes the installation and the one
    before (`None`: the first) to the audit log; it raises nothing.
    """

    documents: Documents
    tell: Tell
    tasks: Tasks
    _: KW_ONLY
    words: Callable[[Arrival], Message]
    has_key: Callable[[WorkspaceId], Awaitable[bool]]
    may_set_key: Callable[[WorkspaceId, str], Awaitable[bool]]
    note: Callable[[Installation, Installation | None], Awaitable[object]]

    async def on_installed(self, installation: Installation, before: Installation | None) -> None:
        """Start to welcome the installer; `before` is the installation that was replaced."""
        self.tasks.start(self._greet(installation, before))

    async def on_granted(self, workspace: WorkspaceId, organisation_wide: Installation) -> None:
        """Welcome the organisation's installer in a workspace that was given the app.

        Only where the store has no data yet: Slack may send the event more than once.
        """
        if not await self._has_data(workspace):
            self.tasks.start(self._greet(replace(organisation_wide, home=workspace), None))

    async def _greet(self, installation: Installation, before: Installation | None) -> None:
        home, user_id = installation.home, installation.installed_by
        with structlog.contextvars.bound_contextvars(home=str(home), user=user_id):
            with warned("could not welcome the installer", Exception):
                words = self.words(await self._arrival(installation))
                await self.tell(home, user_id, words)
            if installation.is_org_wide:
                return  # it is in no workspace yet
            await self.note(installation, before)

    async def _arrival(self, installation: Installation) -> Arrival:
        if installation.is_org_wide:
            return Arrival(installation=installation)
        home = installation.home
        may_set_key = await self.may_set_key(home, installation.installed_by)
        return Arrival(
            installation=installation,
            may_set_key=may_set_key,
            has_key=await self.has_key(home),
        )

    async def _has_data(self, home: WorkspaceId) -> bool:
        found = await self.documents.list_prefix(prefix_of(home), limit=2)
        return any(not is_installation(each.key) for each in found)


@dataclass(slots=True)
class StoreCheck:
    """Checks once, for a bot with one token, whether the store has data of its workspace.

    `own` asks Slack whose token it is. The store then takes in what it may have refused since a
    removal.
    """

    documents: ErasableDocuments
    own: Callable[[], Awaitable[AuthorizeResult]]
    _is_done: bool = field(default=False, init=False)

    async def check_at_start(self) -> None:
        """Check before the first request: the store must take in its workspace again.

        Slack or the store may not answer now: `check` then comes again with the periodic work.
        """
        with warned("the store is not checked yet", BotError, TimeoutError):
            async with asyncio.timeout(BEGINS_WITHIN_S):
                await self.check()

    async def check(self) -> None:
        """Check, unless that is done; raise SlackError or StoreError if it is still unknown."""
        if self._is_done:
            return
        workspace = workspace_of(await self.own())
        await self.documents.welcome(prefix_of(workspace))
        if not await self.documents.list_prefix(prefix_of(workspace), limit=1):
            said = "the store knows nothing of this workspace: it is new, or the store was lost"
            logger.warning(said, workspace=str(workspace))
        self._is_done = True
