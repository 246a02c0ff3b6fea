"""What becomes of a line that somebody sends: a command, a message, or Slackbot's no."""

from bot.playground.page.refused import RefusedNotes
from bot.playground.page.seat import Seat
from bot.playground.slack import CommandFailed
from bot.playground.slack.errors import Refusal
from bot.playground.slack.payloads import escaped

_UNKNOWN = (
    "`{command}` is not a valid command. In Slack, all messages that start with the “/” character"
    " are interpreted as commands.\n\nIf you are trying to send a message and not run a command,"
    " try preceding the “/” with an empty space."
)
_FAILED = "`{command}` failed with the error “{code}”"
_IN_THREAD = "`{command}` is not supported in threads. Sorry!"
_NOT_SENT = "Your message was not sent: {code}"


class Speaking:
    """Sends the lines of whoever sits there, to the channel that is open then."""

    def __init__(self, seat: Seat, refused: RefusedNotes) -> None:
        self._seat = seat
        self._refused = refused

    async def send(self, line: str) -> None:
        """Type a command, or say something in the channel."""
        if line.startswith("/"):
            await self._command(line.strip())
        else:
            self._say(line, None)

    async def send_in_thread(self, line: str) -> None:
        """Say something in the open thread, where Slack takes no commands."""
        if line.startswith("/"):
            self._tell(self._seat, _IN_THREAD, line, "")
        else:
            self._say(line, self._seat.thread_ts)

    async def _command(self, line: str) -> None:
        # Until the bot answers, somebody else may have taken the seat.
        seat = self._seat.copy()
        try:
            await seat.person.type(line, seat.place)
        except CommandFailed as error:
            if isinstance(error.__cause__, Refusal) and seat.channel:
                self._refused.add(error.__cause__, seat.channel.id, seat.member.id, "command ack")
            words = _UNKNOWN if error.code == "invalid_command" else _FAILED
            self._tell(seat, words, line, error.code)

    def _say(self, line: str, thread_ts: str | None) -> None:
        try:
            self._seat.person.say(line.strip(), self._seat.place, thread_ts=thread_ts)
        except CommandFailed as error:
            self._tell(self._seat, _NOT_SENT, "", error.code)

    def _tell(self, seat: Seat, words: str, line: str, code: str) -> None:
        if seat.channel is None:
            return
        world = seat.slack.world
        command = escaped(world, line.partition(" ")[0])
        text = words.format(command=command, code=code)
        world.posting.tell(seat.channel, seat.member.id, text)
