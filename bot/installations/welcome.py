"""The first words after an installation, to whoever made it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.errors import BotError
from bot.installations.departure import prefix_of
from bot.installations.grants import KIND as GRANTED
from bot.installations.installation import Installation
from bot.installations.shelf import is_installation
from bot.message import Message
from bot.slack.errors import SlackError
from bot.slack.membership import fetch_own_channels
from bot.store.base import Documents
from bot.tasks import Tasks
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# One more than are named, so that it can be said that there are others.
CHANNELS_LOOKED_FOR = 6


class TellsPeople(Protocol):
    """Whoever sends direct messages."""

    async def tell(self, workspace: WorkspaceId, user_id: str, message: Message) -> None:
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
            await self._people.tell(
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
