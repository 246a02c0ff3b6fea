"""What a person does on the page, and what it says of what cannot be done."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.playground.page.session import Session, SlackNames
from bot.playground.slack import (
    CommandFailed,
    FormError,
    Message,
    NothingToPress,
    Person,
    View,
)
from bot.playground.slack.model import SLACKBOT_ID
from bot.playground.slack.payloads import escaped

Json = dict[str, Any]

_CHANGED = "This message has changed in the meantime."
_TOLD = {
    "operation_timeout": "The app did not answer within 3 seconds",
    "dispatch_failed": "The app could not be reached",
    "not_interactive": "This app is not configured to handle interactive responses",
}


@dataclass(frozen=True)
class Around:
    """What the page does for everything drawn on it; `fill` gets a line to type."""

    complain: Callable[[str], None]
    follow: Callable[[str], Awaitable[None]]
    open_thread: Callable[[str], None]
    fill: Callable[[str], None]


def failure_words(code: str) -> str:
    """Return in words why the bot did not take something."""
    return f"{_TOLD.get(code, 'Something went wrong')} ({code})."


class SlackActions:
    """What somebody does with what is drawn; `state` is as in `view.state.values`."""

    def __init__(self, person: Person, where: Message | View, around: Around) -> None:
        self._person = person
        self._where = where
        self._complain, self._follow = around.complain, around.follow

    async def press(self, block_id: str, action_id: str) -> None:
        await self._try(self._person.by_id.press(self._where, block_id, action_id))

    async def follow(self, url: str) -> None:
        await self._follow(url)

    async def choose(self, block_id: str, action_id: str, state: Json) -> None:
        await self._try(self._person.by_id.choose(self._where, block_id, action_id, state))

    def note(self, block_id: str, action_id: str, state: Json) -> None:
        """Note what was typed so far; of something that is gone there is nothing to note."""
        with suppress(NothingToPress, FormError):
            self._person.by_id.note(self._where, block_id, action_id, state)

    async def suggest(self, block_id: str, action_id: str, query: str) -> list[Json]:
        """Return the options of an external select; none where the bot has no good answer."""
        asked = self._person.by_id.suggest(self._where, block_id, action_id, query)
        return await self._try(asked) or []

    async def _try(self, act: Awaitable[Any]) -> Any:
        try:
            return await act
        except CommandFailed as error:
            self._complain(failure_words(error.code))
        except NothingToPress:
            self._complain(_CHANGED)
        except FormError as error:
            self._complain(f"{error}.")
        return None


async def use_shortcut(
    session: Session, around: Around, message: Message | None, name: str
) -> None:
    """Use a shortcut: a message's, or without a message a global one."""
    person = session.person
    try:
        if message:
            await person.message_shortcut(message, name)
        else:
            await person.shortcut(name, session.place)
    except CommandFailed as error:
        around.complain(failure_words(error.code))
    except NothingToPress:
        around.complain(_CHANGED)


_UNKNOWN = (
    "`{command}` is not a valid command. In Slack, all messages that start with the “/” character"
    " are interpreted as commands.\n\nIf you are trying to send a message and not run a command,"
    " try preceding the “/” with an empty space."
)
_FAILED = "`{command}` failed with the error “{code}”"
# https://docs.slack.dev/interactivity/implementing-slash-commands: not in threads.
_NOT_IN_THREADS = "`{command}` is not supported in threads. Sorry!"
_INVITED = "The app is in this channel now."
_NOT_SENT = "Your message was not sent: {code}"


class Speaking:
    """Sends a person's lines to the channel that is open at that moment, or to its thread."""

    def __init__(self, names: SlackNames, thread_ts: str | None = None) -> None:
        self._session = names.session
        self._app_name = names.app_name
        self._thread_ts = thread_ts

    async def send(self, line: str) -> None:
        if line.startswith("/") and self._thread_ts:
            self._tell(self._session, _NOT_IN_THREADS, line, "")
        elif line.strip() == f"/invite @{self._app_name}" and await self._invite():
            self._tell(self._session, _INVITED, line, "")
        elif line.startswith("/"):
            await self._command(line.strip())
        else:
            self._say(line)

    async def _invite(self) -> bool:
        """Bring the app into the channel, and return whether it is one that takes it."""
        channel = self._session.channel
        if channel is None or channel.is_im or channel.is_archived:
            return False
        await self._session.slack.invite_bot(channel.name)
        return True

    async def _command(self, line: str) -> None:
        # Until the bot answers, somebody else may have taken the session.
        session = self._session.copy()
        try:
            await session.person.type(line, session.place)
        except CommandFailed as error:
            words = _UNKNOWN if error.code == "invalid_command" else _FAILED
            self._tell(session, words, line, error.code)

    def _say(self, line: str) -> None:
        try:
            person, slack = self._session.person, self._session.slack
            bot = slack.world.workspace.members[slack.bot_user_id]
            text = line.strip().replace(f"@{self._app_name}", f"@{bot.name}")
            person.say(text, self._session.place, thread_ts=self._thread_ts)
        except CommandFailed as error:
            self._tell(self._session, _NOT_SENT, "", error.code)

    def _tell(self, session: Session, words: str, line: str, code: str) -> None:
        if session.channel is None:
            return
        world = session.slack.world
        command = escaped(world, line.partition(" ")[0])
        text = words.format(command=command, code=code)
        content = {"text": text, "thread_ts": self._thread_ts}
        world.posting.add(session.channel, content, user=SLACKBOT_ID, seen_by=session.member.id)
