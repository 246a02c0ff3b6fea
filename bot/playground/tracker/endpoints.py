"""The three endpoints of section 4 of the service document."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.playground.tracker.accounts import Account, DuplicateDomainError
from bot.playground.tracker.additions import ADD_STYLES
from bot.playground.tracker.authority import authorize
from bot.playground.tracker.bad_answers import answer_instead, spoiled
from bot.playground.tracker.domains import DomainRecord
from bot.playground.tracker.exchange import EXCHANGE, Exchange, as_response, refused
from bot.playground.tracker.forms import check_scan_action, new_domain
from bot.playground.tracker.refusals import Answer, RefusedError
from bot.playground.tracker.service import Tracker

LIST_PATH = "/api/tools/domain-tracker"
SCAN_PATH = LIST_PATH + "/{domain_id}/scan"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Act = Callable[[Tracker, Exchange, Account], Awaitable[Answer]]


def endpoint(tracker: Tracker, name: str, act: Act) -> Handler:
    """Return the aiohttp handler of an endpoint: faults, delay, rights, then `act`."""

    async def handle(http: web.Request) -> web.StreamResponse:
        exchange = http[EXCHANGE]
        exchange.log.endpoint = name
        fault = tracker.faults.take(name)
        await asyncio.sleep(tracker.latency_s)
        if tracker.hold_of_all is not None:
            await tracker.hold_of_all.wait()
        if fault is not None and not fault.spoils:
            return await answer_instead(tracker, exchange, fault.what)
        answer = await _answer(tracker, exchange, name, act)
        if fault is not None:
            return await spoiled(tracker, exchange, answer, fault.what)
        return answer

    return handle


async def list_domains(tracker: Tracker, exchange: Exchange, account: Account) -> Answer:
    """Answer with every domain of the account: section 4.1."""
    if exchange.body:
        raise RefusedError("bad_request", "A list request has no body")
    return _json(200, [_item(tracker, record) for record in account.domains.values()])


async def add_domain(tracker: Tracker, exchange: Exchange, account: Account) -> Answer:
    """Put a domain into the account's portfolio: section 4.2."""
    wanted = new_domain(exchange.http.content_type, exchange.body, tracker.domain_types)
    try:
        record = account.add(
            wanted.domain,
            domain_type=wanted.domain_type,
            tags=wanted.tags,
            folder=wanted.folder,
        )
    except DuplicateDomainError as error:
        raise RefusedError("duplicate", f"{wanted.domain} is in the portfolio already") from error
    return _json(tracker.add_status, ADD_STYLES[tracker.add_style](_item(tracker, record)))


async def scan_domain(tracker: Tracker, exchange: Exchange, account: Account) -> Answer:
    """Scan a domain of the account: section 4.3."""
    check_scan_action(exchange.http.content_type, exchange.body)
    record = account.domains.get(exchange.http.match_info["domain_id"])
    if record is None:
        raise RefusedError("not_found", "Domain not found")
    if tracker.hold is not None:
        await tracker.hold.wait()
    await asyncio.sleep(tracker.scan_latency_s)
    return _json(200, account.scan(record))


async def _answer(tracker: Tracker, exchange: Exchange, name: str, act: Act) -> web.Response:
    scopes = {"list": "read_domains", "add": "write_domains", "scan": tracker.scan_scope}[name]
    try:
        account = authorize(tracker, exchange.holder, exchange.http.remote or "", scopes)
        return as_response(await act(tracker, exchange, account))
    except RefusedError as refusal:
        return refused(tracker, refusal)


def _item(tracker: Tracker, record: DomainRecord) -> dict[str, object]:
    return record.as_json() | tracker.extra_fields


def _json(status: int, data: object) -> Answer:
    return Answer(status, json.dumps(data).encode())
