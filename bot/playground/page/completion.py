"""The list of slash commands that opens while somebody types one."""

from collections.abc import Callable

from nicegui import ui
from nicegui.element import Element

from bot.playground.manifest import SlashCommand
from bot.playground.page.commands import fitting


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
