"""The inspector: everything that Slack and the bot said to each other, without secrets."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from bot.playground.page.tracker_pages.frame import (
    INSPECTOR_MENU,
    add_page,
    answer_of,
    columns,
    draw_title,
    time_text,
)
from bot.playground.page.tracker_pages.paged_table import PagedTable, Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.slack import Call, Delivery

HIDDEN = "[hidden]"
# To the end of the text: what is typed into a form may be a key with blanks or breaks inside. The
# short form that the bot shows people, `service_sk_…wxyz`, gives nothing away and stays.
_KEY = re.compile(r"(service_sk_)(?=[\w-]).*", re.IGNORECASE | re.DOTALL)
_TOKEN = re.compile(r"(xox[a-z]\.xox[a-z]-|xox[a-z]-|xapp-|xwfp-|ticket=)[\w.-]+", re.IGNORECASE)
# A key without its beginning has 41 characters of all three kinds; no host name has.
_RANDOM = re.compile(r"(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*[0-9])[\w-]{24,}")
_SECRET_NAMES = frozenset({"token"})


def without_secrets(value: Any) -> Any:
    """Return a JSON value as it may be shown."""
    return _walk(value, _without_known)


def without_typed_secrets(value: Any) -> Any:
    """Return the same of what people typed, where a key may lack its beginning."""
    return _walk(value, lambda text: _RANDOM.sub(HIDDEN, _without_known(text)))


def _without_known(text: str) -> str:
    return _TOKEN.sub(rf"\g<1>{HIDDEN}", _KEY.sub(rf"\g<1>{HIDDEN}", text))


def _walk(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list | tuple):
        return [_walk(part, hide) for part in value]
    if isinstance(value, dict):
        return {
            hide(str(name)): HIDDEN if name in _SECRET_NAMES else _walk(part, hide)
            for name, part in value.items()
        }
    return value


@dataclass(frozen=True)
class Entry:
    """One payload to the bot, or one call of the bot. `at`: Unix seconds."""

    id: str
    at: float
    way: str
    source: Delivery | Call


def all_entries(sandbox: Sandbox) -> list[Entry]:
    sent = [
        Entry(each.envelope_id, each.at, "to the bot", each) for each in sandbox.slack.envelopes
    ]
    calls = [
        Entry(f"call-{call.number}", call.at, "from the bot", call) for call in sandbox.slack.calls
    ]
    return sorted([*sent, *calls], key=lambda entry: entry.at, reverse=True)


def entry_rows(sandbox: Sandbox, query: Query) -> tuple[list[Row], int]:
    return rows_of(all_entries(sandbox), _row, query, ("way", "what", "outcome"))


def details(entry: Entry) -> list[tuple[str, str]]:
    """Return what is behind an entry: pairs of a heading and JSON, without secrets."""
    source = entry.source
    if isinstance(source, Delivery):
        answer = {"status": source.status, "body": source.body, "problem": source.problem}
        return [
            ("Payload", _json(without_typed_secrets(source.payload))),
            ("Ack", _json(without_secrets(answer))),
        ]
    return [
        ("Arguments", _json(without_secrets(source.arguments))),
        ("Answer", _json(without_secrets(source.answer))),
        ("Address", without_secrets(source.url)),
        ("Token", without_secrets(source.token or "none")),
    ]


def _row(entry: Entry) -> Row:
    source = entry.source
    outcome = _ack(source) if isinstance(source, Delivery) else _answer(source)
    return {
        "id": entry.id,
        "time": time_text(datetime.fromtimestamp(entry.at, UTC)),
        "way": entry.way,
        "what": without_typed_secrets(_what(source)),
        "outcome": outcome,
    }


def _what(source: Delivery | Call) -> str:
    if isinstance(source, Call):
        return source.method
    payload = source.payload
    if source.kind == "slash_commands":
        return f"{payload['command']} {payload['text']}".strip()
    if source.kind == "events_api":
        return f"event {payload['event']['type']}"
    pressed = [action["action_id"] for action in payload.get("actions", ())]
    return " ".join([str(payload["type"]), *pressed])


def _ack(delivery: Delivery) -> str:
    if delivery.problem:
        return delivery.problem
    return "waiting" if delivery.ack_s is None else f"ack in {delivery.ack_s * 1000:.1f} ms"


def _answer(call: Call) -> str:
    if not call.status:
        return "no answer"
    return f"{call.status} {call.answer.get('error', 'ok')}"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


COLUMNS = columns(time="Time (UTC)", way="Way", what="What", outcome="Outcome")


def add(sandbox: Sandbox) -> None:
    add_page("/inspector", lambda _here: _draw(sandbox), "Inspector", INSPECTOR_MENU)


def _draw(sandbox: Sandbox) -> None:
    draw_title(
        "What Slack and the bot say to each other",
        "Newest first, and live. Press a line to see everything in it; keys and tokens are"
        " hidden.",
    )

    async def show(event: GenericEventArguments) -> None:
        await _show(sandbox, event.args[1]["id"])

    listed = PagedTable(COLUMNS, lambda query: entry_rows(sandbox, query), search_label="Filter")
    listed.table.props("dense").style("cursor: pointer").on(
        "rowClick", show, args=[[], ["id"], []]
    )


async def _show(sandbox: Sandbox, entry_id: str) -> None:
    """Show what is behind a line until it is closed."""
    entry = next((each for each in all_entries(sandbox) if each.id == entry_id), None)
    if entry is None:
        return
    with (
        ui.dialog().props("position=right full-height") as dialog,
        ui.card().style("width: 720px; max-width: 94vw; border-radius: 0"),
    ):
        with ui.row().classes("w-full items-center no-wrap"):
            ui.label(entry.way).classes("text-lg")
            ui.space()
            ui.button(icon="close", on_click=dialog.close).props(
                'flat round dense aria-label="Close"'
            )
        for heading, text in details(entry):
            ui.label(heading).classes("dt-note")
            ui.label(text).classes("dt-code")
    await answer_of(dialog)
