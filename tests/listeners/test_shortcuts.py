"""What a submitted form of a message's domains lets run."""

from types import SimpleNamespace
from typing import Any

import pytest

from bot.listeners.request import Request
from bot.listeners.shortcuts import ShortcutListeners
from bot.slack.replies import Origin
from bot.workspace import WorkspaceId

pytestmark = pytest.mark.anyio


class Lines:
    """Notes what runs; only one line at a time may."""

    def __init__(self) -> None:
        self.ran: list[tuple[Request, str]] = []
        self.running = 0

    async def run(self, request: Request, line: str) -> None:
        self.running += 1
        assert self.running == 1
        self.ran.append((request, line))
        self.running -= 1


class Client:
    """Takes forms."""

    def __init__(self) -> None:
        self.forms: list[Any] = []

    async def views_update(self, *, view: Any, **_where: Any) -> dict[str, Any]:
        self.forms.append(view)
        return {"view": {}}


async def test_each_line_runs_as_a_request_of_its_own_and_says_nothing_but_its_answer() -> None:
    lines, client = Lines(), Client()
    origin = Origin("U1", "C1", "https://x.example", is_message=True, thread_ts="1.1")
    request = Request(
        workspace=WorkspaceId("T1"),
        origin=origin,
        client=client,  # type: ignore[arg-type]  # as far as it is used
        replies=SimpleNamespace(),  # type: ignore[arg-type]  # nothing is answered here
        view_id="V1",
    )

    await ShortcutListeners(None, lines).run_picked(  # type: ignore[arg-type]  # as far as used
        request, ["/scan a.example", "/adddomain b.example"]
    )

    assert [line for _, line in lines.ran] == ["/scan a.example", "/adddomain b.example"]
    for each, _ in lines.ran:
        assert (each.origin, each.view_id, each.has_spoken) == (origin, None, True)
    assert "Finished with 2 domains" in str(client.forms)
