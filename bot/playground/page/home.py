"""The app's Home tab."""

from collections.abc import Callable

from nicegui import background_tasks, ui

from bot.playground.page.drawing import draw_blocks
from bot.playground.page.hands import SlackHands, told
from bot.playground.page.names import SlackNames
from bot.playground.slack import CommandFailed


class Home:
    """Shows what the bot has published for the person who sits there."""

    def __init__(self, names: SlackNames, complain: Callable[[str], None]) -> None:
        self._names = names
        self._complain = complain
        self._shown: tuple[str, int] | None = None
        background_tasks.create(self._open(), name="open the Home tab")
        with ui.element("div").classes("sk-home"):
            self._body = ui.element("div").classes("sk-home-body")
        with self._body:
            name = names.app_name
            ui.label(f"{name} has nothing on its Home tab yet.").classes("sk-quiet")

    def refresh(self) -> None:
        """Draw what has changed."""
        seat = self._names.seat
        view = seat.slack.world.stacks.homes.get(seat.member.id)
        if view is None or self._shown == (view.id, view.revision):
            return
        self._shown = view.id, view.revision
        self._body.clear()
        with self._body:
            hands = SlackHands(seat.person, view, self._complain)
            draw_blocks(view.blocks, hands=hands, names=self._names, values=view.typed)

    async def _open(self) -> None:
        try:
            await self._names.seat.person.by_id.open_home()
        except CommandFailed as error:
            self._complain(told(error.code))
