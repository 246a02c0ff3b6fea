"""What a failed call of the Web API means, by what the SDK or aiohttp raised for it. Pure."""

from collections.abc import Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.slack.errors import (
    SlackError,
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
    slack_error,
)

# aiohttp 3.14 raises these before it has a connection to send anything through: refused, no such
# name, no TLS, none free in the pool, none given by a proxy. Others may come after sending:
# https://docs.aiohttp.org/en/stable/client_reference.html#hierarchy-of-exceptions
_NOT_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)
# slack_sdk 3.47 stumbles with these over an answer that is no JSON object, or badly encoded.
_NOT_READ = (AttributeError, LookupError, TypeError, ValueError)
FAILURES = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, *_NOT_READ)

# Whoever asks for more does not mean it, and would only silence the bot.
LONGEST_WAIT_S = 3600.0


def error_of(failure: Exception) -> SlackError:
    """Return our error for one of FAILURES."""
    if isinstance(failure, SlackApiError):
        return _answered(failure.response)
    if isinstance(failure, _NOT_SENT):
        return SlackUnreachableError(type(failure).__name__)
    return SlackUnavailableError(type(failure).__name__)


def _answered(response: Any) -> SlackError:
    """`response` is the SDK's, or aiohttp's own where the SDK could not read it."""
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0))
    data = getattr(response, "data", None)
    answer: Mapping[str, Any] = data if isinstance(data, dict) else {}
    retry_after_s = _seconds(response.headers)
    if status == 429:
        return SlackRateLimitedError(retry_after_s)
    if status >= 500 or not answer.get("error"):
        return SlackUnavailableError(f"status {status}")
    needed = str(answer.get("needed") or "")
    return slack_error(str(answer["error"]), retry_after_s=retry_after_s, needed=needed)


def _seconds(headers: Mapping[str, str]) -> float:
    """https://docs.slack.dev/apis/web-api/rate-limits: whole seconds in `Retry-After`."""
    value = headers.get("Retry-After") or headers.get("retry-after") or ""
    return min(max(float(value), 1.0), LONGEST_WAIT_S) if value.isdecimal() else 1.0
