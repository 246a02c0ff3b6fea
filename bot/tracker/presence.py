"""Whether it is Domain Tracker that answers at an address. Uses no key of anybody."""

from dataclasses import dataclass

import httpx

from bot.tracker.budget import Purpose
from bot.tracker.calls import Call
from bot.tracker.exchange import exchange
from bot.tracker.refusals import refusal_in_text

# It has neither the form nor the length of a key: service document, section 2.1.
NOT_A_KEY = "doctor"


@dataclass(frozen=True, slots=True)
class Presence:
    """What answered: Domain Tracker, or something else; and with which status."""

    is_tracker: bool
    status: int


async def look_for_service(http: httpx.AsyncClient, base_url: str, limit_s: float) -> Presence:
    """Ask for a list with what is no key: the service refuses that in words of its own.

    Raises:
        TrackerError: nothing answered, at the latest after `limit_s` at each step.
    """
    call = Call(key=NOT_A_KEY, purpose=Purpose.PERSON, deadline_s=limit_s)
    request = call.request(http, base_url.rstrip("/"), connect_s=limit_s)
    reply = await exchange(http, request, is_write=False)
    # Not by the status: a proxy in front of something else may say 401 or 403, too.
    said = refusal_in_text(reply.body.decode(errors="replace"))
    return Presence(said is not None, reply.status)
