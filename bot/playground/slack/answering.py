"""What every call to the local Slack has in common: it is remembered, and may fail to order."""

from collections.abc import Callable
from email.utils import formatdate
from typing import Any

from aiohttp import web

from bot.playground.slack.app import Call
from bot.playground.slack.faults import Fault
from bot.playground.slack.realm import Realm
from bot.playground.slack.refusals import Refusal

Json = dict[str, Any]


async def answer(
    realm: Realm, request: web.Request, call: Call, act: Callable[[dict[str, str]], Json]
) -> web.Response:
    """Run `act` unless a fault was ordered; its Refusal is an answer too.

    `act` returns the fields of the answer and may add to the headers that it is given. `Date` is
    told by the clock by which events are stamped, too.
    """
    realm.app.remember(call)
    fault = realm.app.faults.next_for(call.method)
    if fault and not fault.after_acting and (failed := await _failed(fault, request, call)):
        return failed
    headers: dict[str, str] = {"Date": formatdate(realm.app.clock(), usegmt=True)}
    try:
        call.answer, call.status = {"ok": True, **act(headers)}, 200
    except Refusal as refusal:
        call.answer, call.status = refusal.body, refusal.status
        headers |= refusal.headers
    realm.bell.ring()  # a refusal is news too
    if fault and fault.after_acting and (failed := await _failed(fault, request, call)):
        return failed
    return web.json_response(call.answer, status=call.status, headers=headers)


async def _failed(fault: Fault, request: web.Request, call: Call) -> web.Response | None:
    response = await fault.answer(request)
    if response:
        call.status, call.answer = response.status, {"ok": False, "error": fault.error}
    return response
