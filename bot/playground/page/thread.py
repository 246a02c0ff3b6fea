"""One thread, beside the channel."""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from bot.playground.manifest import AppInfo
from bot.playground.page.composer import Composer
from bot.playground.page.live_list import Item, LiveList
from bot.playground.page.message import Drawn, MessageArt
from bot.playground.page.speaking import Speaking
from bot.playground.slack.model import Channel


class Thread:
    """A message with the replies to it."""

    def __init__(
        self,
        channel: Channel,
        art: MessageArt,
        speaking: Speaking,
        close: Callable[[], None],
    ) -> None:
        self._channel = channel
        self._thread_ts = art.names.seat.thread_ts
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
        me = self._art.names.seat.member.id
        drawn = [
            Drawn(message)
            for message in self._channel.messages
            if message.is_for(me) and self._thread_ts in (message.ts, message.thread_ts)
        ]
        items = [Item(d.message.ts, d.look, partial(self._art.draw, d)) for d in drawn]
        self._list.show(items)
