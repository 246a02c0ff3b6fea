"""Check who may see and change the digests of a channel."""

from dataclasses import dataclass, replace

from bot.digests import models
from bot.digests.edits import Editor
from bot.digests.service import DigestService
from bot.dispatch.request import Request
from bot.process.errors import ExternalUserError
from bot.slack.channels import Channel, fetch_channel, is_in_channel
from bot.slack.client import Member, open_direct
from bot.slack.errors import ChannelClosedError, MissingScopeError, SlackRefusedError


@dataclass(frozen=True, slots=True)
class ChannelAccess:
    """A person who may see a channel's digests. `channel` is `None` if hidden from the bot.

    `sees_own_only`: the person may see only their own digests there.
    """

    member: Member
    channel: Channel | None
    sees_own_only: bool = False

    @property
    def has_outsiders(self) -> bool:
        return self.channel is not None and self.channel.is_shared

    @property
    def editor(self) -> Editor:
        return Editor(user_id=self.member.user_id, name=self.member.name)


@dataclass(frozen=True, slots=True)
class DigestAccess:
    """Members see and change the digests of their own channels; admins those of public ones too.

    The bot cannot see a private channel that it is not in. The person who made a digest there,
    or in a channel that is archived now, can still change, move or delete it.
    """

    digests: DigestService

    async def require_member(self, request: Request) -> Member:
        """Return the person; raise ExternalUserError, GuestError or SlackError."""
        member = await request.fetch_member()
        if member.is_stranger:
            raise ExternalUserError("digests are for the workspace's own people")
        if member.is_guest:
            raise models.GuestError("digests are not for guests")
        return member

    async def require_visitor(self, request: Request, channel_id: str) -> ChannelAccess:
        """Return the person, if they may see the digests there, or raise NotInChannelError."""
        visitor = await self._visitor(request, channel_id)
        if await _may_see(request, visitor, channel_id):
            return visitor
        digests = await self.digests.of_channel(request.workspace, channel_id)
        if any(_is_own(digest, visitor) for digest in digests):
            return replace(visitor, sees_own_only=True)
        raise models.NotInChannelError("not a member of the channel")

    async def require_editor(
        self, request: Request, channel_id: str, *, digest: models.Digest | None = None
    ) -> ChannelAccess:
        """Return the person, if they may change these digests, or raise NotInChannelError."""
        if models.is_direct(channel_id) and not digest:
            own_id, own = await self.require_own(request)
            if own_id == channel_id:
                return own
        visitor = await self._visitor(request, channel_id)
        if digest and _is_own(digest, visitor):
            return replace(visitor, sees_own_only=True)
        if await _is_in(request, visitor, channel_id):
            return visitor
        raise models.NotInChannelError("not a member of the channel")

    async def require_own(self, request: Request) -> tuple[str, ChannelAccess]:
        """Return a person's direct message with the app, and them; raise as `require_member`."""
        member = await self.require_member(request)
        channel_id = await open_direct(request.client, member.user_id)
        return channel_id, ChannelAccess(member, None, sees_own_only=True)

    async def digest_to_edit(
        self, request: Request, digest_id: str
    ) -> tuple[models.Digest, ChannelAccess]:
        """Return a digest and the person, if they may change it; raise UnknownDigestError too."""
        digest = await self.digests.get(request.workspace, digest_id)
        return digest, await self.require_editor(request, digest.plan.channel_id, digest=digest)

    async def _visitor(self, request: Request, channel_id: str) -> ChannelAccess:
        member = await self.require_member(request)
        return ChannelAccess(member, await seen_channel(request, channel_id))


def require_open(visitor: ChannelAccess, plan: models.Plan) -> None:
    """Raise BotNotInChannelError or ChannelClosedError if the bot cannot post in the channel."""
    if plan.is_own:  # into a direct message it always can
        return
    if visitor.channel and visitor.channel.is_archived:  # the bot cannot be invited into it either
        raise ChannelClosedError("is_archived")
    if visitor.channel is None or not visitor.channel.has_bot:
        raise models.BotNotInChannelError("not invited")


def is_channel(channel_id: str | None) -> bool:
    """Return whether an id is that of a place other than a direct message of one person."""
    return bool(channel_id) and not models.is_direct(channel_id)


async def seen_channel(request: Request, channel_id: str) -> Channel | None:
    """Return a channel, `None` if it is hidden from the bot; raise SlackError."""
    if not is_channel(channel_id):
        return None
    try:
        return await fetch_channel(request.client, channel_id)
    except (ChannelClosedError, MissingScopeError):  # direct messages of several have a scope too
        return None


async def _may_see(request: Request, visitor: ChannelAccess, channel_id: str) -> bool:
    """Return whether the person is in the channel: a command that was typed there proves it."""
    origin = request.origin
    typed_here = origin.channel_id == channel_id and not origin.is_message
    if typed_here and (request.answer.view_id is None or visitor.channel is None):
        return True
    return await _is_in(request, visitor, channel_id)


def _is_own(digest: models.Digest, visitor: ChannelAccess) -> bool:
    """Return whether the person made it where the bot cannot know, or Slack hides, the members."""
    is_out_of_sight = visitor.channel is None or visitor.channel.is_archived
    return is_out_of_sight and digest.made_by == visitor.member.user_id


async def _is_in(request: Request, visitor: ChannelAccess, channel_id: str) -> bool:
    channel = visitor.channel
    if channel is None:
        return False
    if visitor.member.is_admin and not channel.is_private:
        return True
    try:
        return await is_in_channel(request.client, channel_id, visitor.member.user_id)
    except SlackRefusedError:
        if channel.is_archived:  # without the bot Slack does not say who was in it
            return False
        raise
