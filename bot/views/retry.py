"""Failures that may pass: with a reference for whoever looks into it, and `Try again`. Pure."""

from bot.message import Block, Message
from bot.views.blocks import actions, context, run_button, section
from bot.views.facts import Facts
from bot.views.text import escaped

REFERENCE = "Reference"


def plain_message(mrkdwn: str) -> Message:
    """Return one sentence, with nothing to press."""
    return Message(mrkdwn.replace("`", ""), (section(mrkdwn),))


def retry_message(mrkdwn: str, facts: Facts, *, detail: str = "") -> Message:
    """A failure that may pass: with the reference for whoever looks into it, and `Try again`."""
    told = f" ({escaped(detail, 60)})" if detail and facts.is_admin else ""
    reference = f"{REFERENCE} {facts.reference}" if facts.reference else ""
    note: list[Block] = [context(f"{reference}{told}")] if reference else []
    again = run_button("Try again", facts.command_line) if facts.command_line else None
    return Message(
        mrkdwn.replace("`", "") + (f" {reference}." if reference else ""),
        (section(mrkdwn), *note, *actions(again)),
    )
