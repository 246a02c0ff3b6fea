"""Everything that passed between Slack and the bot, in one list. Pure reading; newest first."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.playground.page.inspector.hiding import without_secrets, without_typed_secrets
from bot.playground.page.tracker_pages.moments import time_text
from bot.playground.page.tracker_pages.paged_table import Query, Row, rows_of
from bot.playground.sandbox import Sandbox
from bot.playground.slack import Call, Delivery

TO_BOT, CALL, RESPONSE_URL = "to the bot", "Web API", "response_url"
KINDS = (TO_BOT, CALL, RESPONSE_URL)


@dataclass(frozen=True)
class Entry:
    """One payload to the bot, or one call of the bot. `at`: Unix seconds."""

    id: str
    at: float
    kind: str
    source: Delivery | Call


def all_entries(town: Sandbox) -> list[Entry]:
    """Return everything, newest first."""
    entries = [*_entries(town)]
    entries.sort(key=lambda entry: entry.at, reverse=True)
    return entries


def _entries(town: Sandbox) -> Iterator[Entry]:
    for sent in town.journal.sent:
        yield Entry(sent.delivery.envelope_id, sent.at, TO_BOT, sent.delivery)
    for call in town.slack.calls:
        kind = RESPONSE_URL if call.method == RESPONSE_URL else CALL
        yield Entry(f"call-{call.number}", call.at, kind, call)


def entry_rows(town: Sandbox, kinds: frozenset[str], query: Query) -> tuple[list[Row], int]:
    """Return the rows of a query that are of one of the kinds."""
    names = {member.id: member.name for member in town.slack.world.workspace.members.values()}
    entries = [entry for entry in all_entries(town) if entry.kind in kinds]
    searched = ("kind", "what", "who", "outcome")
    return rows_of(entries, lambda entry: _row(entry, names), query, searched)


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


def _row(entry: Entry, names: dict[str, str]) -> Row:
    source = entry.source
    if isinstance(source, Delivery):
        who, outcome = names.get(_who(source.payload), "Slack"), _ack(source)
    else:
        who, outcome = "the bot", _answer(source)
    return {
        "id": entry.id,
        "time": time_text(datetime.fromtimestamp(entry.at, UTC)),
        "kind": entry.kind,
        "what": without_typed_secrets(_what(source)),
        "who": who,
        "outcome": outcome,
    }


def _what(source: Delivery | Call) -> str:
    if isinstance(source, Call):
        return _call_words(source)
    payload = source.payload
    if source.kind == "slash_commands":
        return f"{payload.get('command')} {payload.get('text')}".strip()
    if source.kind == "events_api":
        return f"event {payload.get('event', {}).get('type')}"
    return f"{payload.get('type')} {_subject(payload)}".strip()


def _call_words(call: Call) -> str:
    if call.method != RESPONSE_URL:
        return call.method
    wishes = ("delete_original", "replace_original")
    return next((wish for wish in wishes if call.arguments.get(wish)), "a message")


def _subject(payload: dict[str, Any]) -> str:
    """Return which button or field, or which form, an interaction is about."""
    for action in payload.get("actions", ()):
        text = action.get("text")
        return str(text["text"] if isinstance(text, dict) else action.get("action_id"))
    if "action_id" in payload:
        return f"{payload['action_id']}: {payload.get('value')}"
    title = payload.get("view", {}).get("title") or {}
    return str(title.get("text", ""))


def _who(payload: dict[str, Any]) -> str:
    who = payload.get("user", payload.get("event", {}).get("user"))
    who = who.get("id") if isinstance(who, dict) else who
    return str(payload.get("user_id", who))


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
