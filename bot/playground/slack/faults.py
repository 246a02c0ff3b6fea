"""Faults to order: the next call of a method goes wrong in the way that a test asks for."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from aiohttp import web

Kind = Literal["error", "html", "drop", "slow"]


@dataclass
class Fault:
    """One ordered fault. `after_acting`: what was asked for happens, and only the answer fails."""

    kind: Kind
    error: str
    status: int
    retry_after_s: float
    delay_s: float
    after_acting: bool
    times: int

    async def answer(self, request: web.Request) -> web.Response | None:
        """Return the faulty answer, or None after a mere delay."""
        await asyncio.sleep(self.delay_s)
        if self.kind == "slow":
            return None
        if self.kind == "drop" and request.transport is not None:
            request.transport.abort()
        if self.kind == "html":
            page = "<html><body>Server Error</body></html>"
            return web.Response(status=self.status, text=page, content_type="text/html")
        headers = {"Retry-After": f"{self.retry_after_s:g}"} if self.status == 429 else {}
        body = {"ok": False, "error": self.error}
        return web.json_response(body, status=self.status, headers=headers)


class Faults:
    """The faults still to come, by method; `*` means any."""

    def __init__(self) -> None:
        self._ordered: dict[str, list[Fault]] = {}

    def order(self, method: str, fault: Fault) -> None:
        """Let the next `fault.times` calls of the method fail."""
        self._ordered.setdefault(method, []).append(fault)

    def pending(self) -> list[tuple[str, Fault]]:
        """Return those still to come, with the method that they wait for."""
        return [(method, fault) for method, faults in self._ordered.items() for fault in faults]

    def clear(self) -> None:
        """Call all of them off."""
        self._ordered.clear()

    def next_for(self, method: str) -> Fault | None:
        """Take the next fault of this method, or None."""
        for name in (method, "*"):
            if waiting := self._ordered.get(name):
                waiting[0].times -= 1
                return waiting.pop(0) if waiting[0].times <= 0 else waiting[0]
        return None
