"""What was said in a channel, newest at the bottom."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.actions import RefusedNote, RefusedNotes, draw_refusal
from bot.playground.page.message import MessageArt
from bot.playground.page.session import day_words, moment, people, role
from bot.playground.page.theme import Item, LiveList
from bot.playground.slack import Message
from bot.playground.slack.model import Channel

SHOWN_AT_ONCE = 25
HINTS = (
    ("/scan shop.northwind.example", "what is broken, and what ends soon"),
    ("/domains expires:30", "what ends within 30 days"),
    ("/domaindigest", "a scheduled summary for this channel"),
)
# By role: what the app lets such a person do.
MAY = {
    "owner": "does what an admin does",
    "admin": "sets the API key (/domainkey) and the rights, and does what members do",
    "member": "scans and adds domains, and makes digests",
    "guest": "scans and lists domains, in their own channels",
    "another workspace": "meets the app in #shared only, where its commands stay away",
}


class Timeline:
    """The messages of one channel for one reader, or those of one of its threads."""

    def __init__(
        self,
        channel: Channel,
        art: MessageArt,
        refused: RefusedNotes,
        thread_ts: str | None = None,
    ) -> None:
        self._channel = channel
        self._thread_ts = thread_ts
        self._art = art
        self._refused = refused
        self._shown = SHOWN_AT_ONCE
        # Reversed, the browser itself keeps the newest message in sight.
        with ui.element("div").classes("sk-scroller"):
            log = ui.element("div").classes("sk-log")
            log.props("role=log aria-live=polite tabindex=0")
            log.props["aria-label"] = "Messages of the thread" if thread_ts else "Messages"
        self._list = LiveList(log)

    def refresh(self) -> None:
        self._list.show(list(self._items()))

    def _items(self) -> Iterator[Item]:
        me = self._art.names.session.member.id
        seen = [message for message in self._channel.messages if message.is_for(me)]
        self._replies = Counter(reply.thread_ts for reply in seen if not reply.is_ephemeral)
        seen = [message for message in seen if self._is_here(message)]
        hidden = max(0, len(seen) - self._shown)
        if hidden:
            yield Item("earlier", hidden, partial(self._draw_earlier, hidden))
        elif not self._thread_ts:
            yield Item("start", self._channel.name, self._draw_start)
        shown = seen[hidden:]
        notes = [] if self._thread_ts else self._refused.of(self._channel.id, me)
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

    def _is_here(self, message: Message) -> bool:
        if self._thread_ts:
            return self._thread_ts in (message.ts, message.thread_ts)
        return message.thread_ts in (None, message.ts)

    def _entry(self, entry: Message | RefusedNote) -> Item:
        if isinstance(entry, Message):
            # "Ephemeral messages in threads are only shown if there is already an active thread",
            # https://docs.slack.dev/reference/methods/chat.postEphemeral: they count for nothing.
            replies = None if self._thread_ts else self._replies[entry.ts]
            look = (entry.revision, entry.is_edited, replies)
            return Item(entry.ts, look, partial(self._art.draw, entry, replies))
        draw = partial(draw_refusal, entry.code, entry.details, entry.what)
        return Item(f"refused {entry.number}", 0, draw)

    def _draw_start(self) -> None:
        name, start = self._channel.name, "This is the very beginning of"
        with ui.element("div").classes("sk-start"):
            if self._channel.is_im:
                text = f"{start} your direct messages with {self._art.names.app_name}."
                ui.label(text).classes("sk-quiet")
                return
            ui.label(f"# {name}").classes("sk-start-name")
            ui.label(f"{start} the #{name} channel.").classes("sk-quiet")
            self._draw_hints()

    def _draw_hints(self) -> None:
        """Say what to type, and who is who."""
        with ui.element("div").classes("sk-hints"):
            ui.label("Try one of these (a click types it):")
            for line, what in HINTS:
                with ui.element("div"):
                    button = ui.button(line, on_click=partial(self._art.around.fill, line))
                    button.props("flat dense no-caps color=none").classes("sk-hint")
                    ui.label(what).classes("sk-quiet")
            ui.label("Switch to another person at the top right, under “You are”:").classes(
                "sk-hints-who"
            )
            for member in people(self._art.names.session.slack):
                with ui.element("div"):
                    ui.label(f"{member.name} ({role(member)})").classes("sk-author")
                    ui.label(MAY[role(member)]).classes("sk-quiet")

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
