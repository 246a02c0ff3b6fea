"""Everything that the playground shows in a browser."""

from fastapi import FastAPI
from nicegui import ui

from bot.playground.manifest import AppInfo
from bot.playground.page import inspector, slack_page, tracker_pages
from bot.playground.sandbox import Sandbox


def add_pages(sandbox: Sandbox, about: AppInfo) -> FastAPI:
    """Return an app that serves every page of this sandbox; once in a process."""
    slack_page.add(sandbox, about)
    tracker_pages.add(sandbox)
    inspector.add(sandbox)
    title = slack_page.TITLE
    app = FastAPI(title=title, docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(app, title=title, favicon="🩺", show_welcome_message=False)
    return app
