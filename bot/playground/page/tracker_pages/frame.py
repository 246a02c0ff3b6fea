"""What the Domain Tracker's pages and the inspector have in common: head, dialogs, moments."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from starlette.requests import Request

from bot.playground.page import theme
from bot.playground.page.session import QUERY
from bot.playground.sandbox import PORTFOLIOS


def moment_text(moment: datetime) -> str:
    """Return `9 Mar 2026, 14:05 UTC`."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M} UTC"


def time_text(moment: datetime) -> str:
    """Return `9 Mar, 14:05:09`, for lists in which seconds matter."""
    utc = moment.astimezone(UTC)
    return f"{utc.day} {utc:%b, %H:%M:%S}"


async def answer_of(dialog: ui.dialog) -> Any:
    """Return what a dialog was closed with, None for nothing; it is gone from the page then."""
    answer = await dialog
    if not dialog.is_deleted:  # with the whole page, when that was closed first
        dialog.delete()
    return answer


# Without a path: the name of the group that follows.
TRACKER_MENU = (
    ("Portfolio", ""),
    ("Domains", "/tracker"),
    ("API Keys", "/tracker/keys"),
    ("Playground", ""),
    ("Requests", "/tracker/requests"),
    ("Knobs", "/tracker/knobs"),
)
INSPECTOR_MENU = (("Inspector", "/inspector"),)
# Symbol and word beside each colour: red and green are never the only difference.
STYLE = Path(__file__).with_name("tracker.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Here:
    """One of these pages as it was asked for; `session` says who one was in Slack, and where."""

    path: str
    session: Mapping[str, str]
    portfolio: str = ""

    def address_of(self, path: str) -> str:
        """Return the address of a page, for the same portfolio and the same session."""
        portfolio = {"portfolio": self.portfolio} if self.portfolio else {}
        return f"{path}?{urlencode({**portfolio, **self.session})}"


def here(request: Request, *, has_portfolio: bool = False) -> Here:
    """Return where a request leads; a portfolio that is not known is the first one."""
    query = request.query_params
    session = {name: query[name] for name in QUERY if name in query}
    asked = query.get("portfolio", "")
    portfolio = asked if asked in PORTFOLIOS else next(iter(PORTFOLIOS))
    return Here(request.url.path, session, portfolio if has_portfolio else "")


def add_page(
    path: str,
    draw: Callable[[Here], None],
    title: str = "Domain Tracker",
    menu: Iterable[tuple[str, str]] = TRACKER_MENU,
    *,
    has_portfolio: bool = False,
) -> None:
    """Serve a page: its head, and what `draw` draws below it."""

    @ui.page(path)
    def page(request: Request) -> None:
        place = here(request, has_portfolio=has_portfolio)
        theme.draw_colors(request)
        _draw_head(title, menu, place)
        with ui.column().classes("dt-page"):
            draw(place)


def _draw_head(title: str, menu: Iterable[tuple[str, str]], here: Here) -> None:
    """Draw the head of a page and set its colours."""
    ui.page_title(title)
    ui.add_css(STYLE)
    ui.colors(primary="#2f62d9")
    with ui.header().classes("dt-head"), ui.column().classes("w-full gap-1"):
        with ui.row().classes("w-full items-center no-wrap gap-3"):
            ui.link(title, here.address_of(here.path)).classes("dt-brand")
            ui.space()
            if here.portfolio:
                _draw_switch(here)
        with ui.element("nav").classes("dt-menu"):
            ui.link("← Slack", f"/?{urlencode(here.session)}")
            for label, path in menu:
                if not path:
                    ui.label(label).classes("dt-group")
                    continue
                link = ui.link(label, here.address_of(path))
                if path == here.path:
                    link.classes("dt-here").props("aria-current=page")


def columns(**labels: str) -> list[dict[str, Any]]:
    """Return the columns of a table, by the field that each shows."""
    return [
        {"name": name, "label": label, "field": name, "align": "left"}
        for name, label in labels.items()
    ]


def draw_title(title: str, note: str) -> None:
    ui.label(title).classes("dt-title")
    ui.label(note).classes("dt-note")


def _draw_switch(here: Here) -> None:
    ui.select(
        list(PORTFOLIOS),
        value=here.portfolio,
        label="Portfolio",
        on_change=lambda event: ui.navigate.to(
            replace(here, portfolio=event.value).address_of(here.path)
        ),
    ).props("dense outlined options-dense").style("min-width: 130px")
