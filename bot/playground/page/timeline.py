"""What was said in a channel, newest at the bottom."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from nicegui import ui

from bot.playground.page.message import MessageArt
from bot.playground.page.session import day_words, moment
from bot.playground.page.theme import Item, LiveList
from bot.playground.slack import Message
from bot.playground.slack.model import Channel

MOST_SHOWN = 100
HINTS = (
    ("/scan shop.northwind.example", "what is broken, and what expires soon"),
    ("/domains expires:30", "what expires within 30 days"),
    ("/domaindigest", "a scheduled summary for this channel"),
)


class Timeline:
    """The newest messages of one channel for one reader, or those of one of its threads."""

    def __init__(self, channel: Channel, art: MessageArt, thread_ts: str | None = None) -> None:
        self._channel = channel
        self._thread_ts = thread_ts
        self._art = art
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
        if not self._thread_ts and len(seen) <= MOST_SHOWN:
            yield Item("start", self._channel.name, self._draw_start)
        last_day = None
        for message in seen[-MOST_SHOWN:]:
            day = moment(message.ts, self._art.names.zone())
            if day.date() != last_day:
                words = day_words(day, self._art.names.now())
                yield Item(f"day {day.date()}", words, partial(_draw_day, words))
            yield self._item(message)
            last_day = day.date()

    def _is_here(self, message: Message) -> bool:
        if self._thread_ts:
            return self._thread_ts in (message.ts, message.thread_ts)
        return message.thread_ts in (None, message.ts)

    def _item(self, message: Message) -> Item:
        # "Ephemeral messages in threads are only shown if there is already an active thread",
        # https://docs.slack.dev/reference/methods/chat.postEphemeral: they count for nothing.
        replies = None if self._thread_ts else self._replies[message.ts]
        look = (message.revision, message.is_edited, replies)
        return Item(message.ts, look, partial(self._art.draw, message, replies))

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
        """Say what to type, and how to be somebody else."""
        with ui.element("div").classes("sk-hints"):
            ui.label("Try one of these (a click types it):")
            for line, what in HINTS:
                with ui.element("div"):
                    button = ui.button(line, on_click=partial(self._art.around.fill, line))
                    button.props("flat dense no-caps color=none").classes("sk-hint")
                    ui.label(what).classes("sk-quiet")
            ui.label("Switch to another person at the top right, under “You are”.").classes(
                "sk-hints-who"
            )


def _draw_day(words: str) -> None:
    with ui.element("div").classes("sk-day").props("role=separator"):
        ui.label(words)
