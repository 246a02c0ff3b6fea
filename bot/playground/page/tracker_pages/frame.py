"""What the Domain Tracker's pages and the inspector have in common: head, dialogs, moments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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


async def ask(question: str, yes: str, note: str = "") -> bool:
    """Return whether the reader pressed `yes`; closing the question means no."""
    with ui.dialog() as dialog, ui.card().style("max-width: 460px"):
        ui.label(question).classes("text-lg")
        if note:
            ui.label(note).classes("dt-note")
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button(yes, on_click=lambda: dialog.submit(yes)).props(
                "unelevated no-caps color=negative"
            )
    return await answer_of(dialog) is not None


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
# Symbol and word beside each colour: nobody has to tell red from green.
STYLE = """
body { background: #f6f7f9; color: #1d2433; }
body.body--dark { background: #14171c; color: #e3e6eb; }
.dt-head { background: #fff; color: inherit; border-bottom: 1px solid #dfe3ea;
  padding: 8px 16px 0; }
.body--dark .dt-head { background: #1b1f26; border-color: #2c323c; color: #e3e6eb; }
.dt-brand { font-weight: 700; font-size: 17px; color: inherit; text-decoration: none; }
.dt-menu { display: flex; align-items: baseline; overflow-x: auto; gap: 2px; width: 100%; }
.dt-group { font-size: 11px; letter-spacing: .06em; text-transform: uppercase; opacity: .6;
  padding-left: 14px; }
.dt-menu a { padding: 7px 12px; color: inherit; opacity: .72; text-decoration: none;
  white-space: nowrap; border-bottom: 2px solid transparent; }
.dt-menu a:hover { opacity: 1; }
.dt-menu a.dt-here { opacity: 1; font-weight: 600; border-color: #2f62d9; }
.body--dark .dt-menu a.dt-here { border-color: #7ea2f5; }
.dt-page { width: 100%; max-width: 1240px; margin: 0 auto; gap: 14px; }
.dt-title { font-size: 20px; font-weight: 600; }
.dt-note { opacity: .72; max-width: 70ch; }
.dt-card { width: 100%; box-shadow: none; border: 1px solid #dfe3ea; border-radius: 8px; }
.body--dark .dt-card { border-color: #2c323c; background: #1b1f26; }
.dt-card .q-table th { font-weight: 600; }
.dt-wrap td { white-space: normal; overflow-wrap: break-word; min-width: 88px; max-width: 420px; }
.dt-code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12.5px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.dt-band { white-space: nowrap; font-variant-numeric: tabular-nums; }
.dt-good { color: #17743b; } .dt-fair { color: #8a5a00; } .dt-poor { color: #b3261e; }
.body--dark .dt-good { color: #6fd896; } .body--dark .dt-fair { color: #f0bd5a; }
.body--dark .dt-poor { color: #ff9a92; }
.dt-edit { cursor: pointer; border-bottom: 1px dashed currentColor; }
"""


@dataclass(frozen=True)
class Here:
    """One of these pages as it was asked for.

    `seat` says whom one was in Slack, and where; `portfolio` is "" where there is no choice.
    """

    path: str
    is_dark: bool
    seat: Mapping[str, str]
    portfolio: str = ""

    def address_of(self, path: str) -> str:
        """Return the address of a page, for the same portfolio and the same seat."""
        portfolio = {"portfolio": self.portfolio} if self.portfolio else {}
        query = urlencode({**portfolio, **self.seat})
        return f"{path}?{query}" if query else path

    @property
    def slack_address(self) -> str:
        """The address that leads back to where one was in Slack."""
        return f"/?{urlencode(self.seat)}" if self.seat else "/"


def here(request: Request, *, has_portfolio: bool = False) -> Here:
    """Return where a request leads; a portfolio that is not known is the first one."""
    query = request.query_params
    seat = {name: query[name] for name in QUERY if name in query}
    asked = query.get("portfolio", "")
    portfolio = asked if asked in PORTFOLIOS else next(iter(PORTFOLIOS))
    return Here(request.url.path, theme.is_dark(request), seat, portfolio if has_portfolio else "")


def draw_head(title: str, menu: Iterable[tuple[str, str]], here: Here) -> None:
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
            theme.draw_switch(is_dark=here.is_dark, changed=lambda: None)
        with ui.element("nav").classes("dt-menu"):
            ui.link("← Slack", here.slack_address)
            for label, path in menu:
                if not path:
                    ui.label(label).classes("dt-group")
                    continue
                link = ui.link(label, here.address_of(path))
                if path == here.path:
                    link.classes("dt-here").props("aria-current=page")


def draw_title(title: str, note: str) -> None:
    """Draw what a page is and what it is for."""
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
