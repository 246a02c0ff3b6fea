"""One call of a Web API method, as its family sees it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from bot.playground.slack.model import Channel, Member
from bot.playground.slack.realm import Realm
from bot.playground.slack.refusals import Refusal, bad_arguments
from bot.playground.slack.tokens import Token
from bot.playground.slack.world import World

Json = dict[str, Any]


@dataclass(frozen=True)
class ApiCall:
    """The arguments of a call and the world in which it acts.

    `token` is the bot's; None for methods that take none, or the app's own.
    """

    realm: Realm
    world: World
    arguments: Json
    token: Token | None = None

    def get(self, name: str) -> Any:
        """Return an argument, or None."""
        return self.arguments.get(name)

    def required(self, name: str) -> Any:
        """Return an argument. Raises: Refusal, if it is missing or empty."""
        value = self.arguments.get(name)
        if value in (None, ""):
            raise bad_arguments(f"missing required field: {name}")
        return value

    def is_set(self, name: str) -> bool:
        """Tell whether a flag is on, in a form as in JSON."""
        return self.arguments.get(name) in (True, "true", "1", 1)

    def need(self, *any_of: str) -> None:
        """Pass if the token has one of these scopes. Raises: Refusal."""
        scopes = self.token.installation.scopes if self.token else ()
        if not any(scope in scopes for scope in any_of):
            needed, provided = ",".join(any_of), ",".join(scopes)
            raise Refusal("missing_scope", needed=needed, provided=provided)

    def member(self, member_id: object) -> Member:
        """Return a person. Raises: Refusal."""
        member = self.world.workspace.members.get(str(member_id))
        if member is None:
            raise Refusal("user_not_found")
        return member

    def person(self, member_id: object) -> Member:
        """Return somebody whom the bot can write to. Raises: Refusal."""
        member = self.member(member_id)
        if member.is_bot:
            raise Refusal("cannot_dm_bot")
        return member

    def channel(self, channel_id: object) -> Channel:
        """Return a channel that the bot can see. Raises: Refusal."""
        channel = self.world.workspace.channels.get(str(channel_id))
        if channel is None or not self.sees(channel):
            raise Refusal("channel_not_found")
        return channel

    def sees(self, channel: Channel) -> bool:
        """Tell whether the bot can see a channel: a public one, or one that it is in."""
        hidden = channel.is_private or channel.is_im
        return not hidden or self.world.workspace.bot_user_id in channel.members


@dataclass(frozen=True)
class Method:
    """A Web API method: what it does and which scopes it needs (any one of them; none: ()).

    `acts_in` says how an organisation's token finds the workspace: by what the arguments "name",
    by a "team_id" that has to be there, or "nowhere" in particular.
    """

    run: Callable[[ApiCall], Json]
    scopes: tuple[str, ...] = ()
    token: str | None = "xoxb"  # noqa: S105  the kind of token, not one; None: needs none
    acts_in: Literal["named", "team_id", "nowhere"] = "named"
