"""Send one HTTP request and read its reply, with limits. Only this module knows httpx well."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import quote

import httpx

from bot import DISTRIBUTION, __version__
from bot.tracker.models import (
    ReplyTooLargeError,
    TimedOutError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.tracker.slots import MAX_REQUESTS

MAX_BODY_BYTES = 16 * 1024 * 1024
PATH = "/api/tools/domain-tracker"
CONNECT_S = 5.0
LONGEST_READ_S = 120.0
# Common servers drop idle connections after 5 s, which would leave a POST's outcome unknown.
KEEP_ALIVE_S = 4.0
# The request has not left us. Everything else may have reached the service.
NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)


async def read_body(response: httpx.Response) -> bytes:
    """Return the decompressed body; raise ReplyTooLargeError above `MAX_BODY_BYTES`.

    Raise UnreadableReplyError: its compression is broken, or there is another one inside.
    """
    if len(response.headers.get_list("content-encoding", split_commas=True)) > 1:
        raise UnreadableReplyError("compressed twice", is_outcome_unknown=True)
    body = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                what = f"the body is above {MAX_BODY_BYTES} bytes"
                raise ReplyTooLargeError(what, is_outcome_unknown=True)
    except httpx.DecodingError as error:
        raise UnreadableReplyError("broken compression", is_outcome_unknown=True) from error
    return bytes(body)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call with a key. `sent` is the JSON of a POST; `None`: a GET, which changes nothing."""

    key: str = field(repr=False)
    deadline_s: float
    path: str = PATH
    sent: Mapping[str, object] | None = None
    is_scan: bool = False

    @property
    def is_write(self) -> bool:
        return self.sent is not None

    @property
    def operation(self) -> str:
        """The name of the call in logs and metrics: "list", "add" or "scan"."""
        if self.is_scan:
            return "scan"
        return "add" if self.is_write else "list"

    def request(
        self, http: httpx.AsyncClient, base_url: str, *, connect_s: float
    ) -> httpx.Request:
        """Return the call as a request to the service at `base_url`, which ends in no slash."""
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        }
        method, content = "GET", None
        if self.sent is not None:
            headers["Content-Type"] = "application/json"
            # ASCII only, which half a surrogate pair needs.
            method, content = "POST", json.dumps(self.sent).encode()
        timeout = httpx.Timeout(self.deadline_s, connect=connect_s, pool=connect_s)
        url = base_url + self.path
        return http.build_request(method, url, headers=headers, content=content, timeout=timeout)


def scan_path(domain_id: str) -> str:
    """Return the path of a domain's scan; no id can make it another path."""
    part = quote(domain_id, safe="", errors="replace")
    if not part.strip("."):  # "." and ".." would climb
        part = part.replace(".", "%2E")
    return f"{PATH}/{part}/scan"


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a request. `body` is decompressed."""

    status: int
    headers: httpx.Headers
    body: bytes


def tracker_http() -> httpx.AsyncClient:
    """Return the process's one client for the service; the caller closes it.

    All workspaces share it: so it keeps no cookies, and follows no redirects, which would get
    the key. A proxy and certificates come from the usual variables (`HTTPS_PROXY`, `NO_PROXY`,
    `SSL_CERT_FILE`), but this machine is always reached directly.
    """
    # At DEBUG httpcore 1.0 logs reply headers and bad lines, which may repeat the key.
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)
    return httpx.AsyncClient(
        headers={"User-Agent": f"{DISTRIBUTION}/{__version__}"},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        timeout=httpx.Timeout(LONGEST_READ_S, connect=CONNECT_S, pool=CONNECT_S),
        limits=httpx.Limits(max_connections=MAX_REQUESTS, keepalive_expiry=KEEP_ALIVE_S),
        mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")},
        follow_redirects=False,
    )


async def send(http: httpx.AsyncClient, request: httpx.Request) -> Reply:
    """Send `request` once and return the reply.

    Raises UnavailableError, TimedOutError by its own time-outs, and as `read_body` does.
    """
    try:
        response = await http.send(request, stream=True, follow_redirects=False)
        try:
            body = await read_body(response)
        finally:
            await response.aclose()
    except httpx.TransportError as error:
        # httpx quotes the text of a protocol error, which may repeat the key.
        cause = None if isinstance(error, httpx.ProtocolError) else error
        is_timeout = isinstance(error, httpx.TimeoutException)
        kind = TimedOutError if is_timeout else UnavailableError
        what = f"{type(error).__name__} at {request.method} {request.url.path}"
        raise kind(what, is_outcome_unknown=not isinstance(error, NOT_SENT)) from cause
    return Reply(response.status_code, response.headers, body)
