"""What was said in a channel, newest at the bottom, and one thread beside it."""

from collections.abc import Callable, Iterator
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.manifest import AppInfo
from bot.playground.page.actions import Speaking
from bot.playground.page.composer import Composer
from bot.playground.page.live_list import Item, LiveList
from bot.playground.page.message import Drawn, MessageArt
from bot.playground.page.refusals import RefusedNote, RefusedNotes, draw_refusal
from bot.playground.page.session import day_words, moment
from bot.playground.slack import Message
from bot.playground.slack.model import Channel

SHOWN_AT_ONCE = 25
FOLLOWS_WITHIN_S = 300


class Timeline:
    """The messages of one channel for one reader.

    `new_after_s`: what is later was unread when they came; None: nothing was.
    """

    def __init__(
        self, channel: Channel, art: MessageArt, refused: RefusedNotes, new_after_s: float | None
    ) -> None:
        self._channel = channel
        self._art = art
        self._refused = refused
        self._new_after_s = new_after_s
        self._shown = SHOWN_AT_ONCE
        # Reversed, the browser itself keeps the newest message in sight.
        with ui.element("div").classes("sk-scroller"):
            log = ui.element("div").classes("sk-log")
            log.props('role=log aria-label="Messages" aria-live=polite tabindex=0')
        self._list = LiveList(log)

    def refresh(self) -> None:
        """Draw what has changed."""
        self._list.show(list(self._items()))

    def _items(self) -> Iterator[Item]:
        me = self._art.names.session.member.id
        seen = [message for message in self._channel.messages if message.is_for(me)]
        roots = [message for message in seen if not message.thread_ts]
        hidden = max(0, len(roots) - self._shown)
        if hidden:
            yield Item("earlier", hidden, partial(self._draw_earlier, hidden))
        else:
            yield Item("start", self._channel.name, self._draw_start)
        shown = roots[hidden:]
        notes = self._refused.of(self._channel.id, me)
        if hidden:
            notes = [note for note in notes if note.at >= float(shown[0].ts)]
        yield from self._in_order(shown, seen, notes)

    def _in_order(
        self, roots: list[Message], seen: list[Message], notes: list[RefusedNote]
    ) -> Iterator[Item]:
        entries: list[Message | RefusedNote] = [*roots, *notes]
        entries.sort(key=_at)
        last: Message | RefusedNote | None = None
        for entry in entries:
            dividers = list(self._dividers(last, entry))
            yield from dividers
            if isinstance(entry, Message):
                yield self._message(None if dividers else last, entry, seen)
            else:
                draw = partial(draw_refusal, entry.code, entry.details, entry.what)
                yield Item(f"refused {entry.number}", 0, draw)
            last = entry

    def _message(
        self, last: Message | RefusedNote | None, message: Message, seen: list[Message]
    ) -> Item:
        replies = [reply for reply in seen if reply.thread_ts == message.ts]
        drawn = Drawn(message, replies, _follows(last, message))
        return Item(message.ts, drawn.look, partial(self._art.draw, drawn))

    def _dividers(
        self, last: Message | RefusedNote | None, entry: Message | RefusedNote
    ) -> Iterator[Item]:
        zone = self._art.names.zone()
        day = moment(_at(entry), zone)
        if last is None or moment(_at(last), zone).date() != day.date():
            words = day_words(day, self._art.names.now())
            yield Item(f"day {day.date()}", words, partial(_draw_day, words))
        last_at = _at(last) if last else 0.0
        if self._new_after_s is not None and last_at <= self._new_after_s < _at(entry):
            yield Item("new", 0, _draw_new)

    def _draw_start(self) -> None:
        name = self._channel.name
        if self._channel.is_im:
            app = self._art.names.app_name
            text = f"This is the very beginning of your direct messages with {app}."
        else:
            text = f"This is the very beginning of the #{name} channel."
        with ui.element("div").classes("sk-start"):
            if not self._channel.is_im:
                ui.label(f"# {name}").classes("sk-start-name")
            ui.label(text).classes("sk-quiet")

    def _draw_earlier(self, hidden: int) -> None:
        words = f"Show earlier messages ({hidden} more)"
        # Scrolling up to it is enough; it need not be pressed.
        with ui.element("q-intersection").classes("sk-earlier") as sight:
            ui.button(words, on_click=self._show_earlier, color=None).props("flat no-caps dense")
        sight.on("visibility", self._came_into_sight)

    def _came_into_sight(self, event: GenericEventArguments) -> None:
        if event.args:
            self._show_earlier()

    def _show_earlier(self) -> None:
        self._shown += SHOWN_AT_ONCE
        self.refresh()


def _at(entry: Message | RefusedNote) -> float:
    return float(entry.ts) if isinstance(entry, Message) else entry.at


def _follows(last: Message | RefusedNote | None, message: Message) -> bool:
    """Tell whether a plain message needs no name: its author has just said the one above."""
    if not isinstance(last, Message) or message.is_ephemeral or last.is_ephemeral:
        return False
    is_plain = not (message.blocks or message.command or last.blocks or last.command)
    return is_plain and last.user == message.user and _at(message) - _at(last) < FOLLOWS_WITHIN_S


def _draw_day(words: str) -> None:
    with ui.element("div").classes("sk-day").props("role=separator"):
        ui.label(words)


def _draw_new() -> None:
    with ui.element("div").classes("sk-new").props("role=separator"):
        ui.label("New")


class Thread:
    """A message with the replies to it."""

    def __init__(
        self, channel: Channel, art: MessageArt, speaking: Speaking, close: Callable[[], None]
    ) -> None:
        self._channel = channel
        self._thread_ts = art.names.session.thread_ts
        self._art = art
        with ui.element("aside").classes("sk-thread").props('aria-label="Thread"'):
            with ui.element("div").classes("sk-room-head"):
                ui.label("Thread").classes("sk-room-name")
                ui.space()
                button = ui.button(icon="close", on_click=close, color=None)
                button.props('flat dense round size=sm aria-label="Close thread"')
            with ui.element("div").classes("sk-scroller"):
                log = ui.element("div").classes("sk-log")
                log.props('role=log aria-label="Thread" aria-live=polite tabindex=0')
            self._list = LiveList(log)
            app = AppInfo(art.names.app_name, ())
            Composer("Reply", "Reply…", app, speaking.send_in_thread)

    def refresh(self) -> None:
        """Draw what has changed."""
        me = self._art.names.session.member.id
        drawn = [
            Drawn(message)
            for message in self._channel.messages
            if message.is_for(me) and self._thread_ts in (message.ts, message.thread_ts)
        ]
        items = [Item(d.message.ts, d.look, partial(self._art.draw, d)) for d in drawn]
        self._list.show(items)
