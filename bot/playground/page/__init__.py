"""Everything that the playground shows in a browser."""

from fastapi import FastAPI
from nicegui import ui

from bot.playground.manifest import AppInfo
from bot.playground.page import inspector, slack_page, tracker_pages
from bot.playground.sandbox import Sandbox

# A page that was away for longer is drawn again, and loses what is half typed ("reloading because
# implicit handshake failed", its console says). NiceGUI's own 3 s pass whenever a browser or the
# machine is busy: "maximum time the server waits for the browser to reconnect (default: 3.0
# seconds)", https://nicegui.io/documentation/section_configuration_deployment. It also asks for a
# sign of life every 0.8 of this, and waits 0.4 of this for the answer.
FORGOTTEN_AFTER_S = 60.0


def add_pages(sandbox: Sandbox, about: AppInfo) -> FastAPI:
    """Return an app that serves every page of this sandbox; once in a process."""
    slack_page.add(sandbox, about)
    tracker_pages.add(sandbox)
    inspector.add(sandbox)
    title = slack_page.TITLE
    app = FastAPI(title=title, docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        app,
        title=title,
        favicon="🩺",
        show_welcome_message=False,
        reconnect_timeout=FORGOTTEN_AFTER_S,
    )
    return app
