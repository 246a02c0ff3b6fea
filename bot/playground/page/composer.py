"""The field in which people write, and what becomes of it."""

from collections.abc import Awaitable, Callable

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments

from bot.playground.manifest import AppInfo
from bot.playground.page.completion import Completion

# Enter sends; while commands are offered, the keys that choose among them do so.
_KEYS = """(event) => {
    const offers = event.target.getAttribute('aria-expanded') === 'true';
    const chooses = offers && ['ArrowUp', 'ArrowDown', 'Tab', 'Escape'].includes(event.key);
    const sends = event.key === 'Enter' && !event.shiftKey && !event.isComposing;
    if (chooses || sends) {
        event.preventDefault();
        event.stopPropagation();
        emit({key: event.key, typed: event.target.value});
    }
}"""

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
                self._field.on("keydown", self._key, js_handler=_KEYS)
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
