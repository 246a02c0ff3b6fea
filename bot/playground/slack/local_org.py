"""The handle by which tests hold an organisation with its workspaces."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from bot.playground.slack import app_events, lifecycle
from bot.playground.slack.delivery import Delivery
from bot.playground.slack.handle import Handle
from bot.playground.slack.installations import Installation
from bot.playground.slack.lines import Lines
from bot.playground.slack.orgs import Org
from bot.playground.slack.world import World

if TYPE_CHECKING:
    from bot.playground.slack.local import LocalSlack

Json = dict[str, Any]


class LocalOrg(Handle):
    """An organisation. `handle_for` returns the handle of one of its workspaces."""

    def __init__(
        self, lines: Lines, org: Org, handle_for: "Callable[[World], LocalSlack]"
    ) -> None:
        super().__init__(lines)
        self.org = org
        self._handle_for = handle_for

    @property
    def id(self) -> str:
        """The organisation's id, `E…`."""
        return self.org.id

    @property
    def bot_token(self) -> str:
        """The newest token for the whole organisation; empty if there never was one."""
        return self.app.tokens.newest(self.org.id)

    @property
    def is_installed(self) -> bool:
        """Whether the whole organisation has installed the app."""
        return self.app.installations.at(self.org.id) is not None

    def add_workspace(self, name: str) -> "LocalSlack":
        """Add a workspace with the organisation's people and channels of its own.

        It does not have the app, not even where the organisation has installed it.

        Raises: ValueError, if the name is taken.
        """
        world = self.realm.add_workspace_of(self.org, name)
        lifecycle.take_bot_out(world)
        return self._handle_for(world)

    async def grant(self, *workspaces: "LocalSlack") -> list[Delivery]:
        """Give workspaces the app that the organisation has installed, and tell the bot.

        Raises: LookupError, if it has not.
        """
        for slack in workspaces:
            lifecycle.grant(self._installation(), slack.world)
        return await self._tell("granted", workspaces)

    async def revoke_access(self, *workspaces: "LocalSlack") -> list[Delivery]:
        """Take the app from workspaces, and tell the bot; the token lives on for the others.

        Raises: LookupError, if the organisation has not installed the app.
        """
        for slack in workspaces:
            lifecycle.revoke_access(self._installation(), slack.world)
        return await self._tell("revoked", workspaces)

    async def uninstall(
        self, *, order: Iterable[str] = lifecycle.REMOVAL, at: float | None = None
    ) -> list[Delivery]:
        """Remove the app from the organisation, and tell the bot. See `LocalSlack.uninstall`.

        Raises: LookupError, if it has not installed it.
        """
        return await self._remove(self._installation(), order, at)

    async def revoke_bot_token(self, *, at: float | None = None) -> list[Delivery]:
        """Revoke the organisation's tokens. See `LocalSlack.revoke_bot_token`."""
        return await self._revoke_tokens(self._installation(), at)

    async def deliver_event(
        self, event: Json, *, event_time: float | None = None, event_id: str | None = None
    ) -> Delivery:
        """Tell the bot of an event about the installation. See `LocalSlack.deliver_event`."""
        installation = self.app.installations.at(self.id) or lifecycle.in_org(self.org, "")
        payload = app_events.of_installation(
            self.app, installation, event, at=event_time, event_id=event_id
        )
        return await self.outbox.deliver_event(payload)

    async def _tell(self, change: str, workspaces: Iterable["LocalSlack"]) -> list[Delivery]:
        self.realm.bell.ring()
        if f"team_access_{change}" not in self.app.settings.events:
            return []
        ids = [slack.team_id for slack in workspaces]
        told = app_events.team_access(self.app, self._installation(), change, ids)
        return [await self.outbox.deliver_event(told)]

    def _installation(self) -> Installation:
        installation = self.app.installations.at(self.org.id)
        if installation is None:
            raise LookupError(f"{self.org.name} has not installed the app")
        return installation
