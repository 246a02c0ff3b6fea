"""The middle of the page: a channel, a direct message or the app's Home tab; and a thread."""

from collections.abc import Callable
from functools import partial

from nicegui import background_tasks, ui

from bot.playground.manifest import AppInfo
from bot.playground.page.actions import (
    Around,
    RefusedNotes,
    SlackActions,
    Speaking,
    failure_words,
    use_shortcut,
)
from bot.playground.page.composer import Composer
from bot.playground.page.drawing import draw_blocks
from bot.playground.page.message import MessageArt
from bot.playground.page.navigation import channel_marks
from bot.playground.page.session import DIRECT_MESSAGE, HOME, Session, SlackNames
from bot.playground.page.timeline import Timeline
from bot.playground.slack import CommandFailed, LocalSlack
from bot.playground.slack.model import Channel


def draw_channel_menu(slack: LocalSlack, channel: Channel, app_name: str) -> None:
    """Draw a button with the menu behind it; it is drawn again with the channel."""
    button = ui.button(icon="more_vert", color=None).props("flat dense round size=sm")
    button.props('aria-label="Change this channel" title="Change this channel" aria-haspopup=menu')
    with button, ui.menu().props("auto-close role=menu"):
        for words, act in _acts(slack, channel, app_name):
            item = ui.menu_item(words, on_click=lambda act=act: act(channel.name))
            item.props["role"], item.props["aria-label"] = "menuitem", words


def is_without_app(slack: LocalSlack, channel: Channel) -> bool:
    """Tell whether the app is not in a channel."""
    return slack.bot_user_id not in channel.members


def _acts(
    slack: LocalSlack, channel: Channel, app_name: str
) -> list[tuple[str, Callable[[str], None]]]:
    archive = ("Archive channel", slack.archive)
    unarchive = ("Unarchive channel", slack.unarchive)
    add = (f"Add {app_name}", slack.invite_bot)
    remove = (f"Remove {app_name}", slack.remove_bot)
    return [
        unarchive if channel.is_archived else archive,
        add if is_without_app(slack, channel) else remove,
    ]


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
            self._say_empty()

    def refresh(self) -> None:
        session = self._names.session
        view = session.slack.world.stacks.homes.get(session.member.id)
        shown = (view.id, view.revision) if view else None
        if self._shown == shown:
            return
        self._shown = shown
        self._body.clear()
        with self._body:
            if view is None:  # the app was removed
                self._say_empty()
                return
            actions = SlackActions(session.person, view, self._around)
            draw_blocks(view.blocks, actions=actions, names=self._names, values=view.typed)

    def _say_empty(self) -> None:
        name = self._names.app_name
        ui.label(f"{name} has nothing on its Home tab yet.").classes("sk-quiet")

    async def _open(self) -> None:
        try:
            await self._names.session.person.by_id.open_home()
        except CommandFailed as error:
            self._around.complain(failure_words(error.code))


class Conversation:
    """One place, open for one person, drawn into the current element."""

    def __init__(
        self, app: AppInfo, art: MessageArt, refused: RefusedNotes, go: Callable[[str], None]
    ) -> None:
        self._session = art.names.session
        self._app = app
        self._go = go
        channel = self._session.channel
        self._draw_head(channel)
        self._body: Home | Timeline
        if channel is None:
            self._body = Home(art.names, art.around)
        else:
            self._body = Timeline(channel, art, refused)
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
            draw_channel_menu(self._session.slack, channel, self._app.name)

    def _draw_tabs(self) -> None:
        for place, words in ((HOME, "Home"), (DIRECT_MESSAGE, "Messages")):
            button = ui.button(words, on_click=partial(self._go, place), color=None)
            button.props("flat no-caps dense").classes("sk-tab")
            if self._session.place == place:
                button.classes("sk-open").props["aria-current"] = "page"

    def _draw_foot(self, channel: Channel) -> None:
        """Say why there is no field to write in, where there is none."""
        if channel.is_im and self._app.messages_tab_read_only:
            self._draw_bar("Sending messages to this app has been turned off.")
        elif channel.is_archived:
            self._draw_bar(f"You are viewing #{channel.name}, an archived channel")
        elif self._session.member.id not in channel.members:
            self._draw_bar(f"You are viewing #{channel.name}")
            with self._bar:
                ui.button("Join channel", on_click=self._join, color=None).props(
                    "unelevated no-caps dense"
                )

    def _draw_bar(self, words: str) -> None:
        with ui.element("div").classes("sk-bar") as self._bar:
            ui.label(words)

    def _join(self) -> None:
        self._session.person.join(self._session.place)


def may_write(session: Session, app: AppInfo) -> bool:
    """Tell whether there is a field to write in where the person is."""
    channel = session.channel
    if channel is None or channel.is_archived or (channel.is_im and app.messages_tab_read_only):
        return False
    return session.member.id in channel.members


class Thread:
    """One thread beside its channel, drawn into the current element; `close` takes it away."""

    def __init__(
        self,
        channel: Channel,
        ts: str,
        app: AppInfo,
        art: MessageArt,
        refused: RefusedNotes,
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
            self._timeline = Timeline(channel, art, refused, ts)
            if may_write(session, app):
                use = partial(use_shortcut, session, art.around, None)
                Composer("Reply", app, Speaking(art.names, refused, ts).send, use).show("Reply…")

    def refresh(self) -> None:
        self._timeline.refresh()
