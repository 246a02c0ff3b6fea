"""One message as its reader sees it."""

from dataclasses import dataclass

from nicegui import ui

from bot.playground.page.actions import Around, SlackActions
from bot.playground.page.drawing import draw_blocks, draw_text
from bot.playground.page.session import SlackNames, clock_words, moment
from bot.playground.slack import Message
from bot.playground.slack.model import SLACKBOT_ID

_HUES = (205, 12, 145, 265, 330, 48, 180, 95)


def draw_avatar(name: str, *, kind: str = "person", is_small: bool = False) -> None:
    """Draw somebody; `kind` is "person", "app" or "slackbot". Screen readers skip it."""
    classes = f"sk-avatar sk-avatar-{kind}" + (" sk-avatar-small" if is_small else "")
    drawn = ui.element("div").classes(classes).props("aria-hidden=true")
    if kind == "person":
        drawn.style(f"background: hsl({_hue(name)} 45% 42%)")
    with drawn:
        ui.label(initials(name))


def initials(name: str) -> str:
    """Return one or two capital letters for a name."""
    words = [word for word in name.replace("_", " ").split() if word[0].isalnum()]
    return "".join(word[0] for word in words[:2]).upper() or "?"


def _hue(name: str) -> int:
    return _HUES[sum(map(ord, name)) % len(_HUES)]


@dataclass(frozen=True)
class MessageArt:
    """Draws messages for one reader."""

    names: SlackNames
    around: Around

    def draw(self, message: Message) -> None:
        """Draw a message into the current element."""
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
            draw_blocks(
                blocks,
                actions=actions,
                names=self.names,
                values=message.typed,
                channel_id=message.channel_id,
            )
        else:
            draw_text(message.text, names=self.names)
        if message.is_edited:
            ui.label("(edited)").classes("sk-edited")

    def _kind(self, user_id: str) -> str:
        if user_id == SLACKBOT_ID:
            return "slackbot"
        is_bot = user_id == self.names.session.slack.bot_user_id
        return "app" if is_bot else "person"
