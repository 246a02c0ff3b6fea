"""Notices that the bot is at home in Slack while its store is empty, and says so once."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BotError
from bot.installations.welcome import CHANNELS_LOOKED_FOR, TellsPeople
from bot.message import Message
from bot.slack.errors import (
    PersonUnreachableError,
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.slack.membership import fetch_in_charge, fetch_own_channels
from bot.store.base import Documents
from bot.tasks import Tasks
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

KIND = "seen"
FIRST_RETRY = timedelta(seconds=30)
LONGEST_RETRY = timedelta(hours=1)


class Canary:
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
            await self._tell(workspace, await fetch_in_charge(client, workspace), channels)
        except (TokenRefusedError, WorkspaceHeldError):
            raise  # until somebody changes that
        except SlackRefusedError as error:
            logger.warning("Slack does not say whether the store was lost", error=repr(error))

    async def _tell(
        self, workspace: WorkspaceId, user_ids: list[str], channel_ids: list[str]
    ) -> None:
        for user_id in user_ids:
            try:
                await self._people.tell(workspace, user_id, self._words(tuple(channel_ids)))
            except PersonUnreachableError:
                continue
            except SlackError as error:
                if not error.is_outcome_unknown:
                    raise
                logger.warning("nobody knows whether that was told", error=repr(error))
            self._was_told = True
            return
        logger.error("nobody to tell that the store is empty")
