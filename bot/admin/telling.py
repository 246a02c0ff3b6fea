"""One notice of a key on its way to one person after the other."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Protocol

import structlog

from bot.keys import Claim, KeyClaims
from bot.message import Message
from bot.slack.errors import (
    PersonUnreachableError,
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# Of a user group with hundreds of people some know it then, and no more are looked at than that.
MAX_TOLD = 20
MAX_LOOKED_AT = 50
SOON = timedelta(minutes=1)
LATER = timedelta(hours=1)
MAX_TRIES = 72


class TellsPeople(Protocol):
    """Whoever sends direct messages."""

    async def tell(self, workspace: WorkspaceId, user_id: str, message: Message) -> None:
        """Send one; raise SlackError."""
        ...


class KnowsGroups(Protocol):
    """Whoever knows who is in a user group."""

    async def people_in(self, workspace: WorkspaceId, group_id: str) -> Sequence[str]:
        """Return the ids of whoever is; nobody when it is gone. Raise SlackError."""
        ...

    async def is_colleague(self, workspace: WorkspaceId, user_id: str) -> bool:
        """Return whether it is a person of the workspace, and no guest. Raise SlackError."""
        ...


class Telling:
    """Tells each person once, and twenty at most, all tries together."""

    def __init__(
        self,
        people: TellsPeople,
        claims: KeyClaims,
        workspace: WorkspaceId,
        claim: Claim,
        message: Message,
    ) -> None:
        self._people = people
        self._claims = claims
        self._workspace = workspace
        self._claim = claim
        self._message = message
        self._tried = set(claim.told)
        self.reached = len(claim.told)

    async def tell(self, user_ids: Iterable[str]) -> timedelta | None:
        """Tell those who were not told yet; return after what time to go on, if at all.

        Raises:
            StoreError: nobody knows who was told.
        """
        for user_id in self._left(user_ids):
            self._tried.add(user_id)
            try:
                await self._people.tell(self._workspace, user_id, self._message)
            except PersonUnreachableError:
                continue  # they have left
            except SlackError as error:
                if wait := self._wait(error):
                    return wait
                continue  # in vain for them, perhaps not for the others
            self.reached += 1
            await self._claims.note_told(self._workspace, self._claim, user_id)
        return None

    async def tell_group(self, groups: KnowsGroups, group_id: str) -> timedelta | None:
        """Tell those in a group who may be managers; as `tell`."""
        if self.reached >= MAX_TOLD:
            return None
        try:
            people = await groups.people_in(self._workspace, group_id)
            fit = [
                user_id
                for user_id in [*self._left(people)][:MAX_LOOKED_AT]
                if await groups.is_colleague(self._workspace, user_id)
            ]
        except SlackError as error:
            return self._wait(error)
        return await self.tell(fit)

    def _left(self, user_ids: Iterable[str]) -> Iterable[str]:
        for user_id in dict.fromkeys(user_ids):
            if user_id not in self._tried and self.reached < MAX_TOLD:
                yield user_id

    def _wait(self, error: SlackError) -> timedelta | None:
        wait = wait_after(error, self._claim.tries)
        logger.warning("could not tell of the key", error=repr(error), wait=str(wait))
        return wait


def wait_after(error: SlackError, tries: int) -> timedelta | None:
    """How long to wait before the next try; `None`: another would be in vain.

    What may not have arrived is sent again, once.
    """
    if isinstance(error, SlackRateLimitedError):
        return timedelta(seconds=max(1.0, error.retry_after_s))
    if tries >= MAX_TRIES:
        return None
    if isinstance(error, TokenRefusedError | WorkspaceHeldError):
        return LATER
    if isinstance(error, SlackRefusedError) or (error.is_outcome_unknown and tries):
        return None
    doubled: timedelta = SOON * 2 ** min(tries, 8)
    return min(doubled, LATER)
