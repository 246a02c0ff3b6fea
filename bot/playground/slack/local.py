"""The handles by which tests and the page hold a running local Slack."""

from collections.abc import Iterable, Mapping
from functools import partial

import aiohttp

from bot.playground.slack import delivery, lifecycle, payloads
from bot.playground.slack.app import Fault, Kind
from bot.playground.slack.authorize_page import PATH
from bot.playground.slack.block_contents import Json
from bot.playground.slack.browser import Browser
from bot.playground.slack.change_event import PATIENCE_S
from bot.playground.slack.delivery import Delivery, Errands, Outbox, SignedHttp, Sockets
from bot.playground.slack.installations import Installation
from bot.playground.slack.model import Channel, Member, Message, Org
from bot.playground.slack.person import Person
from bot.playground.slack.universe import Universe, WorkspaceState


class Lines:
    """All that leads from a local Slack to the app. `request_url` is empty until it is known."""

    def __init__(
        self, universe: Universe, sockets: Sockets, session: aiohttp.ClientSession
    ) -> None:
        self.universe = universe
        self.sockets = sockets
        self.session = session
        app = universe.app
        limit_s = app.settings.answers_within_s
        self.outbox = Outbox(sockets, app.clock, limit_s, universe.change_event)
        self.request_url = ""
        self._events = Errands()
        app.announce = self._announce
        app.on_message = self._on_message

    async def close(self) -> None:
        """End every link, and the events still to be sent."""
        await self._events.stop()
        await self.outbox.later.stop()
        await self.sockets.close()

    def _announce(self, payloads: Iterable[Json]) -> None:
        self._events.start(self._tell(list(payloads)))

    def _on_message(
        self, world: WorkspaceState, kind: str, message: Message, before: Message | None
    ) -> None:
        if event := payloads.of_message(world, kind, message, before):
            self._announce([event])

    async def settled(self) -> None:
        """Wait until the app has taken every event that is on its way, or has failed to."""
        await self._events.settled()

    async def _tell(self, payloads: list[Json]) -> None:
        for payload in payloads:
            await self.outbox.deliver_event(payload)
            self.universe.change_event.notify()


class Handle:
    """A workspace or an organisation of a running local Slack: what both can do.

    `app.settings` can be changed at any time. `calls` are Web API calls and uses of
    response_urls, and `envelopes` the payloads sent to the bot, both oldest first, the last
    20,000. The credentials of the app are made for this run.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.universe, self.sockets, self.outbox = lines.universe, lines.sockets, lines.outbox
        self.app = app = self.universe.app
        self.calls, self.envelopes = app.calls, self.outbox.sent
        self.app_token, self.signing_secret = app.app_token, app.signing_secret
        self.client_id, self.client_secret = app.client_id, app.client_secret
        self.api_url = f"{self.universe.base}/api/"
        self.authorize_url = f"{self.universe.base}{PATH}"

    def _installed(self) -> Installation | None:
        raise NotImplementedError

    def _installation(self) -> Installation:
        installation = self._installed()
        if installation is None:
            raise LookupError("the app is not installed here")
        return installation

    @property
    def is_installed(self) -> bool:
        """Whether the app acts here; of an organisation: whether all of it installed it."""
        return self._installed() is not None

    async def uninstall(self, *, order: Iterable[str] = lifecycle.REMOVAL) -> list[Delivery]:
        """Remove the app, from the whole organisation if that installed it; tell the bot.

        The events go out in this `order`, those that the app gets.
        """
        installation = self._installation()
        lifecycle.remove(self.universe, installation)
        return await self._tell_removed(installation, order)

    async def _tell_removed(
        self, installation: Installation, order: Iterable[str]
    ) -> list[Delivery]:
        events = lifecycle.events_of_removal(self.universe, installation, order)
        return [await self.outbox.deliver_event(payload) for payload in events]

    def deliver_to(self, url: str) -> None:
        """Send payloads to this address as signed requests, no longer through sockets."""
        self.lines.request_url = url
        self.outbox.carrier = SignedHttp(self.lines.session, url, self.signing_secret)

    async def connected(self, timeout_s: float = PATIENCE_S) -> None:
        """Wait until a Socket Mode link of the bot is up. Raises: TimeoutError."""
        await self.universe.change_event.until(lambda: self.sockets.count or None, timeout_s)

    def fail_next(
        self,
        method: str,
        error: str = "ratelimited",
        status: int | None = None,
        retry_after_s: float = 1,
        times: int = 1,
        *,
        kind: Kind = "error",
        after_acting: bool = False,
        delay_s: float = 0,
    ) -> None:
        """Let the next `times` calls of a method go wrong; "response_url" is one, "*" is any.

        `kind`: "error" answers JSON with that error, "html" an error page, "drop" cuts the
        connection, "slow" only waits `delay_s` (so do the others, before they strike). `status`
        is 429 for `ratelimited` unless given, 500 for a page, else 200. With `after_acting` the
        message is posted or the form opened all the same, and only the answer is lost.
        """
        if status is None:
            status = 500 if kind == "html" else 429 if error == "ratelimited" else 200
        fault = Fault(kind, error, status, retry_after_s, delay_s, after_acting, times)
        self.app.faults.order(method, fault)

    def sign(self, body: bytes) -> dict[str, str]:
        """Return the headers that prove a body, signed now."""
        return delivery.signed_headers(self.signing_secret, body)

    async def raw_post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Post anything to the bot's request URL; return status and body of its answer."""
        lines = self.lines
        sender = SignedHttp(lines.session, lines.request_url, self.signing_secret)
        return await sender.post(body, headers)


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
        """Add a workspace that does not have the app. Raises: ValueError, if the name is taken."""
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
        """Take the app from workspaces, and tell the bot. Raises: LookupError."""
        for slack in workspaces:
            lifecycle.revoke_access(self._installation(), slack.world)
        return await self._tell("revoked", workspaces)

    async def _tell(self, change: str, workspaces: Iterable["LocalSlack"]) -> list[Delivery]:
        self.universe.change_event.notify()
        if f"team_access_{change}" not in self.app.settings.events:
            return []
        ids = [slack.team_id for slack in workspaces]
        changed = payloads.team_access(self.app, self._installation(), change, ids)
        return [await self.outbox.deliver_event(changed)]


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
        """Add a workspace that does not have the app. Raises: ValueError, if the name is taken."""
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

    async def deliver_event(self, event: Json, *, event_id: str | None = None) -> Delivery:
        """Tell the bot of an event here; with the id of an earlier one it comes twice."""
        payload = payloads.of_workspace(self.world, event, event_id=event_id)
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
        self.channel(channel_name).members.discard(self.bot_user_id)

    async def invite_bot(self, channel_name: str) -> None:
        """Add the app to a channel, which tells the app. Raises: KeyError."""
        channel = self.channel(channel_name)
        channel.members.add(self.bot_user_id)
        if "member_joined_channel" in self.world.app.settings.events:
            await self.deliver_event(payloads.joined_channel(self.world, channel))

    def restrict(self, channel_name: str, code: str | None = "restricted_action") -> None:
        """Refuse the app's posts there with this code; None: no longer. Raises: KeyError."""
        self.channel(channel_name).restricted = code

    def channel(self, name: str) -> Channel:
        """Return a channel, which may be about to change. Raises: KeyError."""
        channel = self.world.workspace.channel_named(name)
        if channel is None:
            raise KeyError(f"there is no channel {name}")
        # Those who wait look again once this turn of the loop, and with it the change, is over.
        self.universe.change_event.notify()
        return channel

    def deactivate(self, name: str) -> None:
        """Deactivate a person's account: they act no more, but stay in their channels."""
        member = self.world.workspace.member_named(name)
        member.deleted = True
        self.world.stacks.clear(member.id)

    def refuse_block_types(self, *types: str) -> None:
        """Play a workspace where these blocks are not rolled out yet; no argument: all are."""
        self.world.checks.refused_types = set(types)
