"""The page that Prometheus reads, for those who may; and a watch on all pages."""

import hmac
import ipaddress
import time
from collections.abc import Awaitable, Callable

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

# Takes an Accept header; returns the page and its content type.
Page = Callable[[str], Awaitable[tuple[bytes, str]]]
# Takes the route, the status and the seconds of a request.
Note = Callable[[str, int, float], object]

# Whoever sends one of these came through a proxy: from where, nobody can be sure.
_FORWARDED = ("Forwarded", "X-Real-IP", "Via")
_FORWARDED_PREFIX = "x-forwarded-"


class MetricsEndpoint:
    """`GET /metrics`: with `token` for who sends it as a bearer token, without for this machine.

    https://datatracker.ietf.org/doc/html/rfc6750#section-2.1
    """

    def __init__(self, page: Page, token: str | None) -> None:
        self._page = page
        self._token = token

    async def answer(self, request: web.Request) -> web.Response:
        """Answer 200 with the metrics, 401 without the token, 403 for another machine."""
        if self._token is not None:
            if not _brings(request, self._token):
                return web.Response(
                    status=401,
                    text="METRICS_TOKEN is needed as a bearer token",
                    headers={hdrs.WWW_AUTHENTICATE: "Bearer"},
                )
        elif not _is_from_this_machine(request):
            return web.Response(status=403, text="set METRICS_TOKEN to read this from elsewhere")
        body, content_type = await self._page(request.headers.get(hdrs.ACCEPT, ""))
        headers = {hdrs.CONTENT_TYPE: content_type, hdrs.CACHE_CONTROL: "no-store"}
        return web.Response(body=body, headers=headers)


def timing(note: Note) -> Middleware:
    """Return a middleware that tells `note` of each request, by its route: one of ours, or other.

    https://docs.aiohttp.org/en/stable/web_advanced.html#middlewares
    """

    @web.middleware
    async def timed(request: web.Request, handler: Handler) -> web.StreamResponse:
        began, status = time.perf_counter(), 500
        try:
            response = await handler(request)
            status = response.status
        except web.HTTPException as answer:
            status = answer.status
            raise
        finally:
            resource = request.match_info.route.resource
            route = resource.canonical if resource else "other"
            note(route, status, time.perf_counter() - began)
        return response

    return timed


def _brings(request: web.Request, token: str) -> bool:
    scheme, _, given = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    is_right = hmac.compare_digest(given.strip().encode(errors="replace"), token.encode())
    return is_right and scheme.lower() == "bearer"


def _is_from_this_machine(request: web.Request) -> bool:
    """Behind a proxy on this machine everybody would seem to be: those are not believed.

    As far as they can be told: one that sends no header of its own, and `localhost` as the host,
    cannot.
    """
    is_forwarded = any(name.lower().startswith(_FORWARDED_PREFIX) for name in request.headers)
    if is_forwarded or any(name in request.headers for name in _FORWARDED):
        return False
    asked_for = request.url.host or ""
    return _is_loopback(request.remote or "") and (
        asked_for == "localhost" or _is_loopback(asked_for)
    )


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
