"""One call of a Web API method, and lists in pages.

https://docs.slack.dev/apis/web-api/pagination
"""

import base64
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from bot.playground.slack.block_contents import Json
from bot.playground.slack.installations import Token
from bot.playground.slack.model import Channel, Member
from bot.playground.slack.refusals import Refusal, Tier, bad_arguments
from bot.playground.slack.universe import Universe, WorkspaceState


@dataclass(frozen=True)
class ApiCall:
    """The arguments of a call and the world in which it acts; `token` only if it is the bot's."""

    universe: Universe
    world: WorkspaceState
    arguments: Json
    token: Token | None = None

    def get(self, name: str) -> Any:
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
    by a "team_id" that has to be there, or "nowhere" in particular. `tier` is how often it may be
    called; None: without a limit here. What Slack says of each method is also in
    https://github.com/slackapi/java-slack-sdk/blob/main/metadata/web-api/rate_limit_tiers.json.
    """

    run: Callable[[ApiCall], Json]
    scopes: tuple[str, ...] = ()
    token: str | None = "xoxb"  # noqa: S105  the kind of token, not one; None: needs none
    acts_in: Literal["named", "team_id", "nowhere"] = "named"
    tier: Tier | None = None


T = TypeVar("T")

MAX_LIMIT = 999  # "under 1000": https://docs.slack.dev/reference/methods/conversations.members
_CURSOR = "from:"


def one_page(
    call: ApiCall, things: Mapping[str, T], default_limit: int | None
) -> tuple[list[T], Json]:
    """Return one page of things by id, and the `response_metadata` that leads to the next.

    A cursor holds the id of the first thing to come, so that it leads on where others join or
    leave. Without a limit in the call it is `default_limit`; None: everything. Raises:
    Refusal, of a limit or a cursor that is none.
    """
    ids = sorted(things)
    start, limit = bisect_left(ids, _first_id(call.get("cursor"))), _limit(call)
    end = start + (limit or default_limit or len(ids))
    rest = ids[end:]
    following = base64.b64encode(f"{_CURSOR}{rest[0]}".encode()).decode() if rest else ""
    return [things[each] for each in ids[start:end]], {"next_cursor": following}


def _limit(call: ApiCall) -> int | None:
    try:
        limit = int(call.get("limit") or 0)
    except (TypeError, ValueError) as error:
        raise Refusal("invalid_limit") from error
    if not 0 <= limit <= MAX_LIMIT:
        raise Refusal("invalid_limit")
    return limit or None


def _first_id(cursor: object) -> str:
    """Return the id that a cursor begins with; empty for the first page. Raises: Refusal."""
    if not cursor:
        return ""
    try:
        text = base64.b64decode(str(cursor), validate=True).decode()
    except ValueError as error:
        raise Refusal("invalid_cursor") from error
    if not text.startswith(_CURSOR):
        raise Refusal("invalid_cursor")
    return text.removeprefix(_CURSOR)
