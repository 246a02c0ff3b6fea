"""A visitor of pages without a browser: NiceGUI's own simulation, on pages of one sandbox."""

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
from nicegui import Client, core
from nicegui.testing import User
from nicegui.testing.general import nicegui_reset_globals, prepare_simulation

from bot.playground.sandbox import Sandbox


@asynccontextmanager
async def visiting(sandbox: Sandbox, *add: Callable[[Sandbox], object]) -> AsyncIterator[User]:
    """Yield a visitor to whom these pages are open."""
    # NiceGUI collects garbage before and after each test, which takes 0.2 s for all that is
    # imported by now: it has only this test's own objects to look at.
    gc.freeze()
    with nicegui_reset_globals():
        prepare_simulation()
        for pages in add:
            pages(sandbox)
        async with (
            core.app.router.lifespan_context(core.app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(core.app), base_url="http://test"
            ) as http,
        ):
            yield User(http)
        # Else NiceGUI (3.18) forgets the pages' modules, and other tests import them twice.
        Client.page_routes.clear()
