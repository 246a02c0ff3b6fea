"""What people read when Slack does not do what the bot asked of it. Pure."""

from collections.abc import Callable
from typing import Any

from bot.message import Message
from bot.slack.errors import (
    BlocksRefusedError,
    ChannelClosedError,
    FormChangedError,
    MissingScopeError,
    PersonUnreachableError,
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
    TriggerExpiredError,
    WorkspaceHeldError,
)
from bot.views.facts import Facts
from bot.views.retry import retry_message
from bot.views.text import code, duration_text

_INVITE = "Invite me there with `/invite`."
_CHANNELS = {
    "is_archived": "That channel is archived: nobody can post there.",
    "channel_not_found": (
        f"I cannot find that channel: it is gone, or private and I am not in it. {_INVITE}"
    ),
    "not_in_channel": f"I am not in that channel. {_INVITE}",
    "no_permission": f"I am not in that channel. {_INVITE}",
}


def _trigger(_error: TriggerExpiredError, facts: Facts) -> Message:
    return retry_message(
        "The form could not be opened in time. Press `Try again` to open it.", facts
    )


def _form(_error: FormChangedError, facts: Facts) -> Message:
    return retry_message("That form has changed in the meantime. Open it again.", facts)


def _busy(error: SlackRateLimitedError, facts: Facts) -> Message:
    return retry_message(f"Slack asks me to wait {duration_text(error.retry_after_s)}.", facts)


def _away(_error: SlackUnavailableError, facts: Facts) -> Message:
    return retry_message("Slack did not answer me properly.", facts)


def _unreachable(_error: SlackUnreachableError, facts: Facts) -> Message:
    return retry_message("I cannot reach Slack, so nothing was done.", facts)


def _refused(error: SlackRefusedError, facts: Facts) -> Message:
    return retry_message("Slack did not let me do this.", facts, detail=error.code)


def _blocks(_error: BlocksRefusedError, facts: Facts) -> Message:
    return retry_message("Slack did not take my answer in any form.", facts)


def _channel(error: ChannelClosedError, facts: Facts) -> Message:
    closed = (
        "That channel is closed to me. Its settings, or your organisation's, say who may post."
    )
    return retry_message(_CHANNELS.get(error.code, closed), facts, detail=error.code)


def _person(error: PersonUnreachableError, facts: Facts) -> Message:
    gone = "Slack does not let me reach that person: they have left, or I cannot see them."
    return retry_message(gone, facts, detail=error.code)


def _workspace(error: WorkspaceHeldError, facts: Facts) -> Message:
    held = "Slack takes nothing from me in this workspace for now. That may last for hours."
    return retry_message(held, facts, detail=error.code)


def _token(error: TokenRefusedError, facts: Facts) -> Message:
    refused = (
        "Slack no longer lets me into this workspace. Please ask an admin to install me again."
    )
    return retry_message(refused, facts, detail=error.code)


def _scope(error: MissingScopeError, facts: Facts) -> Message:
    named = f": {code(error.needed, 80)}" if error.needed else ""
    return retry_message(
        f"I lack a permission in Slack for this{named}."
        " Please ask an admin to install me again: the new installation includes it.",
        facts,
    )


def _slack(_error: SlackError, facts: Facts) -> Message:
    return retry_message("I could not do this in Slack.", facts)


SLACK_TROUBLES: dict[type[BaseException], Callable[[Any, Facts], Message]] = {
    TriggerExpiredError: _trigger,
    FormChangedError: _form,
    SlackRateLimitedError: _busy,
    SlackUnreachableError: _unreachable,
    SlackUnavailableError: _away,
    BlocksRefusedError: _blocks,
    ChannelClosedError: _channel,
    PersonUnreachableError: _person,
    WorkspaceHeldError: _workspace,
    TokenRefusedError: _token,
    MissingScopeError: _scope,
    SlackRefusedError: _refused,
    SlackError: _slack,
}
