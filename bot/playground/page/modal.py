"""The form on top of somebody's screen, as a dialog."""

import json
from collections.abc import Callable

from nicegui import ui

from bot.playground.page.actions import Around, SlackActions, failure_words
from bot.playground.page.drawing import draw_blocks
from bot.playground.page.message import draw_avatar
from bot.playground.page.session import SlackNames
from bot.playground.page.theme import Item, LiveList
from bot.playground.slack import CommandFailed, FormError, View


class _Parts:
    """The frame of one form, drawn into the current element."""

    def __init__(self) -> None:
        self.title = ui.element("div").classes("sk-modal-title")
        with ui.element("div").classes("sk-modal-body"):
            self.trouble = ui.element("div")
            self.blocks = LiveList(ui.element("div").classes("bk-blocks"))
        self.buttons = ui.element("div").classes("sk-modal-buttons")


class Modal:
    """Shows the form that the local Slack has on top for the person who sits there."""

    def __init__(self, names: SlackNames, around: Around) -> None:
        self._names = names
        self._around = around
        self._shown: tuple[str, str] | None = None
        self._trouble: CommandFailed | None = None
        self._dialog = ui.dialog().props("no-backdrop-dismiss transition-duration=100")
        # Esc has hidden the dialog by then; the local Slack decides what remains.
        self._dialog.on("escape-key", self.dismiss)
        with self._dialog:
            self._card = ui.element("div").classes("sk-modal")
        self._parts: tuple[str, _Parts] | None = None

    def refresh(self) -> None:
        """Open, draw again or close, as the local Slack has it now."""
        stack = self._stack()
        if not stack:
            self._shown = None
            self._dialog.close()
            return
        view = stack[-1]
        if self._shown != (view.id, view.hash):
            self._shown, self._trouble = (view.id, view.hash), None
            self._draw(view)
        self._dialog.open()

    def _stack(self) -> list[View]:
        session = self._names.session
        return session.slack.world.stacks.of(session.member.id)

    def _draw(self, view: View) -> None:
        self._dialog.props["aria-label"] = view.title
        if self._parts is None or self._parts[0] != view.id:
            self._card.clear()
            with self._card:
                self._parts = view.id, _Parts()
        parts = self._parts[1]
        for part, draw in ((parts.title, self._draw_title), (parts.buttons, self._draw_buttons)):
            part.clear()
            with part:
                draw(view)
        parts.trouble.clear()
        with parts.trouble:
            self._draw_trouble()
        # Where one types or scrolls, nothing moves when the bot changes another field.
        parts.blocks.show([self._block(view, place) for place in range(len(view.blocks))])
        self._dialog.update()

    def _block(self, view: View, place: int) -> Item:
        block, error = view.blocks[place], view.block_errors.get(view.blocks[place]["block_id"])

        def draw() -> None:
            draw_blocks(
                [block],
                actions=SlackActions(self._names.session.person, view, self._around),
                names=self._names,
                errors=view.block_errors,
                values=view.typed,
            )

        return Item(block["block_id"], (json.dumps(block), error), draw)

    def _draw_title(self, view: View) -> None:
        if view.previous_id:
            self._button("arrow_back", "Back", self._close)
        draw_avatar(self._names.app_name, kind="app", is_small=True)
        title = ui.label(view.title).classes("sk-modal-name")
        title.props["role"], title.props["aria-level"] = "heading", "1"
        self._button("close", "Dismiss", self.dismiss)

    def _button(self, icon: str, label: str, act: Callable[[], None]) -> None:
        button = ui.button(icon=icon, on_click=act, color=None).props("flat dense round size=sm")
        button.props["aria-label"] = label

    def _draw_buttons(self, view: View) -> None:
        submit, close = view.payload.get("submit"), view.payload.get("close")
        closes = close["text"] if close else "Cancel" if submit else "Close"
        leave = ui.button(closes, on_click=self._close, color=None)
        leave.props("outline no-caps").classes("sk-button")
        if submit:
            button = ui.button(submit["text"], color=None)
            button.props("unelevated no-caps").classes("sk-button sk-primary")
            button.on_click(lambda: self._submit(view, button))

    def _draw_trouble(self) -> None:
        if self._trouble is None:
            return
        with ui.element("div").classes("sk-trouble").props("role=alert"):
            ui.label("We had some trouble connecting. Try again?")
            ui.label(failure_words(self._trouble.code)).classes("sk-quiet")

    async def _submit(self, view: View, button: ui.button) -> None:
        button.props("loading disable")
        try:
            await self._names.session.person.by_id.submit(view)
        except CommandFailed as error:
            self._trouble = error
        except FormError:
            pass  # it is not on top any more: the newer one is shown
        # What else the form shows next follows from the local Slack.
        if self._trouble and self._stack()[-1:] == [view]:
            self._draw(view)

    def _close(self) -> None:
        self._leave(self._names.session.person.by_id.close)

    def dismiss(self) -> None:
        """Close the form and those below it, if there is one."""
        self._leave(self._names.session.person.by_id.close_all)

    def _leave(self, leave: Callable[[View], None]) -> None:
        if stack := self._stack():
            leave(stack[-1])
