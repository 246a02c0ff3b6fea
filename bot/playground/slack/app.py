"""The app as Slack knows it, whatever workspaces it is in, and the faults to order."""

import asyncio
import itertools
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import web

from bot.playground.manifest import Shortcut
from bot.playground.slack.block_contents import Json
from bot.playground.slack.change_event import note
from bot.playground.slack.installations import Codes, Installations, Tokens

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

    def clear(self) -> None:
        self._ordered.clear()

    def next_for(self, method: str) -> Fault | None:
        for name in (method, "*"):
            if waiting := self._ordered.get(name):
                waiting[0].times -= 1
                return waiting.pop(0) if waiting[0].times <= 0 else waiting[0]
        return None


@dataclass
class Call:
    """One call of the Web API, or one use of a response_url, numbered from 1.

    `team_id` is the workspace in which it acted; None where in none, as the exchange of a code.
    """

    method: str
    arguments: Json
    at: float
    url: str
    token: str | None = None
    status: int = 0
    answer: Json = field(default_factory=dict)
    number: int = 0
    team_id: str | None = None


@dataclass
class Settings:
    """What the app's pages and its manifest say; change it whenever you like.

    `scopes` are all that may be asked for, `events` what the app is subscribed to; people cannot
    write to a `messages_tab_read_only`. `raw_commands` get their text as typed: `should_escape` is
    off in the manifest. Unless it `is_interactive` nothing can be pressed; over HTTP menus ask it
    for options only if it `suggests_options`. `answers_within_s`: so long Slack waits for an ack,
    and after a press for a form; on a busy machine tests should wait longer.
    """

    commands: Sequence[str]
    scopes: Sequence[str]
    raw_commands: Sequence[str] = ()
    events: Sequence[str] = ()
    redirect_urls: Sequence[str] = ()
    shortcuts: Sequence[Shortcut] = ()
    deploys_to_orgs: bool = False
    is_interactive: bool = True
    suggests_options: bool = True
    messages_tab: bool = True
    messages_tab_read_only: bool = False
    home_tab: bool = True
    answers_within_s: float = 3.0  # docs.slack.dev/interactivity/handling-user-interaction


class App:
    """One app: its settings, credentials, installations and tokens, and what it did.

    `announce` sends payloads of events to the app, sometime soon.
    """

    def __init__(self, clock: Callable[[], float], settings: Settings) -> None:
        self.clock = clock
        self.settings = settings
        self.id = "A0PLAYGROUND"
        self.client_id = f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}"
        self.client_secret = secrets.token_hex(16)
        self.app_token = f"xapp-1-{secrets.token_hex(20)}"
        self.signing_secret = secrets.token_hex(16)
        self.verification_token = secrets.token_hex(12)  # deprecated, and still sent by Slack
        self.installations = Installations()
        self.tokens = Tokens()
        self.codes = Codes(clock)
        self.faults = Faults()
        self.calls: list[Call] = []
        self.announce: Callable[[Iterable[Json]], None] = lambda _payloads: None
        # Hears of each message that was added, changed or removed, in which workspace.
        self.on_message: Callable[..., None] = lambda *_change: None
        self._call_count = 0
        self._event_numbers = itertools.count(1)

    def remember(self, call: Call) -> None:
        """Number a call and add it to the log."""
        self._call_count += 1
        call.number = self._call_count
        note(self.calls, call)

    def new_event_id(self) -> str:
        """Return an id that no event of any workspace has."""
        return f"Ev{next(self._event_numbers):010}"
