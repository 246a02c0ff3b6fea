"""How Slack says no: to a call, and to a person."""

from collections.abc import Mapping
from typing import Any

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


class StepFailed(Exception):  # noqa: N818  reads as what Workflow Builder shows
    """The bot ended a custom step with this error."""


class FormError(Exception):
    """A person could not do this: Slack's client would not let them."""
