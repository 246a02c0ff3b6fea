"""What the people who run a workspace do to channels, to members, and to the app in it."""

from bot.playground.slack.model import Channel
from bot.playground.slack.world import World


class Admins:
    """Acts that change what the app may do. Channels are named without `#`.

    Each raises KeyError for a channel or a person that is not there.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def archive(self, channel_name: str, *, keeps_bot: bool) -> None:
        """Archive a channel; unless `keeps_bot`, the app is no longer in it, even later.

        No page of Slack says so, but people who tried it do:
        https://github.com/elastic/connectors/issues/1972.
        """
        channel = self._channel(channel_name)
        channel.is_archived = True
        if not keeps_bot:
            channel.members.discard(self._world.workspace.bot_user_id)
        self._ring()

    def unarchive(self, channel_name: str) -> None:
        """Bring an archived channel back, without the app if that is not in it any more."""
        self._channel(channel_name).is_archived = False
        self._ring()

    def remove_bot(self, channel_name: str) -> None:
        """Take the app out of a channel."""
        self._channel(channel_name).members.discard(self._world.workspace.bot_user_id)
        self._ring()

    def invite_bot(self, channel_name: str) -> None:
        """Bring the app into a channel."""
        self._channel(channel_name).members.add(self._world.workspace.bot_user_id)
        self._ring()

    def restrict(self, channel_name: str, code: str | None) -> None:
        """Let the app's posts to a channel be refused with that code; None: no longer."""
        self._channel(channel_name).restricted = code
        self._ring()

    def refuse_token(self, code: str | None) -> None:
        """Let every call with the bot's token be refused with that code; None: no longer."""
        if self._world.installation is None:
            raise LookupError("the app is not installed here")
        self._world.installation.refusal = code
        self._ring()

    def deactivate(self, name: str) -> None:
        """Deactivate somebody's account: they act no more, and what is open on their screen goes.

        They stay in their channels, as in Slack.
        """
        member = self._world.workspace.member_named(name)
        member.deleted = True
        self._world.stacks.clear(member.id)

    def _channel(self, name: str) -> Channel:
        channel = self._world.workspace.channel_named(name)
        if channel is None:
            raise KeyError(f"there is no channel {name}")
        return channel

    def _ring(self) -> None:
        self._world.workspace.bell.ring()
