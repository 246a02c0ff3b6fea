"""Ask Slack whether it still accepts the stored tokens, and remove what it does not.

Slack tells of a removal by an event that it repeats for some minutes only. Hence every token is
proved once a day, and at once when a call with it was refused.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

import structlog
from cachetools import TTLCache
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import NonOverlappingTask, Tasks
from bot.errors import BotError
from bot.installations.models import decode, is_installation, organisation_of, place_of, stamp_of
from bot.installations.repository import InstallationRepository, next_proof
from bot.slack.client import slack_errors
from bot.slack.errors import SlackError, TokenRefusedError
from bot.store.documents import ConflictError, Documents
from bot.workspace import WorkspaceId

ANSWERED_WITHIN_S = 10.0
# https://docs.slack.dev/reference/methods/auth.test#errors, of a refresh token, and ours of none.
# A token that has ended (by a clock that goes wrong) is none of these: another one can be had.
DEAD = frozenset(
    {
        "account_inactive",
        "invalid_refresh_token",
        "not_authed",
        "token_revoked",
    }
)
# "Some aspect of authentication cannot be validated", also for a wrong address of ours: it counts
# only where an event has told that the app is gone.
INVALID = "invalid_auth"


class TokenProof:
    """Asks `auth.test` with the token of a workspace or organisation.

    `is_told`: Slack has told that the app is gone; then `invalid_auth` is enough of a proof.
    """

    def __init__(
        self,
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
        *,
        is_told: bool = False,
    ) -> None:
        self._client_for = client_for
        self._dead = DEAD | {INVALID} if is_told else DEAD

    async def __call__(self, home: WorkspaceId) -> bool:
        """Return whether Slack takes it, or the one that is to be had for it; without one not.

        Raises:
            SlackError: Slack does not say.
        """
        try:
            client = await self._client_for(home)
            async with slack_errors(), asyncio.timeout(ANSWERED_WITHIN_S):
                await client.auth_test()
        except TokenRefusedError as error:
            if error.code not in self._dead:
                raise
            return False
        return True


logger = structlog.get_logger()
LOOK_AT = 20_000
AT_ONCE = 5
MAX_REMEMBERED = 10_000
# After a failure of the store or a mistake of ours, and between two doubts of one workspace.
LEFT_ALONE_S = 600
DOUBTED_AGAIN_AFTER_S = 300
# Asks Slack whether it takes the token of that home now; raises SlackError when it does not say.
StillWorks = Callable[[WorkspaceId], Awaitable[bool]]


async def _nothing(_home: WorkspaceId) -> None:
    return None


class TokenChecker:
    """Forgets tokens that Slack refuses; the rest is deleted later, see `WAITS_FOR_REINSTALL`.

    `caches` empty what this process remembers of a workspace. `on_revoked` learns of a home whose
    tokens were forgotten, and may raise nothing.
    """

    def __init__(
        self,
        documents: Documents,
        shelf: InstallationRepository,
        *,
        still_works: StillWorks,
        caches: Sequence[Callable[[WorkspaceId], object]],
        tasks: Tasks,
        clock: Callable[[], datetime],
        on_revoked: Callable[[WorkspaceId], Awaitable[object]] = _nothing,
    ) -> None:
        self._documents = documents
        self._shelf = shelf
        self._still_works = still_works
        self._caches = caches
        self._tasks = tasks
        self._clock = clock
        self._on_revoked = on_revoked
        self._round = NonOverlappingTask(tasks, self.prove_due)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._left_alone = self._remembered_for(LEFT_ALONE_S)
        self._doubted = self._remembered_for(DOUBTED_AGAIN_AFTER_S)

    def look(self) -> None:
        """Begin to prove what is due, for each tick; this never waits."""
        self._round.begin()

    def doubt(self, workspace: WorkspaceId) -> None:
        """Begin to prove the token that acts in a workspace: Slack has just refused it.

        It never waits, and raises nothing; whoever doubts again soon is not heard.
        """
        if workspace not in self._doubted:
            self._doubted[workspace] = True
            self._tasks.start(self._settle(workspace))

    async def prove(self, home: WorkspaceId) -> None:
        """Ask Slack, and forget the tokens of `home` if it does not take them.

        The wait for new ones begins now.

        Raises:
            SlackError: Slack does not say; nothing was changed.
            StoreError: the store failed.
        """
        while True:
            try:
                await self._prove(home)
            except ConflictError:
                continue  # installed anew, or a token renewed, meanwhile: look again
            return

    async def prove_due(self) -> None:
        """Prove those whose time has come, a few at once; raise StoreError."""
        keys = await self._documents.due_keys(self._clock(), limit=LOOK_AT)
        homes = [WorkspaceId.parse(key.partition("/")[0]) for key in keys if is_installation(key)]
        await asyncio.gather(*(self._take_up(each) for each in homes))

    async def _prove(self, home: WorkspaceId) -> None:
        document = await self._documents.get(place_of(home))
        if document is None or not stamp_of(home, document).has_tokens:
            return
        if await self._still_works(home):
            await self._put_off(home)
            return
        known = replace(decode(home, document.value, None), revoked_at=self._clock())
        await self._shelf.put(known, if_rev=document.rev)
        for empty in self._caches:
            empty(home)
        logger.warning("Slack does not take the tokens any more", home=str(home))
        await self._on_revoked(home)

    async def _put_off(self, home: WorkspaceId) -> None:
        """Let it come due tomorrow."""
        document = await self._documents.get(place_of(home))
        if document is None or not stamp_of(home, document).has_tokens:
            return
        due_at = next_proof(home, self._clock())
        with contextlib.suppress(ConflictError):  # it is proved once more, no harm
            await self._documents.put(
                document.key, document.value, due_at=due_at, if_rev=document.rev
            )

    async def _take_up(self, home: WorkspaceId) -> None:
        async with self._turns:
            if home in self._left_alone:
                return
            try:
                await self._prove_or_put_off(home)
            except Exception as error:  # noqa: BLE001  # whatever it is, others wait behind it
                self._left_alone[home] = True
                told = logger.bind(home=str(home), error=repr(error))
                told.warning("not proved", exc_info=not isinstance(error, BotError))

    async def _prove_or_put_off(self, home: WorkspaceId) -> None:
        try:
            await self.prove(home)
        except SlackError as error:
            logger.warning("not proved: tomorrow again", home=str(home), error=repr(error))
            await self._put_off(home)

    async def _settle(self, workspace: WorkspaceId) -> None:
        try:
            for home in filter(None, (workspace, organisation_of(workspace))):
                if stamp_of(home, await self._documents.get(place_of(home))).has_tokens:
                    await self.prove(home)
                    return
        except BotError as error:
            told = logger.bind(workspace=str(workspace), error=repr(error))
            told.warning("not proved: at the latest tomorrow")

    def _remembered_for(self, seconds: float) -> TTLCache[WorkspaceId, bool]:
        return TTLCache(MAX_REMEMBERED, seconds, timer=lambda: self._clock().timestamp())
