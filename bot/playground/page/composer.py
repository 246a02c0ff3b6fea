"""The field in which people write, with the list of slash commands that opens above it."""

from collections.abc import Awaitable, Callable, Sequence

from nicegui import background_tasks, ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from bot.playground.manifest import AppInfo, SlashCommand
from bot.playground.page.theme import MARKUP


def fitting(commands: Sequence[SlashCommand], typed: str) -> list[SlashCommand]:
    """Return the commands to offer for a half-typed line, those that begin with it first.

    Nothing is offered before a slash, nor once the command is followed by a space.
    """
    if not typed.startswith("/") or any(char.isspace() for char in typed):
        return []
    words = typed[1:].lower()
    found = [command for command in commands if words in command.command]
    return sorted(found, key=lambda entry: not entry.command.startswith(typed.lower()))


class Completion:
    """Commands that fit what is typed; one of them is marked. `choose` gets the chosen one."""

    def __init__(
        self, commands: tuple[SlashCommand, ...], app_name: str, choose: Callable[[str], None]
    ) -> None:
        self._commands = commands
        self._app_name = app_name
        self._choose = choose
        self._offered: list[SlashCommand] = []
        self._marked = 0
        self._box = ui.element("div").classes("sk-completion")
        self._box.props('role=listbox aria-label="Slash commands"')
        self._box.visible = False

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self._offered)

    @property
    def marked(self) -> str:
        """The marked command; only while the list is open."""
        return self._offered[self._marked].command

    @property
    def marked_id(self) -> str:
        """The marked entry's id on the page, for screen readers; empty while nothing is open."""
        return f"c{self._rows[self._marked].id}" if self._offered else ""

    def offer(self, typed: str) -> None:
        """Show what fits a half-typed line."""
        fits = fitting(self._commands, typed)
        if fits != self._offered:
            self._offered, self._marked = fits, 0
            self._draw()

    def close(self) -> None:
        """Offer nothing until something else is typed."""
        self._offered = []
        self._draw()

    def move(self, steps: int) -> None:
        """Mark another entry, round and round."""
        self._marked = (self._marked + steps) % len(self._offered)
        for index, row in enumerate(self._rows):
            row.props["aria-selected"] = "true" if index == self._marked else "false"

    def _draw(self) -> None:
        self._box.clear()
        self._box.visible = self.is_open
        with self._box:
            if self.is_open:
                ui.label(self._app_name).classes("sk-completion-app").props("aria-hidden=true")
            self._rows = [self._row(index, entry) for index, entry in enumerate(self._offered)]

    def _row(self, index: int, entry: SlashCommand) -> Element:
        row = ui.element("div").classes("sk-completion-row").props("role=option")
        row.props["aria-selected"] = "true" if index == self._marked else "false"
        with row:
            ui.label(entry.command).classes("sk-completion-name")
            ui.label(entry.usage_hint).classes("sk-completion-hint")
            ui.label(entry.description).classes("sk-quiet sk-completion-what")
        # Before the click the field would lose the focus.
        row.on("mousedown.prevent", lambda: self._choose(entry.command))
        return row


# Slack goes to the newest message when one sends; the list is drawn from the bottom up.
_TO_NEWEST = "document.querySelectorAll('.sk-scroller').forEach(box => { box.scrollTop = 0 })"


class Composer:
    """A field named `label`. `send` gets each line that is sent."""

    def __init__(
        self, label: str, placeholder: str, app: AppInfo, send: Callable[[str], Awaitable[None]]
    ) -> None:
        self._send = send
        with ui.element("div").classes("sk-composer"):
            self._completion = Completion(app.commands, app.name, self._complete)
            with ui.element("div").classes("sk-composer-box"):
                self._field = ui.textarea(placeholder=placeholder, on_change=self._typed)
                self._field.props("autogrow borderless dense rows=1 autocomplete=off autofocus")
                self._field.props["aria-label"] = label
                self._field.props["aria-autocomplete"] = "list"
                self._field.props["aria-expanded"] = "false"
                self._field.props["aria-activedescendant"] = ""
                self._field.classes("sk-field")
                self._field.on("keydown", self._key, js_handler=MARKUP["keys_of_composer"])
                button = ui.button(
                    icon="send", on_click=lambda: self._submit(self._value), color=None
                )
                button.props('flat dense aria-label="Post message" title="Post message"').classes(
                    "sk-send"
                )

    @property
    def _value(self) -> str:
        return str(self._field.value or "")

    def _typed(self) -> None:
        self._completion.offer(self._value)
        self._tell_readers()

    def _tell_readers(self) -> None:
        is_open, marked_id = self._completion.is_open, self._completion.marked_id
        if self._field.props["aria-activedescendant"] != marked_id:
            self._field.props["aria-expanded"] = "true" if is_open else "false"
            self._field.props["aria-activedescendant"] = marked_id

    def _key(self, event: GenericEventArguments) -> None:
        key, typed = str(event.args["key"]), str(event.args["typed"])
        offers = self._completion.is_open
        if offers and key in ("ArrowUp", "ArrowDown"):
            self._completion.move(1 if key == "ArrowDown" else -1)
            self._tell_readers()
        elif offers and key == "Escape":
            self._completion.close()
            self._tell_readers()
        elif offers and (key == "Tab" or typed != self._completion.marked):
            self._complete(self._completion.marked)
        elif key == "Enter":
            self._submit(typed)

    def _complete(self, command: str) -> None:
        self._field.value = f"{command} "
        self._field.run_method("focus")

    def _submit(self, typed: str) -> None:
        self._field.value = ""
        if typed.strip():
            ui.run_javascript(_TO_NEWEST)
            background_tasks.create(self._send(typed), name="send a line")
