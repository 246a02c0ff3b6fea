"""The bar at the top: who you are, the playground's clock, light and dark."""

from collections.abc import Callable
from dataclasses import dataclass

from nicegui import ui
from nicegui.elements.drawer import Drawer

from bot.playground.page import clock_panel, theme
from bot.playground.page.seat import Seat, people, role
from bot.playground.sandbox import Sandbox


@dataclass(frozen=True)
class TopBar:
    """Draws the bar. `sit` gets the name of whom somebody wants to be; `darken` is told of
    each change between light and dark.
    """

    town: Sandbox
    seat: Seat
    sit: Callable[[str], None]
    darken: Callable[[], None]

    def draw(self, drawer: Drawer) -> None:
        """Draw it as the page's header."""
        with ui.header(fixed=True, elevated=False).classes("sk-top"):
            menu = ui.button(icon="menu", on_click=drawer.toggle, color=None)
            menu.props('flat dense round aria-label="Channels"').classes("sk-menu")
            ui.label("Domain Tracker playground").classes("sk-title")
            ui.space()
            self._draw_clock()
            self._draw_people()
            theme.draw_switch(is_dark=self.seat.is_dark, changed=self.darken)

    def _draw_clock(self) -> None:
        button = ui.button(icon="schedule", color=None).props("flat dense round")
        button.props('aria-label="The playground\'s clock" title="The playground\'s clock"')
        with button, ui.menu(), ui.element("div").classes("sk-clock"):
            clock_panel.draw(self.town)

    def _draw_people(self) -> None:
        options = {
            member.name: f"{member.name} ({role(member)})" for member in people(self.seat.slack)
        }
        select = ui.select(
            options,
            label="You are",
            value=self.seat.name,
            on_change=lambda event: self.sit(event.value),
        )
        select.props("dense outlined dark options-dense").classes("sk-you")
