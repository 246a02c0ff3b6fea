"""Delivery by signed HTTP requests: https://docs.slack.dev/apis/events-api/comparing-http-socket-mode."""

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlencode

import aiohttp

from bot.playground.slack.delivery import Delivery
from bot.playground.slack.signing import signed_headers

_ROBOT = "Slackbot 1.0 (+https://api.slack.com/robots)"


class SignedHttp:
    """Posts to one request URL. `session` stays the caller's."""

    def __init__(self, session: aiohttp.ClientSession, url: str, signing_secret: str) -> None:
        self._session = session
        self._url = url
        self._secret = signing_secret

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        """See `Carrier.carry`."""
        body, content_type = encoded(delivery)
        headers = {**signed_headers(self._secret, body), "Content-Type": content_type}
        if delivery.retry_number:
            headers["X-Slack-Retry-Num"] = str(delivery.retry_number)
            headers["X-Slack-Retry-Reason"] = str(delivery.retry_reason)
        async with self._request(body, headers) as response:
            delivery.is_not_retried = response.headers.get("X-Slack-No-Retry") == "1"
            return response.status, decoded(await response.text())

    async def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Post anything, signed or not; return status and body. Redirects are not followed."""
        async with self._request(body, headers) as response:
            return response.status, await response.text()

    def _request(
        self, body: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        headers = {"User-Agent": _ROBOT, "Accept": "application/json,*/*", **headers}
        return self._session.post(self._url, data=body, headers=headers, allow_redirects=False)


def encoded(delivery: Delivery) -> tuple[bytes, str]:
    """Return body and content type: commands as a form, interactions as JSON in one, events."""
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload).encode(), "application/json"
    is_command = delivery.kind == "slash_commands"
    form = delivery.payload if is_command else {"payload": json.dumps(delivery.payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


def decoded(answer: str) -> Any:
    """Return the ack body: JSON where it is that, else its text; None if there is none."""
    try:
        return json.loads(answer)
    except ValueError:
        return answer or None
