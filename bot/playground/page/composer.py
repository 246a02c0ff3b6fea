"""The field in which people write, the list that opens above it, and menus of shortcuts."""

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from bot.playground.manifest import AppInfo, Shortcut, SlashCommand
from bot.playground.page.theme import MARKUP


def fitting(commands: Sequence[SlashCommand], typed: str) -> list[SlashCommand]:
    """Return the commands to offer for a half-typed one, those that begin with it first."""
    if not typed.startswith("/") or any(char.isspace() for char in typed):
        return []
    words = typed[1:].lower()
    found = [command for command in commands if words in command.command]
    return sorted(found, key=lambda entry: not entry.command.startswith(typed.lower()))


class Completion:
    """Commands that fit what is typed, the first one marked. `choose` gets one that is clicked."""

    def __init__(
        self, commands: tuple[SlashCommand, ...], app_name: str, choose: Callable[[str], None]
    ) -> None:
        self._commands = commands
        self._app_name = app_name
        self._choose = choose
        self._offered: list[SlashCommand] = []
        self._box = ui.element("div").classes("sk-completion")
        self._box.props('role=listbox aria-label="Slash commands"')
        self._box.visible = False

    @property
    def is_open(self) -> bool:
        return bool(self._offered)

    def offer(self, typed: str) -> None:
        """Show what fits a half-typed line."""
        fits = fitting(self._commands, typed)
        if fits != self._offered:
            self._offered = fits
            self._draw()

    def close(self) -> None:
        """Offer nothing until something else is typed."""
        self._offered = []
        self._draw()

    def _draw(self) -> None:
        self._box.clear()
        self._box.visible = self.is_open
        with self._box:
            if self.is_open:
                ui.label(self._app_name).classes("sk-completion-app").props("aria-hidden=true")
            for index, entry in enumerate(self._offered):
                self._draw_row(entry, is_marked=not index)

    def _draw_row(self, entry: SlashCommand, *, is_marked: bool) -> None:
        row = ui.element("div").classes("sk-completion-row").props("role=option")
        row.props["aria-selected"] = "true" if is_marked else "false"
        with row:
            ui.label(entry.command).classes("sk-completion-name")
            ui.label(entry.usage_hint).classes("sk-completion-hint")
            ui.label(entry.description).classes("sk-quiet sk-completion-what")
        # Before the click the field would lose the focus.
        row.on("mousedown.prevent", lambda: self._choose(entry.command))


def draw_shortcuts(
    shortcuts: Sequence[Shortcut], icon: str, label: str, use: Callable[[str], Awaitable[None]]
) -> None:
    """Draw a button with a menu of shortcuts, where there are any; `use` gets a name."""
    if not shortcuts:
        return
    button = ui.button(icon=icon, color=None).props("flat dense size=sm aria-haspopup=menu")
    button.props["aria-label"] = button.props["title"] = label
    with button, ui.menu().props("auto-close role=menu"):
        for shortcut in shortcuts:
            item = ui.menu_item(shortcut.name, on_click=partial(use, shortcut.name))
            item.props["role"], item.props["aria-label"] = "menuitem", shortcut.name


# Slack goes to the newest message when one sends; the list is drawn from the bottom up.
_TO_NEWEST = "document.querySelectorAll('.sk-scroller').forEach(box => { box.scrollTop = 0 })"


class Composer:
    """A field named `label`; `send` gets each line, `use` the name of a chosen shortcut."""

    def __init__(
        self,
        label: str,
        app: AppInfo,
        send: Callable[[str], Awaitable[None]],
        use: Callable[[str], Awaitable[None]],
    ) -> None:
        self._send = send
        self._use = use
        self._box = ui.element("div").classes("sk-composer")
        with self._box:
            self._completion = Completion(
                app.commands, app.name, lambda command: self.fill(f"{command} ")
            )
            with ui.element("div").classes("sk-composer-box"):
                self._before = ui.element("div").classes("sk-shortcuts")
                self._draw_field(label)

    def show(self, placeholder: str, shortcuts: Sequence[Shortcut] = ()) -> None:
        """Show the field, with these words while it is empty; without words hide it."""
        self._box.visible = bool(placeholder)
        # In place: NiceGUI (3.18) would bring back what the field held a moment ago.
        with self._field.props.suspend_updates():
            self._field.props["placeholder"] = placeholder
        field = f"getHtmlElement({self._field.id})"
        words = json.dumps(placeholder)
        self._field.client.run_javascript(f"{field}?.setAttribute('placeholder', {words})")
        self._before.clear()
        with self._before:
            draw_shortcuts(shortcuts, "bolt", "Shortcuts", self._use)

    def fill(self, line: str) -> None:
        """Put a line into the field, which one may change before it is sent."""
        self._field.value = line
        self.focus()

    def focus(self) -> None:
        """Let the person type at once."""
        if self._box.visible:
            self._field.run_method("focus")

    def _draw_field(self, label: str) -> None:
        self._field = ui.textarea(on_change=self._typed).classes("sk-field")
        self._field.props("autogrow borderless dense rows=1 autocomplete=off autofocus")
        self._field.props["aria-label"] = label
        self._field.on("keydown", self._key, js_handler=MARKUP["keys_of_composer"])
        post = ui.button(icon="send", on_click=self._post, color=None)
        post.props('flat dense aria-label="Post message" title="Post message"').classes("sk-send")

    @property
    def _value(self) -> str:
        return str(self._field.value or "")

    def _typed(self) -> None:
        self._completion.offer(self._value)

    def _key(self, event: GenericEventArguments) -> None:
        if event.args["key"] == "Escape":
            self._completion.close()
        else:
            self._submit(str(event.args["typed"]))

    def _post(self) -> None:
        typed, self._field.value = self._value, ""
        self._submit(typed)

    def _submit(self, typed: str) -> None:
        if typed.strip():
            ui.run_javascript(_TO_NEWEST)
            background_tasks.create(self._send(typed), name="send a line")
