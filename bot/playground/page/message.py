"""One message as its reader sees it."""

from dataclasses import dataclass
from functools import partial

from nicegui import ui

from bot.playground.page.actions import Around, SlackActions, use_shortcut
from bot.playground.page.composer import draw_shortcuts
from bot.playground.page.drawing import draw_blocks, draw_text
from bot.playground.page.session import SlackNames, clock_words, moment
from bot.playground.slack import Message, visible
from bot.playground.slack.model import SLACKBOT_ID


def draw_avatar(name: str, *, kind: str = "person", is_small: bool = False) -> None:
    """Draw somebody; `kind` is "person", "app" or "slackbot". Screen readers skip it."""
    classes = f"sk-avatar sk-avatar-{kind}" + (" sk-avatar-small" if is_small else "")
    drawn = ui.element("div").classes(classes).props("aria-hidden=true")
    if kind == "person":
        drawn.style(f"background: hsl({sum(map(ord, name)) % 360} 45% 42%)")
    with drawn:
        ui.label(initials(name))


def initials(name: str) -> str:
    """Return one or two capital letters for a name."""
    words = [word for word in name.replace("_", " ").split() if word[0].isalnum()]
    return "".join(word[0] for word in words[:2]).upper() or "?"


@dataclass(frozen=True)
class MessageArt:
    """Draws messages for one reader."""

    names: SlackNames
    around: Around

    def draw(self, message: Message, replies: int | None = None) -> None:
        """Draw a message into the current element; `replies` None: it stands in its thread."""
        author = self.names.user(message.user) or message.user
        label = f"from {author}" + (", only visible to you" if message.is_ephemeral else "")
        article = ui.element("div").classes("sk-message")
        article.props["role"], article.props["aria-label"] = "article", label
        with article:
            if message.is_ephemeral:
                self._say_ephemeral()
            if message.command:
                self._draw_command(message)
            self._draw_row(message, author)
            if replies:
                words = f"{replies} {'reply' if replies == 1 else 'replies'}"
                link = ui.button(words, on_click=partial(self.around.open_thread, message.ts))
                link.props("flat dense no-caps color=none").classes("sk-replies")
            if not message.is_ephemeral:
                self._draw_acts(message, is_in_thread=replies is None)

    def _draw_acts(self, message: Message, *, is_in_thread: bool) -> None:
        """Draw what can be done with a message; it is seen while one points at it."""
        with ui.element("div").classes("sk-acts"):
            if not is_in_thread:
                reply = ui.button(icon="o_forum", color=None).props("flat dense size=sm")
                reply.props('aria-label="Reply in thread" title="Reply in thread"')
                reply.on_click(partial(self.around.open_thread, message.ts))
            session = self.names.session
            shortcuts = visible.shortcuts(session.slack.world, session.member, "message")
            use = partial(use_shortcut, session, self.around, message)
            draw_shortcuts(shortcuts, "more_vert", "More actions", use)

    def _say_ephemeral(self) -> None:
        with ui.element("div").classes("sk-ephemeral"):
            ui.icon("visibility").props("aria-hidden=true")
            ui.label("Only visible to you")

    def _draw_command(self, message: Message) -> None:
        """Draw what was typed, above the reply that everybody sees."""
        name = self.names.user(message.typed_by or "") or "somebody"
        with ui.element("div").classes("sk-command"):
            draw_avatar(name, is_small=True)
            ui.label(name).classes("sk-author")
            ui.label(message.command or "").classes("sk-typed")

    def _draw_row(self, message: Message, author: str) -> None:
        with ui.element("div").classes("sk-row"):
            draw_avatar(author, kind=self._kind(message.user))
            with ui.element("div").classes("sk-body"):
                self._draw_head(message, author)
                self._draw_content(message)

    def _draw_head(self, message: Message, author: str) -> None:
        with ui.element("div").classes("sk-head"):
            ui.label(author).classes("sk-author")
            if self._kind(message.user) == "app":
                ui.label("APP").classes("sk-app-badge")
            when = moment(message.ts, self.names.zone())
            time = ui.label(clock_words(when)).classes("sk-time")
            time.props["title"] = f"{when:%A, %B} {when.day}, {when:%Y} at {clock_words(when)}"

    def _draw_content(self, message: Message) -> None:
        if blocks := message.blocks:
            actions = SlackActions(self.names.session.person, message, self.around)
            draw_blocks(blocks, actions=actions, names=self.names, values=message.typed)
        else:
            draw_text(message.text, names=self.names)
        for place in range(len(message.files)):
            self._draw_file(message, place)
        if message.is_edited:
            ui.label("(edited)").classes("sk-edited")

    def _draw_file(self, message: Message, place: int) -> None:
        file = message.files[place]
        with ui.element("div").classes("sk-file"):
            ui.icon("o_description").props("aria-hidden=true")
            with ui.element("div").classes("sk-body"):
                ui.label(file["title"]).classes("sk-author")
                ui.label(f"{file['name']} · {file['size']:,} bytes").classes("sk-quiet")
            button = ui.button(icon="download", color=None).props("flat dense")
            button.props["aria-label"] = f"Download {file['name']}"
            button.on_click(partial(self._download, message, place))

    async def _download(self, message: Message, place: int) -> None:
        # Through this page: the browser is not signed in to the local Slack.
        try:
            content = await self.names.session.person.download(message, nth=place)
        except PermissionError as error:
            self.around.complain(f"Slack does not give you this file: {error}.")
        else:
            ui.download(content, message.files[place]["name"])

    def _kind(self, user_id: str) -> str:
        if user_id == SLACKBOT_ID:
            return "slackbot"
        is_bot = user_id == self.names.session.slack.bot_user_id
        return "app" if is_bot else "person"
