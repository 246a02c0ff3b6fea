"""The side bar: channels with their unread marks, the app, and the rest of the playground."""

from collections.abc import Callable, Iterator
from functools import partial

from nicegui import ui

from bot.playground.page.live_list import Item, LiveList
from bot.playground.page.seat import DIRECT_MESSAGE, HOME, Seat
from bot.playground.slack.model import Channel

# A click with Ctrl or the like opens a new tab, as any link does.
_PLAIN_CLICK = """(event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    emit();
}"""


class SideBar:
    """Draws what somebody may see; `go` gets the place that they choose."""

    def __init__(self, seat: Seat, app_name: str, go: Callable[[str], None]) -> None:
        self._seat = seat
        self._app_name = app_name
        self._go = go
        ui.label(seat.slack.world.workspace.domain.title()).classes("sk-workspace")
        with ui.element("nav").props('aria-label="Channels and apps"'):
            self._list = LiveList(ui.element("div"))

    def refresh(self) -> None:
        """Draw what has changed."""
        self._list.show(list(self._items()))

    def _items(self) -> Iterator[Item]:
        yield _heading("Channels")
        for channel in self._seat.person.channels():
            icon, remark = channel_marks(channel)
            yield self._place(channel.name, channel.name, icon, channel, remark)
        if self._seat.has_app:
            direct = self._seat.slack.world.workspace.direct_message(self._seat.member)
            yield _heading("Apps")
            yield self._place(
                DIRECT_MESSAGE, self._app_name, "smart_toy", direct, "direct message"
            )
            yield self._place(HOME, "Home", "o_home", None, "the app's Home tab")
        yield _heading("Playground")
        seat = self._seat
        yield _tool("Portfolios and API keys", seat.address_of_page("/tracker"), "language")
        yield _tool("Inspector", seat.address_of_page("/inspector"), "troubleshoot")

    def _place(
        self, place: str, name: str, icon: str, channel: Channel | None, remark: str
    ) -> Item:
        seat = self._seat
        unread = seat.slack.world.read_marks.unread(seat.member, channel) if channel else 0
        address = seat.address_of(place)
        look = (unread, seat.place == place, icon, address)
        draw = partial(self._draw_place, place, name, icon, unread, remark)
        return Item(f"place {place}", look, draw)

    def _draw_place(self, place: str, name: str, icon: str, unread: int, remark: str) -> None:
        link = ui.link(target=self._seat.address_of(place)).classes("sk-place")
        link.props["aria-label"] = f"{name}, {unread} unread" if unread else name
        link.props["title"] = remark
        if self._seat.place == place:
            link.classes("sk-open").props["aria-current"] = "page"
        if unread:
            link.classes("sk-unread")
        link.on("click", lambda: self._go(place), js_handler=_PLAIN_CLICK)
        with link:
            ui.icon(icon).props("aria-hidden=true")
            ui.label(name).classes("sk-place-name")
            if unread:
                ui.label(str(unread)).classes("sk-count")


def channel_marks(channel: Channel) -> tuple[str, str]:
    """Return a channel's icon and what it means in words."""
    if channel.is_archived:
        return "o_archive", "archived channel"
    if channel.is_private:
        return "o_lock", "private channel"
    if channel.is_shared:
        return "o_handshake", "shared with another workspace"
    return "tag", "public channel"


def _heading(words: str) -> Item:
    return Item(f"heading {words}", 0, partial(_draw_heading, words))


def _draw_heading(words: str) -> None:
    ui.label(words).classes("sk-heading")


def _tool(name: str, address: str, icon: str) -> Item:
    return Item(f"tool {name}", address, partial(_draw_tool, name, address, icon))


def _draw_tool(name: str, address: str, icon: str) -> None:
    with ui.link(target=address).classes("sk-place"):
        ui.icon(icon).props("aria-hidden=true")
        ui.label(name).classes("sk-place-name")
