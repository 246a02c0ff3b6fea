"""What people run into when they act."""

from bot.playground.slack.delivery import Delivery


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
