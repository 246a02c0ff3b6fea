"""A form that reaches two processes is handled by one."""

from types import SimpleNamespace
from typing import Any

from bot.blocks.builders import notice
from bot.dispatch.router import Dispatcher
from bot.dispatch.usage import ALREADY_PRESSED, as_form
from bot.store.deduplication import Dedup
from tests.listeners.test_incoming_presses import CONTEXT, REPLIES

BODY = {
    "user": {"id": "U1"},
    "view": {"id": "V1", "hash": "1.a", "state": {"values": {}}},
}


class Process:
    """A dispatcher with one form; `started` counts the work on it."""

    def __init__(self, seen: Dedup) -> None:
        self.started = 0
        app: Any = SimpleNamespace(action=lambda _: lambda _: None, view=self.take)
        boundary: Any = SimpleNamespace(start=self.start, seen=seen)
        dispatcher = Dispatcher(app, boundary, REPLIES)
        dispatcher.view("form", lambda _: None, self.work, busy=lambda: notice("Busy", []))

    def take(self, _callback_id: str) -> Any:
        return lambda listener: setattr(self, "listener", listener)

    def start(self, *_given: object, **_how: object) -> None:
        self.started += 1

    async def work(self, _request: object, _given: object) -> None: ...

    async def title_after(self, view_hash: str) -> str:
        acks: list[Any] = []

        async def ack(**answer: Any) -> None:
            acks.append(answer["view"])

        body = BODY | {"view": BODY["view"] | {"hash": view_hash}}  # type: ignore[operator]
        await self.listener(ack, body, CONTEXT)  # type: ignore[attr-defined]
        return str(acks[0])


async def test_a_form_is_handled_by_one_process_and_the_other_says_so() -> None:
    seen = Dedup(clock=lambda: 0)
    one, other = Process(seen), Process(seen)

    shown = [await each.title_after("1.a") for each in (one, other, one, other)]

    busy, elsewhere = str(notice("Busy", [])), str(as_form(ALREADY_PRESSED))
    assert shown == [busy, elsewhere, busy, elsewhere]
    assert (one.started, other.started) == (1, 0)
    await other.title_after("2.b")
    assert other.started == 1
