"""The look, and light and dark: from the address, else as this browser was last set."""

from collections.abc import Callable
from pathlib import Path

import yaml
from nicegui import ui
from starlette.requests import Request

_COOKIE = "playground_dark"
_A_YEAR_S = 365 * 24 * 3600
LOOK = Path(__file__).with_name("look.css").read_text(encoding="utf-8")
MARKUP = yaml.safe_load(Path(__file__).with_name("markup.yaml").read_text(encoding="utf-8"))


def is_dark(request: Request) -> bool:
    """Tell whether a page shall be dark: `?dark=1` or `?dark=0`, else what was chosen last."""
    asked = request.query_params.get("dark", request.cookies.get(_COOKIE, "0"))
    return asked in ("1", "true")


def draw_switch(*, is_dark: bool, changed: Callable[[], None]) -> None:
    """Draw the switch between both, which acts and is remembered, then calls `changed`."""
    mode = ui.dark_mode(value=is_dark)

    def turn() -> None:
        mode.value = not mode.value
        button.props(f"icon={_icon(is_dark=bool(mode.value))}")
        value = int(bool(mode.value))
        cookie = f"{_COOKIE}={value}; path=/; max-age={_A_YEAR_S}; SameSite=Lax"
        ui.run_javascript(f"document.cookie = '{cookie}'")
        changed()

    button = ui.button(icon=_icon(is_dark=is_dark), on_click=turn, color=None)
    button.props('flat dense round aria-label="Light or dark" title="Light or dark"')


def _icon(*, is_dark: bool) -> str:
    return "light_mode" if is_dark else "dark_mode"
