"""The app's Home tab."""

from nicegui import background_tasks, ui

from bot.playground.page.drawing import draw_blocks
from bot.playground.page.hands import Around, SlackHands, told
from bot.playground.page.names import SlackNames
from bot.playground.slack import CommandFailed


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
        """Draw what has changed."""
        seat = self._names.seat
        view = seat.slack.world.stacks.homes.get(seat.member.id)
        shown = (view.id, view.revision) if view else None
        if self._shown == shown:
            return
        self._shown = shown
        self._body.clear()
        with self._body:
            if view is None:  # the app was removed
                self._say_empty()
                return
            hands = SlackHands(seat.person, view, self._around)
            draw_blocks(view.blocks, hands=hands, names=self._names, values=view.typed)

    def _say_empty(self) -> None:
        name = self._names.app_name
        ui.label(f"{name} has nothing on its Home tab yet.").classes("sk-quiet")

    async def _open(self) -> None:
        try:
            await self._names.seat.person.by_id.open_home()
        except CommandFailed as error:
            self._around.complain(told(error.code))
