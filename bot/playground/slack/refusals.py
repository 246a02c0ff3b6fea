"""How Slack says no: to a call, and to a person."""

import math
from collections import deque
from collections.abc import Mapping
from typing import Any, Literal

from bot.playground.slack.delivery import Delivery


class Refusal(Exception):  # noqa: N818  it is an answer of the server, not a failure of it
    """A call is answered with `ok: false`, Slack's word for it (`code`) and further `details`."""

    def __init__(
        self,
        code: str,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **details: Any,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = status
        self.headers = dict(headers or {})
        self.details = details

    @property
    def body(self) -> dict[str, Any]:
        return {"ok": False, "error": self.code, **self.details}


def too_fast(retry_after_s: int) -> Refusal:
    """Return the answer to one call too many: https://docs.slack.dev/apis/web-api/rate-limits."""
    headers = {"Retry-After": str(retry_after_s)}
    return Refusal("ratelimited", status=429, headers=headers)


Tier = Literal[2, 3, 4, "posts"]
# Of posts in a workspace "several hundred", beside the rate of each channel (see `Posting`).
PER_MINUTE: Mapping[Tier, int] = {2: 20, 3: 50, 4: 100, "posts": 300}


class Rates:
    """When each method was called in a workspace: https://docs.slack.dev/apis/web-api/rate-limits.

    Slack says "20+" and takes bursts of unknown length, so this is the strict way.
    """

    def __init__(self) -> None:
        self._called_at: dict[str, deque[float]] = {}

    def count(self, method: str, tier: Tier, now: float) -> None:
        """Count a call at `now`, in seconds. Raises: Refusal, of one too many in a minute."""
        most = PER_MINUTE[tier]
        calls = self._called_at.setdefault(method, deque(maxlen=most))
        if len(calls) == most and (wait_s := calls[0] + 60 - now) > 0:
            raise too_fast(math.ceil(wait_s))
        calls.append(now)


def bad_arguments(*messages: str) -> Refusal:
    """Return the answer to arguments that are missing or not of the method's form."""
    metadata = {"messages": [f"[ERROR] {message}" for message in messages]}
    return Refusal("invalid_arguments", response_metadata=metadata)


class CommandFailed(Exception):  # noqa: N818  reads as what Slack shows: the command failed
    """Slack shows that a command, a button or a form failed, and with which word (`code`)."""

    def __init__(self, code: str, delivery: Delivery | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.delivery = delivery


class NothingToPress(Exception):  # noqa: N818  reads as what the person finds
    """No button of that label is there; the message lists those that are."""


class FormError(Exception):
    """A person could not do this: Slack's client would not let them."""
