"""The handles by which tests and the page hold a running local Slack."""

from collections.abc import Iterable
from functools import partial

from bot.playground.slack import lifecycle, payloads
from bot.playground.slack.block_contents import Json
from bot.playground.slack.browser import Browser
from bot.playground.slack.delivery import Delivery
from bot.playground.slack.handle import Handle, Lines
from bot.playground.slack.installations import Installation
from bot.playground.slack.model import Channel, Member, Org
from bot.playground.slack.person import Person
from bot.playground.slack.workspace_state import WorkspaceState


class LocalOrg(Handle):
    """An organisation."""

    def __init__(self, lines: Lines, org: Org) -> None:
        super().__init__(lines)
        self.org = org
        self.id = org.id

    def _installed(self) -> Installation | None:
        return self.app.installations.at(self.id)

    @property
    def bot_token(self) -> str:
        """The newest token for the whole organisation; empty if there never was one."""
        return self.app.tokens.newest(self.id)

    def add_workspace(self, name: str) -> "LocalSlack":
        """Add a workspace with the organisation's people and channels of its own.

        It does not have the app, not even where the organisation has installed it. Raises:
        ValueError, if the name is taken.
        """
        world = self.universe.add_workspace_of(self.org, name)
        lifecycle.take_bot_out(world)
        return LocalSlack(self.lines, world)

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

    async def deliver_event(
        self, event: Json, *, event_time: float | None = None, event_id: str | None = None
    ) -> Delivery:
        """Tell the bot of an event about the installation. See `LocalSlack.deliver_event`."""
        installation = self._installed() or lifecycle.in_org(self.org, "")
        payload = payloads.of_installation(
            self.app, installation, event, at=event_time, event_id=event_id
        )
        return await self.outbox.deliver_event(payload)

    async def _tell(self, change: str, workspaces: Iterable["LocalSlack"]) -> list[Delivery]:
        self.universe.change_event.notify()
        if f"team_access_{change}" not in self.app.settings.events:
            return []
        ids = [slack.team_id for slack in workspaces]
        told = payloads.team_access(self.app, self._installation(), change, ids)
        return [await self.outbox.deliver_event(told)]


class LocalSlack(Handle):
    """A running workspace. `world` holds its parts, for what has no method here."""

    def __init__(self, lines: Lines, world: WorkspaceState) -> None:
        super().__init__(lines)
        self.world = world
        self.team_id, self.bot_user_id = world.workspace.team_id, world.workspace.bot_user_id
        self.enterprise_id = world.enterprise_id
        self._people: dict[str, Person] = {}

    def _installed(self) -> Installation | None:
        return self.world.installation

    @property
    def bot_token(self) -> str:
        """The newest token that acts here, or did last; empty if the app never was here."""
        return self.world.bot_token

    def add_workspace(self, name: str) -> "LocalSlack":
        """Add a workspace with people and channels of its own, without the app.

        Its ids are those of this one, which are for each workspace to give. Raises: ValueError, if
        the name is taken.
        """
        world = self.universe.add_workspace(name)
        lifecycle.take_bot_out(world)
        return LocalSlack(self.lines, world)

    def add_org(self, name: str) -> LocalOrg:
        """Add an organisation without workspaces. Raises: ValueError, if the name is taken."""
        org = self.universe.add_org(name)
        return LocalOrg(self.lines, org)

    def person(self, name: str) -> Person:
        """Return somebody to act as. Raises: KeyError."""
        if name not in self._people:
            member = self.world.workspace.member_named(name)
            browser = partial(self._browser, member)
            self._people[name] = Person(self.world, self.outbox, member, browser)
        return self._people[name]

    def _browser(self, member: Member) -> Browser:
        session = self.universe.sign_in(self.world, member)
        return Browser(self.lines.session, self.universe.base, session)

    async def deliver_event(
        self, event: Json, *, event_time: float | None = None, event_id: str | None = None
    ) -> Delivery:
        """Tell the bot of an event here: late by its time, or twice by its id.

        Events about the installation itself carry no authorizations, as in Slack.
        """
        if event["type"] in lifecycle.REMOVAL:
            installation = self.world.installation or lifecycle.in_workspace(self.world, "")
            payload = payloads.of_installation(
                self.app, installation, event, at=event_time, event_id=event_id
            )
        else:
            payload = payloads.of_workspace(self.world, event, at=event_time, event_id=event_id)
        return await self.outbox.deliver_event(payload)

    def archive(self, channel_name: str, *, keeps_bot: bool = False) -> None:
        """Archive a channel: posts to it are refused. Raises: KeyError.

        Unless `keeps_bot`, that takes the app out of it, even for later. No page of Slack says so,
        but people who tried it do: https://github.com/elastic/connectors/issues/1972.
        """
        self.channel(channel_name).is_archived = True
        if not keeps_bot:
            self.remove_bot(channel_name)

    def unarchive(self, channel_name: str) -> None:
        """Bring an archived channel back; the app has to be invited again. Raises: KeyError."""
        self.channel(channel_name).is_archived = False

    def remove_bot(self, channel_name: str) -> None:
        """Take the app out of a channel. Raises: KeyError."""
        self.channel(channel_name).members.discard(self.bot_user_id)

    def invite_bot(self, channel_name: str) -> None:
        """Bring the app into a channel. Raises: KeyError."""
        self.channel(channel_name).members.add(self.bot_user_id)

    def restrict(self, channel_name: str, code: str | None = "restricted_action") -> None:
        """Refuse the app's posts to a channel with this code; None: no longer. Raises: KeyError.

        `restricted_action_thread_only_channel` leaves replies in threads alone,
        `restricted_action_non_threadable_channel` and `restricted_action_thread_locked` the rest.
        """
        self.channel(channel_name).restricted = code

    def unrestrict(self, channel_name: str) -> None:
        """Let the app post to a channel again. Raises: KeyError."""
        self.restrict(channel_name, None)

    def channel(self, name: str) -> Channel:
        """Return a channel, which may be about to change. Raises: KeyError."""
        channel = self.world.workspace.channel_named(name)
        if channel is None:
            raise KeyError(f"there is no channel {name}")
        # Those who wait look again once this turn of the loop, and with it the change, is over.
        self.universe.change_event.notify()
        return channel

    def revoke_token(self, code: str | None = "account_inactive") -> None:
        """Refuse every call with the bot's token, as after a removal; None: no longer."""
        self._installation().refusal = code
        self.universe.change_event.notify()

    def restore_token(self) -> None:
        """Take the bot's token again."""
        self.revoke_token(None)

    def deactivate(self, name: str) -> None:
        """Deactivate a person's account: they act no more, and their open forms go.

        They stay in their channels, as in Slack. Raises: KeyError.
        """
        member = self.world.workspace.member_named(name)
        member.deleted = True
        self.world.stacks.clear(member.id)

    def refuse_block_types(self, *types: str) -> None:
        """Play a workspace where these blocks are not rolled out yet; no argument: all are."""
        self.world.checks.refused_types = set(types)
