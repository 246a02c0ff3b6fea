"""The handle by which tests and the page hold a running local Slack."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from bot.playground.slack import app_events, lifecycle
from bot.playground.slack.admins import Admins
from bot.playground.slack.browser import Browser
from bot.playground.slack.delivery import Delivery
from bot.playground.slack.handle import Handle
from bot.playground.slack.installations import Installation
from bot.playground.slack.lines import Lines
from bot.playground.slack.local_org import LocalOrg
from bot.playground.slack.model import Member
from bot.playground.slack.people import Person
from bot.playground.slack.world import World

Json = dict[str, Any]


class LocalSlack(Handle):
    """A running workspace. `world` holds its parts, for what has no method here."""

    def __init__(self, lines: Lines, world: World) -> None:
        super().__init__(lines)
        self.world = world
        self._people: dict[str, Person] = {}
        self._admins = Admins(world)

    @property
    def bot_token(self) -> str:
        """The newest token that acts here, or did last; empty if the app never was here."""
        return self.world.bot_token

    @property
    def team_id(self) -> str:
        """The workspace's id."""
        return self.world.workspace.team_id

    @property
    def enterprise_id(self) -> str | None:
        """The id of its organisation; None outside of any."""
        return self.world.enterprise_id

    @property
    def bot_user_id(self) -> str:
        """The id of the bot's own user."""
        return self.world.workspace.bot_user_id

    @property
    def is_installed(self) -> bool:
        """Whether the app acts here."""
        return self.world.installation is not None

    @property
    def links_bare_domains(self) -> bool:
        """Whether a typed `example.com` arrives as `<http://example.com|example.com>`."""
        return self.world.links_bare_domains

    @links_bare_domains.setter
    def links_bare_domains(self, value: bool) -> None:
        self.world.links_bare_domains = value

    def add_workspace(self, name: str) -> "LocalSlack":
        """Add a workspace with people and channels of its own, without the app.

        Its ids are those of this one, which are for each workspace to give.

        Raises: ValueError, if the name is taken.
        """
        world = self.realm.add_workspace(name)
        lifecycle.take_bot_out(world)
        return LocalSlack(self.lines, world)

    def add_org(self, name: str) -> LocalOrg:
        """Add an organisation without workspaces. Raises: ValueError, if the name is taken."""
        org = self.realm.add_org(name)
        return LocalOrg(self.lines, org, lambda world: LocalSlack(self.lines, world))

    def person(self, name: str) -> Person:
        """Return somebody to act as. Raises: KeyError."""
        if name not in self._people:
            member = self.world.workspace.member_named(name)
            browser = partial(self._browser, member)
            self._people[name] = Person(self.world, self.outbox, member, browser)
        return self._people[name]

    def _browser(self, member: Member) -> Browser:
        session = self.realm.sign_in(self.world, member)
        return Browser(self.lines.session, self.realm.base, session)

    async def uninstall(
        self, *, order: Iterable[str] = lifecycle.REMOVAL, at: float | None = None
    ) -> list[Delivery]:
        """Remove the app, from the whole organisation if that installed it; tell the bot.

        The events go out in this `order`, those to which the app is subscribed; `at` is their
        time in Unix seconds (None: now).

        Raises: LookupError, if the app is not installed here.
        """
        return await self._remove(self._installation(), order, at)

    async def revoke_bot_token(self, *, at: float | None = None) -> list[Delivery]:
        """Revoke the bot's tokens, and tell the bot of that alone; the app stays installed.

        Raises: LookupError, if the app is not installed here.
        """
        return await self._revoke_tokens(self._installation(), at)

    async def deliver_event(
        self, event: Json, *, event_time: float | None = None, event_id: str | None = None
    ) -> Delivery:
        """Tell the bot of an event here: late by its time, or twice by its id.

        Events about the installation itself carry no authorizations, as in Slack.
        """
        if event["type"] in lifecycle.REMOVAL:
            installation = self.world.installation or lifecycle.in_workspace(self.world, "")
            payload = app_events.of_installation(
                self.app, installation, event, at=event_time, event_id=event_id
            )
        else:
            payload = app_events.of_workspace(self.world, event, at=event_time, event_id=event_id)
        return await self.outbox.deliver_event(payload)

    def _installation(self) -> Installation:
        if self.world.installation is None:
            raise LookupError(f"the app is not installed in {self.world.workspace.name}")
        return self.world.installation

    def archive(self, channel_name: str, *, keeps_bot: bool = False) -> None:
        """Archive a channel: posts to it are refused. Raises: KeyError.

        As in Slack, that takes the app out of it; with `keeps_bot` it stays in.
        """
        self._admins.archive(channel_name, keeps_bot=keeps_bot)

    def unarchive(self, channel_name: str) -> None:
        """Bring an archived channel back; the app has to be invited anew. Raises: KeyError."""
        self._admins.unarchive(channel_name)

    def remove_bot(self, channel_name: str) -> None:
        """Take the app out of a channel. Raises: KeyError."""
        self._admins.remove_bot(channel_name)

    def invite_bot(self, channel_name: str) -> None:
        """Bring the app into a channel. Raises: KeyError."""
        self._admins.invite_bot(channel_name)

    def restrict(self, channel_name: str, code: str = "restricted_action") -> None:
        """Refuse the app's posts to a channel with this code. Raises: KeyError.

        `restricted_action_thread_only_channel` leaves replies in threads alone,
        `restricted_action_non_threadable_channel` and `restricted_action_thread_locked` the rest.
        """
        self._admins.restrict(channel_name, code)

    def unrestrict(self, channel_name: str) -> None:
        """Let the app post to a channel again. Raises: KeyError."""
        self._admins.restrict(channel_name, None)

    def revoke_token(self, code: str = "account_inactive") -> None:
        """Refuse every call with the bot's token, as after the app was removed."""
        self._admins.refuse_token(code)

    def restore_token(self) -> None:
        """Take the bot's token again."""
        self._admins.refuse_token(None)

    def deactivate(self, name: str) -> None:
        """Deactivate somebody's account. Raises: KeyError."""
        self._admins.deactivate(name)

    def refuse_block_types(self, *types: str) -> None:
        """Play a workspace where these blocks are not rolled out yet; no argument: all are."""
        self.world.checks.refused_types = set(types)
