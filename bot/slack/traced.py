"""What the HTTP requests to Slack come to, seen where all of them pass: in their session."""

import re
import time
from collections.abc import Callable
from types import SimpleNamespace

import aiohttp

# (method, outcome, seconds): "chat.postMessage" …; "answered", "rate_limited", "failed" (a status
# of 400 or more) or "unreachable". What Slack refuses with `"ok": false` it has answered.
Note = Callable[[str, str, float], object]

_METHOD = re.compile(r"[a-z]+(\.[a-zA-Z]+)+")


def traced_calls(note: Note) -> aiohttp.TraceConfig:
    """Return what lets a session tell `note` of each request, from its start to its answer.

    A `response_url` is a secret and each is another: all of them are called "response_url".
    """
    config = aiohttp.TraceConfig()

    async def begin(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        _params: aiohttp.TraceRequestStartParams,
    ) -> None:
        context.began = time.perf_counter()

    async def end(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceRequestEndParams,
    ) -> None:
        took_s = time.perf_counter() - context.began
        note(_method(params.url.path), _outcome(params.response.status), took_s)

    async def fail(
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        params: aiohttp.TraceRequestExceptionParams,
    ) -> None:
        note(_method(params.url.path), "unreachable", time.perf_counter() - context.began)

    config.on_request_start.append(begin)
    config.on_request_end.append(end)
    config.on_request_exception.append(fail)
    return config


def _method(path: str) -> str:
    name = path.rpartition("/")[2]
    return name if _METHOD.fullmatch(name) else "response_url"


def _outcome(status: int) -> str:
    if status == 429:
        return "rate_limited"
    return "failed" if status >= 400 else "answered"
