"""Record the shapes of what Domain Tracker answers: names and types, no values."""

import json
import re
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from itertools import chain
from pathlib import Path

from bot import __version__
from bot.ops.backup import written
from bot.ops.output import Finding, ok, printable, warning
from bot.ops.sealed_texts import Store, read_sealed, sealed_in
from bot.process.clock import seconds_now
from bot.store.documents import StoreError, kind_of
from bot.tracker.client import LIST_S, NOT_A_KEY, SCAN_S
from bot.tracker.decoding import decode_listing, parse_json
from bot.tracker.http import CONNECT_S, Call, Reply, scan_path, send, tracker_http
from bot.tracker.models import TrackerError

RECORD = "record"
FULL_SCAN = {"action": "full_scan"}
HIDDEN = "(hidden)"
# Objects may be named by hosts, addresses or people: what surely is no field's name is hidden.
FIELD_NAME = re.compile("[A-Za-z_][A-Za-z0-9_-]{0,39}")
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
Shape = str | list["Shape"] | dict[str, "Shape"]


async def record_answers(store: Store, key_ring: str, url: str, file: Path) -> Finding:
    """Ask for a list without a key, and for a list and a scan with one; write the shapes.

    The key is that of any workspace. Raise OperatingError: the file cannot be written.
    """
    answers: list[dict[str, object]] = []
    async with tracker_http() as http:

        async def ask(call: Call) -> Reply | None:
            answer: dict[str, object] = {"asked": call.operation, "key": call.key != NOT_A_KEY}
            answers.append(answer)
            began = seconds_now()
            request = call.request(http, url.rstrip("/"), connect_s=CONNECT_S)
            try:
                reply = await send(http, request)
            except TrackerError as error:
                answer["failed"] = type(error).__name__
                return None
            answer |= {"seconds": round(seconds_now() - began), **_recorded(reply)}
            return reply

        await ask(Call(key=NOT_A_KEY, deadline_s=LIST_S))
        if key := await _any_key(store, key_ring):
            listed = await ask(Call(key=key, deadline_s=LIST_S))
            if domain_id := _first_id(listed) if listed else None:
                path = scan_path(domain_id)
                await ask(
                    Call(key=key, deadline_s=SCAN_S, path=path, sent=FULL_SCAN, is_scan=True)
                )
    with written(str(file)) as out:
        record = {"version": __version__, "answers": answers}
        out.write(f"{json.dumps(record, indent=1)}\n".encode())
    where = printable(str(file))
    detail = f"{where} holds names and types of {len(answers)} answers, without values"
    if key is None:
        return warning(RECORD, detail, "Set a key with /domainkey: a list and a scan are missing.")
    return ok(RECORD, f"{detail}. Read it before you publish it")


def shape_of(value: object, hidden: Set[str]) -> Shape:
    """Return the names and types in a JSON value, for a list each shape of its items once.

    Names that are in `hidden`, or are surely no field's, are left out.
    """
    match value:
        case dict():
            named: dict[str, list[Shape]] = {}
            for name, child in value.items():
                is_shown = FIELD_NAME.fullmatch(name) and name not in hidden
                named.setdefault(name if is_shown else HIDDEN, []).append(shape_of(child, hidden))
            return {
                name: _distinct(shapes) if name == HIDDEN else shapes[0]
                for name, shapes in named.items()
            }
        case list():
            return _distinct([shape_of(child, hidden) for child in value])
    return TYPES[type(value)]


def texts_in(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from texts_in([*value.values()])
        case list():
            for child in value:
                yield from texts_in(child)


def _distinct(shapes: Sequence[Shape]) -> list[Shape]:
    found: list[Shape] = []
    for each in shapes:
        if each not in found:
            found.append(each)
    return found


def _recorded(reply: Reply) -> dict[str, object]:
    try:
        value = parse_json(reply.body)
        body = shape_of(value, frozenset(texts_in(value)))
    except ValueError:
        body = "no JSON"
    headers = {name: "digits" if v.isdecimal() else "text" for name, v in reply.headers.items()}
    return {"status": reply.status, "headers": headers, "body": body}


def _first_id(listed: Reply) -> str | None:
    with suppress(TrackerError):
        domains = decode_listing(listed.status, listed.body).domains
        return next((each.domain_id for each in domains if each.domain_id), None)
    return None


async def _any_key(store: Store, key_ring: str) -> str | None:
    """Return the key of a workspace, `None` when there is none that can be read."""
    with suppress(StoreError):
        if ring := store.ring_source(key_ring).ring:
            for sealed in chain.from_iterable(map(sealed_in, await read_sealed(store))):
                if kind_of(sealed.key) == "key" and sealed.path == ("sealed",):
                    return sealed.opened(ring)
    return None
