"""The page at `/`: Slack as one person sees it, and how it follows the local Slack."""

import asyncio
from functools import partial

from nicegui import Client, context, ui
from nicegui.events import GenericEventArguments
from starlette.requests import Request

from bot.playground.manifest import AppInfo
from bot.playground.page import theme
from bot.playground.page.actions import Around, Speaking, use_shortcut
from bot.playground.page.composer import Composer
from bot.playground.page.conversation import (
    Conversation,
    Thread,
    is_without_app,
    may_write,
)
from bot.playground.page.drawing import STYLE
from bot.playground.page.message import MessageArt
from bot.playground.page.modal import Modal
from bot.playground.page.navigation import SideBar, TopBar
from bot.playground.page.session import Session, SlackNames, from_query, place_of_link
from bot.playground.sandbox import Sandbox
from bot.playground.slack import visible
from bot.playground.slack.model import Channel

# Many changes in one go are drawn once; shorter than anybody notices.
GATHER_S = 0.04


class SlackScreen:
    """Everything on one person's screen, drawn into the current page."""

    def __init__(self, sandbox: Sandbox, app: AppInfo, session: Session) -> None:
        self._app = app
        self._session = session
        self._client: Client = context.client
        self._due: asyncio.TimerHandle | None = None
        self._is_wide = True
        names = SlackNames(session, app.name)
        around = Around(self._complain, self._open_link, self._open_thread, self._fill)
        self._around = around
        self._art = MessageArt(names, around)
        self._room: tuple[object, Conversation] | None = None
        self._thread: Thread | None = None
        self._draw(TopBar(sandbox, session, self._sit))
        self._modal = Modal(names, around)
        end = session.slack.world.workspace.change_event.subscribe(self._hear)
        self._client.on_delete(end)
        self._client.on_connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Draw what has changed in the local Slack, or in who looks at what."""
        if self._client.is_deleted:
            return
        with self._client:
            self._refresh_room()
            self._sidebar.refresh()
            self._modal.refresh()

    def _draw(self, top: TopBar) -> None:
        drawer = ui.left_drawer(top_corner=False).classes("sk-side")
        drawer.props("breakpoint=768 width=260")
        drawer.on("on-layout", self._laid_out)
        with drawer:
            self._sidebar = SideBar(self._session, self._app.name, self._go)
        self._drawer = drawer
        top.draw(drawer)
        with ui.element("div").classes("sk-middle"):
            with ui.element("div").classes("sk-room"):
                self._middle = ui.element("div").classes("sk-place-of-room")
                # One for all places: what is typed right after a click is not lost.
                speaking = Speaking(self._art.names)
                use = partial(use_shortcut, self._session, self._around, None)
                self._composer = Composer("Message", self._app, speaking.send, use)
            self._beside = ui.element("div")

    def _refresh_room(self) -> None:
        session = self._session
        channel = session.channel
        key = (session.name, session.place, channel and is_without_app(session.slack, channel))
        if self._room is None or self._room[0] != key:
            self._close_thread()
            self._middle.clear()
            with self._middle:
                self._room = key, Conversation(self._app, self._art, self._go)
            self._show_composer(channel)
        self._room[1].refresh()
        if self._thread:
            self._thread.refresh()

    def _show_composer(self, channel: Channel | None) -> None:
        to = ""
        if channel and may_write(self._session, self._app):
            to = f"Message {self._app.name if channel.is_im else f'#{channel.name}'}"
        session = self._session
        offered = visible.shortcuts(session.slack.world, session.member, "global")
        self._composer.show(to, offered)

    def _open_thread(self, ts: str) -> None:
        self._close_thread()
        if channel := self._session.channel:
            with self._beside:
                self._thread = Thread(channel, ts, self._app, self._art, self._close_thread)
            self._thread.refresh()

    def _close_thread(self) -> None:
        self._beside.clear()
        self._thread = None

    def _fill(self, line: str) -> None:
        self._composer.fill(line)

    def _laid_out(self, event: GenericEventArguments) -> None:
        """Note whether the side bar has a place of its own, or lies over the channel."""
        self._is_wide = bool(event.args)

    def _hear(self) -> None:
        """Note that something changed; this is called in the middle of it."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(GATHER_S, self._follow)

    def _follow(self) -> None:
        self._due = None
        # A page without a connection reads nothing; once it is back, it catches up.
        if self._client.has_socket_connection:
            self.refresh()

    def _complain(self, words: str) -> None:
        if not self._client.is_deleted:
            with self._client:
                ui.notify(words, position="top", type="negative")

    def _go(self, place: str) -> None:
        self._session.go(place)
        self._moved()
        if not self._is_wide:
            self._drawer.hide()

    async def _open_link(self, url: str) -> None:
        """Open the app's tab to which a link leads; a form would lie over it, and is closed."""
        place = place_of_link(url, self._session)
        if place is None:
            self._complain("This link leads elsewhere than to this app: nothing opens here.")
            return
        self._modal.dismiss()
        self._go(place)

    def _sit(self, name: str) -> None:
        self._session.sit(name)
        self._moved()

    def _moved(self) -> None:
        """Follow the person to another place, and keep the address true."""
        self.refresh()
        with self._client:
            self._composer.focus()
            ui.navigate.history.replace(self._session.address)


TITLE = "Domain Tracker playground"


def add(sandbox: Sandbox, app_info: AppInfo) -> None:
    """Add the page at `/?as=bob&channel=general&dark=1`; `channel` may be one of TABS."""

    @ui.page("/", title=TITLE)
    def slack_page(request: Request) -> None:
        ui.add_css(theme.LOOK)
        ui.add_css(STYLE)
        session = from_query(sandbox.slack, request.query_params)
        session.is_dark = theme.draw_colors(request)
        SlackScreen(sandbox, app_info, session)
