"""Welcome the person who installed the app, and detect a store that lost its data."""

from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime

import structlog
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.errors import BotError, warned
from bot.installations.installation import Installation, is_installation, prefix_of
from bot.installations.uninstall import KIND as GRANTED
from bot.message import Message
from bot.slack.auth import workspace_of
from bot.slack.channels import fetch_admins, fetch_own_channels
from bot.slack.errors import (
    PersonUnreachableError,
    SlackError,
    SlackRefusedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.store.documents import Documents
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# One more than the message names, so that it can say that there are others.
CHANNELS_LOOKED_FOR = 6


Tell = Callable[[WorkspaceId, str, Message], Awaitable[object]]  # a person, by user id


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The data that a workspace has already."""

    has_key: bool
    digests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A new installation, and the facts for its welcome message.

    `may_set_key`: the installer may. `was_revoked`: the tokens of the one before were. `setup` is
    `None` when the store had no data of the workspace; `lost_in` are then ids of channels that
    the bot is in all the same.
    """

    installation: Installation
    may_set_key: bool = False
    was_revoked: bool = False
    setup: Setup | None = None
    lost_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Welcome:
    """Sends the installer a welcome message, and shows them Home. Failures are only logged.

    `may_set_key` and `open_home` take a workspace and a user id. `note` writes the installation
    and the one before (`None`: the first) to the audit log; it raises nothing.
    """

    documents: Documents
    tell: Tell
    tasks: Tasks
    _: KW_ONLY
    words: Callable[[Arrival], Message]
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]]
    setup_of: Callable[[WorkspaceId], Awaitable[Setup]]
    may_set_key: Callable[[WorkspaceId, str], Awaitable[bool]]
    open_home: Callable[[WorkspaceId, str], Awaitable[object]]
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
                words = self.words(await self._arrival(installation, before))
                await self.tell(home, user_id, words)
            if installation.is_org_wide:
                return  # it is in no workspace yet
            await self.note(installation, before)  # only now: it must not look like a set-up
            with warned("could not show Home", BotError):
                await self.open_home(home, user_id)

    async def _arrival(self, installation: Installation, before: Installation | None) -> Arrival:
        if installation.is_org_wide:
            return Arrival(installation=installation)
        home = installation.home
        is_known = before is not None or await self._has_data(home)
        return Arrival(
            installation=installation,
            may_set_key=await self.may_set_key(home, installation.installed_by),
            was_revoked=before is not None and before.revoked_at is not None,
            setup=await self.setup_of(home) if is_known else None,
            lost_in=() if is_known else await self._channels(home),
        )

    async def _has_data(self, home: WorkspaceId) -> bool:
        # Other than the documents that an installation brings, which are two at most.
        found = await self.documents.list_prefix(prefix_of(home), limit=3)
        brought = f"{home}/{GRANTED}"
        return any(not is_installation(each.key) and each.key != brought for each in found)

    async def _channels(self, home: WorkspaceId) -> tuple[str, ...]:
        with warned("cannot tell where the bot is", SlackError):
            client = await self.client_for(home)
            return tuple(await fetch_own_channels(client, home, limit=CHANNELS_LOOKED_FOR))
        return ()


KIND = "seen"


@dataclass(slots=True)
class DataLossCheck:
    """Checks once per store whether it lost the data of the one workspace of a bot token.

    A document marks that this store knows the workspace. `own` asks Slack whose token it is,
    `client_for` returns its client, `words` takes channel ids. Slack may answer late, and people
    may use the bot before: what counts is the store's content at the first check.
    """

    documents: Documents
    tell: Tell
    _: KW_ONLY
    own: Callable[[], Awaitable[AuthorizeResult]]
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]]
    words: Callable[[tuple[str, ...]], Message]
    clock: Callable[[], datetime]
    _is_done: bool = field(default=False, init=False)
    _was_told: bool = field(default=False, init=False)
    _known: frozenset[str] | None = field(default=None, init=False)

    async def check(self) -> None:
        """Check, unless that is done; raise SlackError or StoreError if it is still unknown."""
        if self._is_done:
            return
        if self._known is None:
            keys = await self.documents.list_keys("")
            self._known = frozenset(key.partition("/")[0] for key in keys)
        workspace = workspace_of(await self.own())
        with structlog.contextvars.bound_contextvars(workspace=str(workspace)):
            if str(workspace) not in self._known and not self._was_told:
                await self._tell_if_lost(workspace)
            # Only now: after a crash in between it is rather said twice than never.
            place = f"{workspace}/{KIND}"
            if await self.documents.get(place) is None:
                await self.documents.put(place, {"v": 1, "at": self.clock().isoformat()})
        self._is_done = True

    async def _tell_if_lost(self, workspace: WorkspaceId) -> None:
        """Tell a person in charge, if the bot is in channels, unless Slack refuses for good."""
        try:
            client = await self.client_for(workspace)
            channels = await fetch_own_channels(client, workspace, limit=CHANNELS_LOOKED_FOR)
            if not channels:
                return
            # Slack does not say which: without a scope for its messages, both look the same.
            said = "in channels, but the store is empty: invited before the first start, or lost"
            logger.warning(said, channels=channels)
            await self._tell(workspace, await fetch_admins(client, workspace), channels)
        except (TokenRefusedError, WorkspaceHeldError):
            raise  # the operator, or time, changes that
        except SlackRefusedError as error:
            logger.warning("Slack does not say whether the store was lost", error=repr(error))

    async def _tell(self, workspace: WorkspaceId, people: list[str], channels: list[str]) -> None:
        for user_id in people:
            try:
                await self.tell(workspace, user_id, self.words(tuple(channels)))
            except PersonUnreachableError:
                continue
            except SlackError as error:
                if not error.is_outcome_unknown:
                    raise
                logger.warning("the outcome of the message is unknown", error=repr(error))
            self._was_told = True
            return
        logger.warning("no admin can be notified that the store is empty")
