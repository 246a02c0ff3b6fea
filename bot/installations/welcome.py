"""Welcome the person who installed the app, and detect a store that lost its data."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.errors import BotError
from bot.installations.models import Installation, is_installation, prefix_of
from bot.installations.uninstall import KIND as GRANTED
from bot.message import Message
from bot.slack.channels import fetch_admins, fetch_own_channels
from bot.slack.errors import (
    PersonUnreachableError,
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.store.documents import Documents
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# One more than are named, so that it can be said that there are others.
CHANNELS_LOOKED_FOR = 6


class TellsPeople(Protocol):
    """Whoever sends direct messages."""

    async def send_dm(self, workspace: WorkspaceId, user_id: str, message: Message) -> None:
        """Send one; raise SlackError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What is set up in a workspace already."""

    has_key: bool
    digests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A new installation, and what is known beside it.

    `may_set_key`: whoever made it may. `was_revoked`: tokens of the one before were. `setup` is
    `None` when the store knew nothing of the workspace; `lost_in` are then ids of channels that
    the bot is in all the same.
    """

    installation: Installation
    may_set_key: bool = False
    was_revoked: bool = False
    setup: Setup | None = None
    lost_in: tuple[str, ...] = ()


class Welcome:
    """Greets whoever installed the bot, and shows them Home. What fails is logged, no more.

    `may_set_key` and `open_home` take a workspace and a person's id. `note` keeps in the history
    that a workspace has installed it (`None`: for the first time); it may raise nothing.
    """

    def __init__(
        self,
        documents: Documents,
        people: TellsPeople,
        tasks: Tasks,
        *,
        words: Callable[[Arrival], Message],
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
        setup_of: Callable[[WorkspaceId], Awaitable[Setup]],
        may_set_key: Callable[[WorkspaceId, str], Awaitable[bool]],
        open_home: Callable[[WorkspaceId, str], Awaitable[object]],
        note: Callable[[Installation, Installation | None], Awaitable[object]],
    ) -> None:
        self._documents = documents
        self._people = people
        self._tasks = tasks
        self._words = words
        self._client_for = client_for
        self._setup_of = setup_of
        self._may_set_key = may_set_key
        self._open_home = open_home
        self._note = note

    async def on_installed(self, installation: Installation, before: Installation | None) -> None:
        """Greet the installer; this does not wait. `before` is what `installation` replaced."""
        self._tasks.start(self._greet(installation, before))

    async def on_granted(self, workspace: WorkspaceId, organisation_wide: Installation) -> None:
        """Greet whoever installed the bot for an organisation in a workspace that was given it.

        Only where nothing is known of yet: Slack may tell of it more than once.
        """
        if not await self._is_known(workspace):
            self._tasks.start(self._greet(replace(organisation_wide, home=workspace), None))

    async def _greet(self, installation: Installation, before: Installation | None) -> None:
        home, user_id = installation.home, installation.installed_by
        with structlog.contextvars.bound_contextvars(home=str(home), user=user_id):
            await self._say_welcome(installation, before)
            if installation.is_org_wide:
                return  # it is in no workspace yet
            await self._note(installation, before)  # only now: it must not look like a set-up
            try:
                await self._open_home(home, user_id)
            except BotError as error:
                logger.warning("could not show Home", error=repr(error))

    async def _say_welcome(self, installation: Installation, before: Installation | None) -> None:
        try:
            arrival = await self._arrival(installation, before)
            await self._people.send_dm(
                installation.home, installation.installed_by, self._words(arrival)
            )
        except BotError as error:
            logger.warning("could not welcome the installer", error=repr(error))
        except Exception:
            logger.exception("unforeseen failure")

    async def _arrival(self, installation: Installation, before: Installation | None) -> Arrival:
        if installation.is_org_wide:
            return Arrival(installation=installation)
        home = installation.home
        is_known = before is not None or await self._is_known(home)
        return Arrival(
            installation=installation,
            may_set_key=await self._may_set_key(home, installation.installed_by),
            was_revoked=before is not None and before.revoked_at is not None,
            setup=await self._setup_of(home) if is_known else None,
            lost_in=() if is_known else await self._channels(home),
        )

    async def _is_known(self, home: WorkspaceId) -> bool:
        # Of any document but those that an installation brings, which are two at most.
        found = await self._documents.list_prefix(prefix_of(home), limit=3)
        brought = f"{home}/{GRANTED}"
        return any(not is_installation(each.key) and each.key != brought for each in found)

    async def _channels(self, home: WorkspaceId) -> tuple[str, ...]:
        try:
            client = await self._client_for(home)
            return tuple(await fetch_own_channels(client, home, limit=CHANNELS_LOOKED_FOR))
        except SlackError as error:
            logger.warning("cannot tell where the bot is", error=repr(error))
            return ()


KIND = "seen"
FIRST_RETRY = timedelta(seconds=30)
LONGEST_RETRY = timedelta(hours=1)


class DataLossCheck:
    """Looks once per store, for a bot with one token; it may take many ticks until Slack answers.

    A document marks that this store knows the workspace. `own` asks Slack which one that is,
    `client_for` returns its client, `words` takes ids of channels. Until Slack answers, people may
    fill the store: what counts is what was in it at the first look.
    """

    def __init__(
        self,
        documents: Documents,
        people: TellsPeople,
        tasks: Tasks,
        *,
        own: Callable[[], Awaitable[WorkspaceId]],
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
        words: Callable[[tuple[str, ...]], Message],
        clock: Callable[[], datetime],
    ) -> None:
        self._documents = documents
        self._people = people
        self._tasks = tasks
        self._own = own
        self._client_for = client_for
        self._words = words
        self._clock = clock
        self._is_done = False
        self._is_looking = False
        self._known_homes: frozenset[str] | None = None
        self._was_told = False
        self._retry_at: datetime | None = None
        self._tries = 0

    def look(self) -> None:
        """Begin with `check`; this never waits."""
        if self._is_wanted():
            self._is_looking = True
            self._tasks.start(self._try())

    async def check(self) -> None:
        """Look, if there is something left to look for and nobody does."""
        if self._is_wanted():
            self._is_looking = True
            await self._try()

    def _is_wanted(self) -> bool:
        is_early = self._retry_at is not None and self._clock() < self._retry_at
        return not (self._is_done or self._is_looking or is_early)

    async def _try(self) -> None:
        try:
            known = await self._known()
            workspace = await self._own()
            with structlog.contextvars.bound_contextvars(workspace=str(workspace)):
                if str(workspace) not in known and not self._was_told:
                    await self._tell_if_lost(workspace)
                await self._mark(workspace)
            self._is_done = True
        except BotError as error:
            self._put_off(error)
        except Exception:
            self._is_done = True  # a mistake of ours: once in the log is enough
            logger.exception("unforeseen failure")
        finally:
            self._is_looking = False

    def _put_off(self, error: BotError) -> None:
        wait = min(FIRST_RETRY * 2 ** min(self._tries, 10), LONGEST_RETRY)
        if isinstance(error, SlackRateLimitedError):
            wait = max(wait, timedelta(seconds=error.retry_after_s))
        self._tries += 1
        self._retry_at = self._clock() + wait
        logger.warning("cannot tell yet whether the store is the right one", error=repr(error))

    async def _known(self) -> frozenset[str]:
        """Return of whom there was something in the store at the first look."""
        if self._known_homes is None:
            keys = await self._documents.list_keys("")
            self._known_homes = frozenset(key.partition("/")[0] for key in keys)
        return self._known_homes

    async def _mark(self, workspace: WorkspaceId) -> None:
        """Afterwards: after a crash in between it is rather said twice than never."""
        place = f"{workspace}/{KIND}"
        if await self._documents.get(place) is None:
            await self._documents.put(place, {"v": 1, "at": self._clock().isoformat()})

    async def _tell_if_lost(self, workspace: WorkspaceId) -> None:
        """Tell somebody, if the bot is in channels; what Slack refuses for good is given up."""
        try:
            client = await self._client_for(workspace)
            channels = await fetch_own_channels(client, workspace, limit=CHANNELS_LOOKED_FOR)
            if not channels:
                return
            logger.warning("the bot is in channels, but its store is empty", channels=channels)
            await self._tell(workspace, await fetch_admins(client, workspace), channels)
        except (TokenRefusedError, WorkspaceHeldError):
            raise  # until somebody changes that
        except SlackRefusedError as error:
            logger.warning("Slack does not say whether the store was lost", error=repr(error))

    async def _tell(
        self, workspace: WorkspaceId, user_ids: list[str], channel_ids: list[str]
    ) -> None:
        for user_id in user_ids:
            try:
                await self._people.send_dm(workspace, user_id, self._words(tuple(channel_ids)))
            except PersonUnreachableError:
                continue
            except SlackError as error:
                if not error.is_outcome_unknown:
                    raise
                logger.warning("nobody knows whether that was told", error=repr(error))
            self._was_told = True
            return
        logger.error("nobody to tell that the store is empty")
