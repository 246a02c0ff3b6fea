"""Everything that the playground shows in a browser."""

from pathlib import Path

from fastapi import FastAPI
from nicegui import ui

from bot.playground.page import inspector, slack_page, tracker_pages
from bot.playground.page.commands import read_manifest
from bot.playground.town import Town


def add_pages(town: Town, manifest: Path) -> FastAPI:
    """Return an app that serves every page of this town; once in a process.

    Raises:
        OSError, yaml.YAMLError, KeyError: the manifest cannot be read.
    """
    slack_page.add(town, read_manifest(manifest))
    tracker_pages.add(town)
    inspector.add(town)
    title = slack_page.TITLE
    app = FastAPI(title=title, docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(app, title=title, favicon="🩺", show_welcome_message=False)
    return app
