"""What can go wrong when the bot asks Slack, split by what can be done about it.

SlackError
├── SlackUnavailableError   no usable answer: a later try may succeed
│   └── SlackRateLimitedError   ...and Slack said when, in `retry_after_s`
├── TriggerExpiredError     the press is too old to open a form: press again
└── SlackRefusedError       Slack said no, with a `code` of its own
    └── BlocksRefusedError      ...to the blocks of a message: its plain twin may pass
"""

from bot.errors import BotError


class SlackError(BotError):
    """Any failure to get something done in Slack."""


class SlackUnavailableError(SlackError):
    """Slack could not be reached, timed out, or failed on its side."""


class SlackRateLimitedError(SlackUnavailableError):
    """Slack asked us to slow down."""

    def __init__(self, retry_after_s: float) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"Slack's rate limit: {retry_after_s:g} s")


class TriggerExpiredError(SlackError):
    """A form can only be opened within 3 s of a press, and once."""


class SlackRefusedError(SlackError):
    """Slack refused a call; `code` is its own word for why."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(f"Slack refused: {code}")


class BlocksRefusedError(SlackRefusedError):
    """Slack does not take these blocks, here or not yet."""


# A second table in a message is told as an attachment.
_BLOCKS = {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_attachments"}
_TRIGGERS = {
    "expired_trigger_id",
    "trigger_expired",
    "exchanged_trigger_id",
    "trigger_exchanged",
    "invalid_trigger_id",
}
_OUTAGES = {"internal_error", "fatal_error", "service_unavailable", "request_timeout"}


def slack_error(code: str, *, retry_after_s: float = 1) -> SlackError:
    """Return the error for one of Slack's codes.

    https://docs.slack.dev/reference/methods/chat.postMessage#errors, views.open#errors
    """
    if code in _BLOCKS:
        return BlocksRefusedError(code)
    if code in _TRIGGERS:
        return TriggerExpiredError(code)
    if code in {"ratelimited", "rate_limited"}:
        return SlackRateLimitedError(retry_after_s)
    return SlackUnavailableError(code) if code in _OUTAGES else SlackRefusedError(code)
