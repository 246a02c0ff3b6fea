"""One HTTP request and its reply. All that the bot has to do with httpx's behaviour is here."""

import logging
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from bot.tracker.body import read_body
from bot.tracker.errors import TimedOutError, UnavailableError
from bot.tracker.slots import MAX_REQUESTS

CONNECT_S = 5.0
LONGEST_READ_S = 120.0
# Below the 5 s after which common servers drop an idle connection: a POST that meets the drop
# would have an unknown outcome.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back, whatever it is. `body` is without any content encoding."""

    status: int
    headers: httpx.Headers
    body: bytes


def tracker_http() -> httpx.AsyncClient:
    """Return the process's one client for the service; whoever makes it closes it.

    Kept off, because all workspaces share it: cookies, with which one workspace's reply would
    colour another's requests, and redirects, which would carry a key away. A proxy and further
    certificates come from the usual variables (`HTTPS_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`), but
    this machine itself is always reached directly.

    The logs of httpx and httpcore are kept off below warnings, whatever the level of the others:
    at DEBUG httpcore 1.0 writes reply headers and bad lines, in which the key may come back.
    """
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)
    return httpx.AsyncClient(
        headers={"User-Agent": "domain-tracker-for-slack"},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        timeout=httpx.Timeout(LONGEST_READ_S, connect=CONNECT_S, pool=CONNECT_S),
        limits=httpx.Limits(max_connections=MAX_REQUESTS, keepalive_expiry=KEEP_ALIVE_S),
        mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")},
        follow_redirects=False,
    )


async def exchange(http: httpx.AsyncClient, request: httpx.Request, *, is_write: bool) -> Reply:
    """Send `request` once and return the reply.

    Raises:
        ReplyTooLargeError, UnreadableReplyError: see `read_body`.
        UnavailableError: no reply, or not all of it.
        TimedOutError: a step took longer than the request's own time-outs.
    """
    try:
        response = await http.send(request, stream=True, follow_redirects=False)
        try:
            encoding = response.headers.get("content-encoding", "")
            body = await read_body(response.aiter_raw(), encoding, is_write=is_write)
        finally:
            await response.aclose()
    except httpx.TransportError as error:
        # What breaks the protocol is quoted by httpx, and might be the key that we sent.
        cause = None if isinstance(error, httpx.ProtocolError) else error
        raise _no_answer(error, request, is_write=is_write) from cause
    return Reply(status=response.status_code, headers=response.headers, body=body)


def _no_answer(
    error: httpx.TransportError, request: httpx.Request, *, is_write: bool
) -> UnavailableError:
    is_timeout = isinstance(error, httpx.TimeoutException)
    return (TimedOutError if is_timeout else UnavailableError)(
        f"{type(error).__name__} at {request.method} {request.url.path}",
        is_outcome_unknown=is_write and not isinstance(error, NOT_SENT),
    )
