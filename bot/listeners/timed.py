"""Bolt's app, with a watch: how long Slack waits for each ack."""

import time
from collections.abc import Mapping
from typing import Any, Protocol

from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

# https://docs.slack.dev/interactivity/handling-user-interaction#payloads
_KINDS = {
    "block_actions": "action",
    "view_submission": "view",
    "view_closed": "view",
    "block_suggestion": "options",
    "event_callback": "event",
}


class NotesAcks(Protocol):
    """Whoever counts acks; it never raises."""

    def __call__(self, kind: str, took_s: float, *, is_refused: bool) -> None:
        """Count one; `is_refused`: Slack got an error instead, and sends events again."""
        ...


class TimedApp(AsyncApp):
    """An app that tells `note_ack` how long each request took, from Bolt's hands to the ack.

    With `process_before_response=True` the ack is what dispatching returns. What is done for a
    request after its ack is not counted, nor what comes before Bolt: see
    `bot_http_request_seconds`.
    """

    def __init__(self, *, note_ack: NotesAcks, **options: Any) -> None:
        super().__init__(**options)
        self._note_ack = note_ack

    async def async_dispatch(self, req: AsyncBoltRequest) -> BoltResponse:
        """See `AsyncApp.async_dispatch`."""
        began, is_refused = time.perf_counter(), True
        try:
            answer = await super().async_dispatch(req)
            is_refused = answer.status >= 400
        finally:
            took_s = time.perf_counter() - began
            self._note_ack(kind_of(req.body), took_s, is_refused=is_refused)
        return answer


def kind_of(body: Mapping[str, Any]) -> str:
    """Return what sort of request this is: "command", "action", "view", "options", "event"."""
    if "command" in body:
        return "command"
    return _KINDS.get(str(body.get("type")), "other")
