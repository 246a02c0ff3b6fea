"""The handle by which tests and the page hold a running local Slack."""

from collections.abc import Mapping

import aiohttp

from bot.playground.slack import signing
from bot.playground.slack.admins import Admins
from bot.playground.slack.delivery import Delivery, Outbox
from bot.playground.slack.faults import Fault, Kind
from bot.playground.slack.people import Person
from bot.playground.slack.signed_http import SignedHttp
from bot.playground.slack.sockets import Sockets
from bot.playground.slack.world import Call, World


class LocalSlack:
    """A running workspace. `world` holds its parts, for what has no method here."""

    def __init__(self, world: World, sockets: Sockets, session: aiohttp.ClientSession) -> None:
        self.world = world
        self.sockets = sockets
        self.outbox = Outbox(sockets)
        self.api_url = ""
        self._session = session
        self._request_url = ""
        self._people: dict[str, Person] = {}
        self._admins = Admins(world)

    @property
    def bot_token(self) -> str:
        """`xoxb-…`, made for this run."""
        return self.world.bot_token

    @property
    def app_token(self) -> str:
        """`xapp-…`, made for this run."""
        return self.world.app_token

    @property
    def signing_secret(self) -> str:
        """The secret that proves requests over HTTP, made for this run."""
        return self.world.signing_secret

    @property
    def team_id(self) -> str:
        """The workspace's id."""
        return self.world.workspace.team_id

    @property
    def bot_user_id(self) -> str:
        """The id of the bot's own user."""
        return self.world.workspace.bot_user_id

    @property
    def calls(self) -> list[Call]:
        """Web API calls and uses of response_urls, oldest first; the last 20,000."""
        return self.world.calls

    @property
    def envelopes(self) -> list[Delivery]:
        """Payloads sent to the bot, oldest first; the last 20,000."""
        return self.outbox.sent

    @property
    def links_bare_domains(self) -> bool:
        """Whether a typed `example.com` arrives as `<http://example.com|example.com>`."""
        return self.world.links_bare_domains

    @links_bare_domains.setter
    def links_bare_domains(self, value: bool) -> None:
        self.world.links_bare_domains = value

    def person(self, name: str) -> Person:
        """Return somebody to act as. Raises: KeyError."""
        if name not in self._people:
            member = self.world.workspace.member_named(name)
            self._people[name] = Person(self.world, self.outbox, member)
        return self._people[name]

    def deliver_to(self, url: str) -> None:
        """Send payloads to this address as signed requests, no longer through sockets."""
        self._request_url = url
        self.outbox.carrier = SignedHttp(self._session, url, self.signing_secret)

    async def connected(self, timeout_s: float = 10) -> None:
        """Wait until a Socket Mode link of the bot is up. Raises: TimeoutError."""
        bell = self.world.workspace.bell
        await bell.until(lambda: self.sockets.count or None, timeout_s)

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
        self.world.faults.order(method, fault)

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

    def sign(self, body: bytes, at: float | None = None) -> dict[str, str]:
        """Return the headers that prove a body, signed at that Unix time (None: now)."""
        return signing.signed_headers(self.signing_secret, body, at)

    async def raw_post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Post anything to the bot's request URL; return status and body of its answer."""
        sender = SignedHttp(self._session, self._request_url, self.signing_secret)
        return await sender.post(body, headers)
