"""The page at `/`: Slack as one person sees it."""

from nicegui import ui
from starlette.requests import Request

from bot.playground.manifest import AppInfo
from bot.playground.page import theme
from bot.playground.page.drawing import STYLE
from bot.playground.page.refused import RefusedNotes
from bot.playground.page.seat import from_query
from bot.playground.page.shell import Shell
from bot.playground.sandbox import Sandbox

TITLE = "Domain Tracker playground"


def add(town: Sandbox, app_info: AppInfo) -> None:
    """Add the page.

    Its address says who looks at what: `/?as=bob&channel=general&dark=1`, where `channel` may
    also be "dm" or "home", and `thread` the timestamp of a thread's first message.
    """
    refused = RefusedNotes(town.slack)

    @ui.page("/", title=TITLE)
    def slack_page(request: Request) -> None:
        ui.add_css(theme.LOOK)
        ui.add_css(STYLE)
        seat = from_query(town.slack, request.query_params)
        seat.is_dark = theme.is_dark(request)
        Shell(town, app_info, refused, seat)
