"""How far each person has read in each channel."""

from bot.playground.slack.model import Channel, Member
from bot.playground.slack.workspace import Workspace


class ReadMarks:
    """The last message that somebody has read, by person and channel."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._read: dict[tuple[str, str], str] = {}

    def read_ts(self, who: Member, channel: Channel) -> str:
        """Return the timestamp of the last message that they have seen; empty: none."""
        return self._read.get((who.id, channel.id), "")

    def mark(self, who: Member, channel: Channel) -> None:
        """Note that somebody has seen all that is there now."""
        last_ts = channel.messages[-1].ts if channel.messages else ""
        if last_ts > self.read_ts(who, channel):
            self._read[who.id, channel.id] = last_ts
            self._workspace.bell.ring()

    def unread(self, who: Member, channel: Channel) -> int:
        """Count what others said there since, outside of threads."""
        read_ts = self.read_ts(who, channel)
        return sum(
            1
            for message in channel.messages
            if message.ts > read_ts and message.is_for(who.id) and not message.thread_ts
            if who.id not in (message.user, message.typed_by)
        )
