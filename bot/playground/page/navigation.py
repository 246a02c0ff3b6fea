"""The top bar with the playground's clock, and the side bar with the channels."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from nicegui import ui
from nicegui.elements.drawer import Drawer

from bot.playground.page.session import DIRECT_MESSAGE, HOME, TABS, Session, people, role
from bot.playground.page.theme import MARKUP, Item, LiveList
from bot.playground.sandbox import MovableClock, Sandbox
from bot.playground.slack.model import PEOPLE_ZONE, Channel

LOOK_AGAIN_S = 1.0
MORNING = time(9)
Until = Callable[[MovableClock], timedelta]
MOVES: tuple[dict[str, Until], ...] = (
    {
        "+15 minutes": lambda _clock: timedelta(minutes=15),
        "+1 hour": lambda _clock: timedelta(hours=1),
        "+1 day": lambda _clock: timedelta(days=1),
        "+30 days": lambda _clock: timedelta(days=30),
    },
    {
        f"To {MORNING:%H:%M} on the next weekday": lambda clock: clock.until_next_weekday(
            MORNING, ZoneInfo(PEOPLE_ZONE)
        ),
    },
)


def draw(sandbox: Sandbox) -> None:
    with ui.column().classes("gap-1"):
        now = (
            ui.label().classes("text-base font-medium").style("font-variant-numeric: tabular-nums")
        )
        here = ui.label().classes("text-xs")

        def look() -> None:
            now.text, here.text = clock_text(sandbox), local_text(sandbox)

        _draw_moves(sandbox, look)
        note = "The clock only goes forward. Restart the playground to reset it."
        ui.label(note).classes("text-xs opacity-70")
    look()
    ui.timer(LOOK_AGAIN_S, look)


def _draw_moves(sandbox: Sandbox, look: Callable[[], None]) -> None:
    def move(until: Until) -> None:
        sandbox.clock.move(until(sandbox.clock))
        sandbox.slack.universe.change_event.notify()  # something may be due in Slack
        look()

    for moves in MOVES:
        with ui.row().classes("gap-1"):
            for label, until in moves.items():
                _button(label).on_click(partial(move, until))


def clock_text(sandbox: Sandbox) -> str:
    """Return `Fri 20 Nov 2026, 08:03:47 UTC`."""
    now = sandbox.clock()
    return f"{now:%a} {now.day} {now:%b %Y, %H:%M:%S} UTC"


def local_text(sandbox: Sandbox) -> str:
    """Return what the clocks of the people show: `Fri 09:03 in Europe/Berlin`."""
    return f"{sandbox.clock().astimezone(ZoneInfo(PEOPLE_ZONE)):%a %H:%M} in {PEOPLE_ZONE}"


def _button(label: str) -> ui.button:
    return ui.button(label).props("outline dense no-caps size=sm padding='2px 8px'")


@dataclass(frozen=True)
class TopBar:
    """Draws the bar; `sit` gets the name of whom somebody wants to be."""

    sandbox: Sandbox
    session: Session
    sit: Callable[[str], None]

    def draw(self, drawer: Drawer) -> None:
        with ui.header(fixed=True, elevated=False).classes("sk-top"):
            menu = ui.button(icon="menu", on_click=drawer.toggle, color=None)
            menu.props('flat dense round aria-label="Channels"').classes("sk-menu")
            ui.label("Domain Tracker playground").classes("sk-title")
            ui.space()
            self._draw_clock()
            self._draw_people()

    def _draw_clock(self) -> None:
        button = ui.button(icon="schedule", color=None).props("flat dense round")
        button.props('aria-label="The playground\'s clock" title="The playground\'s clock"')
        with button, ui.menu(), ui.element("div").classes("sk-clock"):
            draw(self.sandbox)

    def _draw_people(self) -> None:
        options = {
            member.name: f"{member.name} ({role(member)})" for member in people(self.session.slack)
        }
        select = ui.select(
            options,
            label="You are",
            value=self.session.name,
            on_change=lambda event: self.sit(event.value),
        )
        select.props("dense outlined dark options-dense").classes("sk-you")
        select.on("popup-hide", js_handler=MARKUP["to_composer"])


class SideBar:
    """Draws what somebody may see; `go` gets the place that they choose."""

    def __init__(self, session: Session, app_name: str, go: Callable[[str], None]) -> None:
        self._session = session
        self._app_name = app_name
        self._go = go
        ui.label(session.slack.world.workspace.domain.title()).classes("sk-workspace")
        with ui.element("nav").props('aria-label="Channels and apps"'):
            self._list = LiveList(ui.element("div"))

    def refresh(self) -> None:
        self._list.show(list(self._items()))

    def _items(self) -> Iterator[Item]:
        yield _heading("Channels")
        for channel in self._session.person.channels():
            icon, remark = channel_marks(channel)
            yield self._place(channel.name, channel.name, icon, channel, remark)
        if self._session.has_app:
            direct = self._session.slack.world.workspace.direct_message(self._session.member)
            yield _heading("Apps")
            yield self._place(HOME, self._app_name, "smart_toy", direct, "app")
        yield _heading("Playground")
        session = self._session
        yield _tool("Portfolios and API keys", session.address_of_page("/tracker"), "language")
        yield _tool("Inspector", session.address_of_page("/inspector"), "troubleshoot")

    def _place(self, place: str, name: str, icon: str, channel: Channel, remark: str) -> Item:
        """Return the entry of a channel, or of the app with its tabs, of which one opens."""
        session = self._session
        unread = session.slack.world.read_marks.unread(session.member, channel)
        is_open = session.place in (TABS.values() if channel.is_im else {place})
        if unread and channel.is_im:
            place = DIRECT_MESSAGE
        look = (unread, is_open, icon, session.address_of(place))
        draw = partial(self._draw_place, place, name, icon, unread, remark, is_open=is_open)
        return Item(f"place {name}", look, draw)

    def _draw_place(
        self, place: str, name: str, icon: str, unread: int, remark: str, *, is_open: bool
    ) -> None:
        link = ui.link(target=self._session.address_of(place)).classes("sk-place")
        link.props["aria-label"] = f"{name}, {unread} unread" if unread else name
        link.props["title"] = remark
        if is_open:
            link.classes("sk-open").props["aria-current"] = "page"
        if unread:
            link.classes("sk-unread")
        link.on("click", lambda: self._go(place), js_handler=MARKUP["plain_click"])
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
