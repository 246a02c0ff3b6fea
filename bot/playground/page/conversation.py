"""The middle of the page: a channel, a direct message or the app's Home tab; and a thread."""

from collections.abc import Callable
from functools import partial

from nicegui import background_tasks, ui

from bot.playground.manifest import AppInfo
from bot.playground.page.actions import (
    Around,
    SlackActions,
    Speaking,
    failure_words,
    use_shortcut,
)
from bot.playground.page.composer import Composer
from bot.playground.page.drawing import draw_blocks
from bot.playground.page.message import MessageArt
from bot.playground.page.navigation import channel_marks
from bot.playground.page.session import ABOUT, TABS, Session, SlackNames
from bot.playground.page.timeline import Timeline
from bot.playground.slack import CommandFailed, LocalSlack
from bot.playground.slack.model import Channel


def is_without_app(slack: LocalSlack, channel: Channel) -> bool:
    """Tell whether the app is not in a channel."""
    return slack.bot_user_id not in channel.members


class Home:
    """Shows what the bot has published for the person who sits there."""

    def __init__(self, names: SlackNames, around: Around) -> None:
        self._names = names
        self._around = around
        self._shown: tuple[str, int] | None = None
        background_tasks.create(self._open(), name="open the Home tab")
        with ui.element("div").classes("sk-home"):
            self._body = ui.element("div").classes("sk-home-body")
        with self._body:
            ui.label(f"{names.app_name} has nothing on its Home tab yet.").classes("sk-quiet")

    def refresh(self) -> None:
        session = self._names.session
        view = session.slack.world.stacks.homes.get(session.member.id)
        if view is None or self._shown == (view.id, view.revision):
            return
        self._shown = (view.id, view.revision)
        self._body.clear()
        with self._body:
            actions = SlackActions(session.person, view, self._around)
            draw_blocks(view.blocks, actions=actions, names=self._names, values=view.typed)

    async def _open(self) -> None:
        try:
            await self._names.session.person.by_id.open_home()
        except CommandFailed as error:
            self._around.complain(failure_words(error.code))


class About:
    """Says what the manifest says of the app: it does not change."""

    def __init__(self, app: AppInfo) -> None:
        with ui.element("div").classes("sk-home"), ui.element("div").classes("sk-home-body"):
            ui.label(app.description).classes("sk-author")
            ui.label(app.long_description)

    def refresh(self) -> None:
        pass


class Conversation:
    """One place, open for one person, drawn into the current element."""

    def __init__(self, app: AppInfo, art: MessageArt, go: Callable[[str], None]) -> None:
        self._session = art.names.session
        self._app = app
        self._go = go
        channel = self._session.channel
        self._draw_head(channel)
        self._body: About | Home | Timeline
        if self._session.place == ABOUT:
            self._body = About(app)
        elif channel is None:
            self._body = Home(art.names, art.around)
        else:
            self._body = Timeline(channel, art)
            self._draw_foot(channel)

    def refresh(self) -> None:
        """Draw what has changed, and note that it has been read."""
        self._body.refresh()
        if channel := self._session.channel:
            self._session.slack.world.read_marks.mark(self._session.member, channel)

    def _draw_head(self, channel: Channel | None) -> None:
        with ui.element("div").classes("sk-room-head"):
            if channel is None or channel.is_im:
                ui.label(self._app.name).classes("sk-room-name").props("role=heading aria-level=1")
                self._draw_tabs()
                return
            icon, remark = channel_marks(channel)
            ui.icon(icon).props("aria-hidden=true").classes("sk-room-icon")
            ui.label(channel.name).classes("sk-room-name").props("role=heading aria-level=1")
            if icon != "tag":
                ui.label(remark).classes("sk-quiet sk-room-remark")
            if is_without_app(self._session.slack, channel):
                ui.label(f"without {self._app.name}").classes("sk-quiet sk-room-remark")
            ui.space()
            ui.icon("o_group").props("aria-hidden=true").classes("sk-quiet")
            ui.label(str(len(channel.members))).classes("sk-quiet").props["title"] = "members"

    def _draw_tabs(self) -> None:
        for name, place in TABS.items():
            button = ui.button(name.title(), on_click=partial(self._go, place), color=None)
            button.props("flat no-caps dense").classes("sk-tab")
            if self._session.place == place:
                button.classes("sk-open").props["aria-current"] = "page"

    def _draw_foot(self, channel: Channel) -> None:
        """Say why there is no field to write in, where there is none."""
        if may_write(self._session, self._app):
            return
        words = f"You are viewing #{channel.name}, an archived channel"
        if channel.is_im:
            words = "Sending messages to this app has been turned off."
        with ui.element("div").classes("sk-bar"):
            ui.label(words)


def may_write(session: Session, app: AppInfo) -> bool:
    """Tell whether there is a field to write in where the person is."""
    channel = session.channel
    if channel is None or channel.is_archived:
        return False
    return not (channel.is_im and app.messages_tab_read_only)


class Thread:
    """One thread beside its channel, drawn into the current element; `close` takes it away."""

    def __init__(
        self,
        channel: Channel,
        ts: str,
        app: AppInfo,
        art: MessageArt,
        close: Callable[[], None],
    ) -> None:
        session = art.names.session
        panel = ui.element("aside").classes("sk-thread").props("aria-label=Thread")
        with panel:
            with ui.element("div").classes("sk-room-head"):
                ui.label("Thread").classes("sk-room-name").props("role=heading aria-level=2")
                ui.label(app.name if channel.is_im else f"# {channel.name}").classes("sk-quiet")
                ui.space()
                button = ui.button(icon="close", on_click=close, color=None)
                button.props('flat dense round size=sm aria-label="Close thread"')
            self._timeline = Timeline(channel, art, ts)
            if may_write(session, app):
                use = partial(use_shortcut, session, art.around, None)
                Composer("Reply", app, Speaking(art.names, ts).send, use).show("Reply…")

    def refresh(self) -> None:
        self._timeline.refresh()
