"""A Slack that costs next to nothing: it signs commands, and takes whatever comes back.

Not the playground's: that checks every block, and would be slower than what is measured.
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
_MEMBER = {"id": USER_ID, "name": "bob", "team_id": TEAM_ID, "tz": "Etc/UTC", "profile": {}}
_ANSWERS: dict[str, dict[str, object]] = {
    "auth.test": {"team_id": TEAM_ID, "user_id": BOT_USER_ID, "bot_id": "B0BOT", "team": "bench"},
    "users.info": {"user": _MEMBER},
    "users.conversations": {"channels": []},
    "conversations.open": {"channel": {"id": "D0BOB"}},
    "chat.postMessage": {"ts": "1.1", "channel": "D0BOB"},
}


@dataclass
class QuickSlack:
    """`calls` counts them by method; those to a `response_url` are "respond"."""

    port: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    delay_s: float = 0.0
    _numbers: "count[int]" = field(default_factory=count)
    _awaited: "dict[str, asyncio.Future[None]]" = field(default_factory=dict)
    _verifier: SignatureVerifier = field(
        default_factory=lambda: SignatureVerifier(SIGNING_SECRET), repr=False
    )

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/"

    def command(self, line: str) -> "tuple[bytes, asyncio.Future[None]]":
        """Return the bytes of a signed request, and what is done when its answer has come.

        https://docs.slack.dev/authentication/verifying-requests-from-slack
        """
        name, _, text = line.partition(" ")
        number = next(self._numbers)
        answered = self._awaited[f"{number}"] = asyncio.get_running_loop().create_future()
        body = urlencode(
            {
                "command": name,
                "text": text,
                "team_id": TEAM_ID,
                "user_id": USER_ID,
                "channel_id": "C0BENCH",
                "trigger_id": f"{number}",
                "response_url": f"http://127.0.0.1:{self.port}/respond/{number}",
            }
        )
        moment = f"{int(time.time())}"
        signature = self._verifier.generate_signature(timestamp=moment, body=body)
        head = (
            "POST /slack/events HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"X-Slack-Request-Timestamp: {moment}\r\nX-Slack-Signature: {signature}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        return f"{head}{body}".encode(), answered

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await read_head(reader):
            path = head.split(b" ", 2)[1].decode().partition("?")[0]
            place, _, last = path.rpartition("/")
            name, kind, answer = "respond", b"text/plain", b"ok"
            if not place.endswith("/respond"):
                name, kind = last, b"application/json"
                answer = json.dumps({"ok": True} | _ANSWERS.get(name, {})).encode()
            elif self.delay_s:
                await asyncio.sleep(self.delay_s)
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                % (kind, len(answer), answer)
            )
            self.calls[name] += 1
            if name == "respond" and (awaited := self._awaited.pop(last, None)):
                awaited.set_result(None)
        writer.close()


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
