"""A Slack and a service that cost next to nothing: they take whatever comes.

Not the playground's: those check everything, and would be slower than what is measured.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlencode

from slack_sdk.signature import SignatureVerifier

TEAM_ID, BOT_USER_ID, USER_ID = "T0BENCH", "U0BOT", "U0BOB"
SIGNING_SECRET = "0123456789abcdef"
_ANSWERS: dict[str, dict[str, object]] = {
    "users.conversations": {"channels": []},
    "conversations.open": {"channel": {"id": "D0BOB"}},
    "chat.postMessage": {"ts": "1.1", "channel": "D0BOB"},
}
LIST = "domain-tracker"  # the last part of the service's address


def _about(team: str) -> dict[str, dict[str, object]]:
    """Return the answers that name a workspace, which is written in its token."""
    member: dict[str, object] = {
        "id": USER_ID,
        "name": "bob",
        "team_id": team,
        "tz": "Etc/UTC",
        "profile": {},
    }
    auth: dict[str, object] = {
        "team_id": team,
        "user_id": BOT_USER_ID,
        "bot_id": "B0BOT",
        "team": "bench",
    }
    return {"auth.test": auth, "users.info": {"user": member}}


@dataclass
class QuickSlack:
    """`calls` counts them by method; those to a `response_url` are "respond".

    `delay_s`: how long Slack takes to answer what carries a message, `listing_s`: the service.
    """

    port: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    delay_s: float = 0.0
    listing: bytes = b"[]"
    listing_s: float = 0.0
    _numbers: "count[int]" = field(default_factory=count)
    _awaited: "dict[str, asyncio.Future[None]]" = field(default_factory=dict)
    _verifier: SignatureVerifier = field(
        default_factory=lambda: SignatureVerifier(SIGNING_SECRET), repr=False
    )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        return f"{self.url}/api/"

    async def until(self, name: str, calls: int) -> None:
        """Wait for so many calls in all."""
        while self.calls[name] < calls:  # noqa: ASYNC110  # an event for each would cost more
            await asyncio.sleep(0.01)

    def command(self, line: str, team_id: str = TEAM_ID) -> "tuple[bytes, asyncio.Future[None]]":
        """Return the bytes of a signed request, and what is done when its answer has come.

        https://docs.slack.dev/authentication/verifying-requests-from-slack
        """
        name, _, text = line.partition(" ")
        number = f"{next(self._numbers)}"
        answered = self._awaited[number] = asyncio.get_running_loop().create_future()
        given = {
            "command": name,
            "text": text,
            "team_id": team_id,
            "user_id": USER_ID,
            "channel_id": "C0BENCH",
            "trigger_id": number,
            "response_url": f"{self.url}/respond/{number}",
        }
        return self._signed(urlencode(given)), answered

    def _signed(self, body: str) -> bytes:
        moment = f"{int(time.time())}"
        signature = self._verifier.generate_signature(timestamp=moment, body=body)
        head = (
            "POST /slack/events HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"X-Slack-Request-Timestamp: {moment}\r\nX-Slack-Signature: {signature}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return f"{head}{body}".encode()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await read_head(reader):
            path = head.split(b" ", 2)[1].decode().partition("?")[0]
            place, _, last = path.rpartition("/")
            name, kind, answer = "respond", b"text/plain", b"ok"
            if last == LIST:
                name, kind, answer = last, b"application/json", self.listing
                await asyncio.sleep(self.listing_s)
            elif not place.endswith("/respond"):
                name, kind = last, b"application/json"
                answers = _ANSWERS if name in _ANSWERS else _about(_team_in(head))
                answer = json.dumps({"ok": True} | answers.get(name, {})).encode()
            if self.delay_s and name in _CARRYING:
                await asyncio.sleep(self.delay_s)
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                % (kind, len(answer), answer)
            )
            self.calls[name] += 1
            awaited = self._awaited.pop(last, None) if name == "respond" else None
            if awaited and not awaited.done():
                awaited.set_result(None)
        writer.close()


_CARRYING = {"respond", "chat.postMessage"}


def _team_in(head: bytes) -> str:
    return head.partition(b"Bearer xoxb-")[2].partition(b"\r\n")[0].decode()


async def read_head(reader: asyncio.StreamReader) -> bytes:
    """Return the head of a message after reading all of it; empty at the end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return b""
    lowered = head.lower()
    if b"transfer-encoding: chunked" in lowered:
        while await reader.readuntil(b"\r\n") != b"0\r\n":
            pass
        await reader.readuntil(b"\r\n")
    elif (at := lowered.find(b"content-length:")) >= 0:
        await reader.readexactly(int(lowered[at + 15 : lowered.index(b"\r\n", at)]))
    return head


@asynccontextmanager
async def quick_slack() -> AsyncIterator[QuickSlack]:
    slack = QuickSlack()
    server = await asyncio.start_server(slack.serve, "127.0.0.1", 0)
    slack.port = server.sockets[0].getsockname()[1]
    try:
        yield slack
    finally:
        server.close()
