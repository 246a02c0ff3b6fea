"""What was said in a channel, newest at the bottom."""

from collections.abc import Iterator
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.live_list import Item, LiveList
from bot.playground.page.message import MessageArt
from bot.playground.page.refusals import RefusedNote, RefusedNotes, draw_refusal
from bot.playground.page.session import day_words, moment
from bot.playground.slack import Message
from bot.playground.slack.model import Channel

SHOWN_AT_ONCE = 25


class Timeline:
    """The messages of one channel for one reader."""

    def __init__(self, channel: Channel, art: MessageArt, refused: RefusedNotes) -> None:
        self._channel = channel
        self._art = art
        self._refused = refused
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
        hidden = max(0, len(seen) - self._shown)
        if hidden:
            yield Item("earlier", hidden, partial(self._draw_earlier, hidden))
        else:
            yield Item("start", self._channel.name, self._draw_start)
        shown = seen[hidden:]
        notes = self._refused.of(self._channel.id, me)
        if hidden:
            notes = [note for note in notes if note.at >= float(shown[0].ts)]
        last: Message | RefusedNote | None = None
        entries: list[Message | RefusedNote] = [*shown, *notes]
        zone = self._art.names.zone()
        for entry in sorted(entries, key=_at):
            day = moment(_at(entry), zone)
            if last is None or moment(_at(last), zone).date() != day.date():
                words = day_words(day, self._art.names.now())
                yield Item(f"day {day.date()}", words, partial(_draw_day, words))
            yield self._entry(entry)
            last = entry

    def _entry(self, entry: Message | RefusedNote) -> Item:
        if isinstance(entry, Message):
            look = (entry.revision, entry.is_edited)
            return Item(entry.ts, look, partial(self._art.draw, entry))
        draw = partial(draw_refusal, entry.code, entry.details, entry.what)
        return Item(f"refused {entry.number}", 0, draw)

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


def _draw_day(words: str) -> None:
    with ui.element("div").classes("sk-day").props("role=separator"):
        ui.label(words)
