"""Word a failure: what happened, who can fix it, what to do next. Pure.

Every error class has its own sentence: those of Domain Tracker, Slack and the store here, those
of a feature in its `errors.py`. `str(error)` is never shown to a person.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from bot.blocks.builders import actions, again_button, context, message_of, plain_message, section
from bot.blocks.message import Message
from bot.blocks.text import code, duration_text
from bot.dispatch.command_text import NotUnderstoodError
from bot.dispatch.commands import COMMANDS
from bot.dispatch.request import Request
from bot.dispatch.usage import problem_sentence
from bot.process.errors import BotError
from bot.slack import errors as slack
from bot.store import documents as store
from bot.tracker import models as tracker
from bot.tracker.hostnames import HostNameError, HostProblem
from bot.tracker.rate_limit import Allowance

REFERENCE = "Reference"
# Returns the answer to a request that failed; never raises.
ExplainFailure = Callable[[Exception, Request], Awaitable[Message]]
_NOT_A_MEMBER = "The app isn't in that channel. Invite it there with `/invite`."
_CHANNELS = {
    "is_archived": (
        "That channel is archived. Unarchive it, invite the app with `/invite`, and try again, or"
        " choose another channel."
    ),
    "channel_not_found": (
        "That channel is gone, or it is private and the app isn't in it."
        " Invite the app there with `/invite`."
    ),
    "not_in_channel": _NOT_A_MEMBER,
    "no_permission": _NOT_A_MEMBER,
}
# Why a text is not a domain name.
HOST_PROBLEMS = {
    HostProblem.EMPTY: "Enter a domain, such as `example.com`.",
    HostProblem.TOO_LONG: "Enter a domain of at most 253 characters.",
    HostProblem.LABEL_TOO_LONG: "Each part between dots can have at most 63 characters.",
    HostProblem.SINGLE_LABEL: "Enter a full domain, such as `example.com`.",
    HostProblem.IP_ADDRESS: "Enter a domain, such as `example.com`, not an IP address.",
    HostProblem.EMAIL: "Enter a domain, not an email address or a person.",
    HostProblem.WILDCARD: "Enter one domain, without the wildcard `*.`.",
    HostProblem.BAD_CHARACTERS: "Enter a valid domain, such as `example.com`.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The request that failed, who made it, and the workspace's API key.

    `reference` finds the failure in the log. `command_line` is what `Try again` runs. `is_admin`:
    they may mend what is wrong with the key. `key_expires_on` and `key_scopes` are what was
    entered with it; `notified` are those who know that it is refused. `allowance` is set when
    there are not enough requests. `is_kept`: the command runs when there is a key. `may_add`: an
    unknown domain is offered to be added.
    """

    reference: str
    now: datetime
    user_id: str = ""
    is_admin: bool = False
    command_line: str | None = None
    key_expires_on: date | None = None
    key_scopes: tuple[str, ...] = ()
    notified: tuple[str, ...] = ()
    egress_addresses: tuple[str, ...] = ()
    allowance: Allowance | None = None
    is_kept: bool = False
    may_add: bool = True


# Makes the answer to an error; the tables of errors map each class of errors to one.
Explain = Callable[[Any, Facts], Message]


def plain(mrkdwn: str) -> Explain:
    """Return an entry of an error table: the same sentence for every error of a class."""
    return lambda _error, _facts: plain_message(mrkdwn)


def retry_message(mrkdwn: str, facts: Facts) -> Message:
    """Return a message about a failure that may pass, with its reference and `Try again`."""
    note = [context(f"{REFERENCE} {facts.reference}")] if facts.reference else []
    return message_of(section(mrkdwn), *note, *actions(again_button(facts.command_line)))


def retry(mrkdwn: str) -> Explain:
    """Return an entry of an error table: one sentence, with the reference and `Try again`."""
    return lambda _error, facts: retry_message(mrkdwn, facts)


Sentences = Mapping[type[BaseException], Explain]


def failure_message(error: Exception, facts: Facts, sentences: Sentences) -> Message:
    """Return the answer to a request that failed; that of the nearest class counts."""
    for kind in type(error).__mro__:
        if kind in sentences:
            return sentences[kind](error, facts)
    return retry_message("Something went wrong in the app. The error is logged.", facts)


def _rejected(error: tracker.RejectedError, facts: Facts) -> Message:
    reason = f" It said: {code(error.detail, 200)}." if error.detail else ""
    would_not_help = replace(facts, command_line=None)
    return retry_message(f"Domain Tracker declined this.{reason}", would_not_help)


def _timed_out(error: tracker.TimedOutError, facts: Facts) -> Message:
    more = " It may still be working on it." if error.is_outcome_unknown else ""
    return retry_message(f"Domain Tracker did not answer in time.{more}", facts)


def _rate_limited(error: slack.SlackRateLimitedError, facts: Facts) -> Message:
    wait = duration_text(error.retry_after_s)
    return retry_message(f"Slack limits the app's requests for now. Try again in {wait}.", facts)


def _channel(error: slack.ChannelClosedError, facts: Facts) -> Message:
    closed = (
        "The app may not post in that channel."
        " The settings of the channel or your organization say who may post."
    )
    again = again_button(facts.command_line)
    return plain_message(_CHANNELS.get(error.code, closed), again)


def _missing_scope(error: slack.MissingScopeError, facts: Facts) -> Message:
    named = f": {code(error.needed, 80)}" if error.needed else ""
    return retry_message(
        f"The app lacks a Slack permission for this{named}."
        " Please ask an admin to install it again, which grants the permission.",
        facts,
    )


def _host(error: HostNameError, facts: Facts) -> Message:
    typed = f"{code(error.typed, 80)} is not a domain name. " if error.typed.strip() else ""
    usage = COMMANDS.get((facts.command_line or "").partition(" ")[0])
    hint = [context(f"For example: `{usage.examples[0][0]}`")] if usage else []
    return message_of(section(f"{typed}{HOST_PROBLEMS[error.problem]}"), *hint)


def _not_understood(error: NotUnderstoodError, _facts: Facts) -> Message:
    return plain_message(" ".join(map(problem_sentence, error.problems)))


SHARED_SENTENCES: Sentences = {
    BotError: retry("I couldn't do this."),
    HostNameError: _host,
    NotUnderstoodError: _not_understood,
    # Domain Tracker
    tracker.TrackerError: retry("Domain Tracker couldn't do this."),
    tracker.RejectedError: _rejected,
    tracker.TimedOutError: _timed_out,
    tracker.TooBusyError: retry(
        "The app has too many open requests, so yours was not sent. Please try again in a minute."
    ),
    tracker.UnavailableError: retry("Domain Tracker is unavailable. Try again shortly."),
    tracker.UnreadableReplyError: retry("Domain Tracker returned an unexpected response."),
    tracker.ReplyTooLargeError: retry(
        "Domain Tracker returned more than the app can read (16 MiB, or 100,000 values of a scan)."
    ),
    # Slack
    slack.SlackError: retry("I couldn't do this in Slack."),
    slack.TriggerExpiredError: retry(
        "The form couldn't open in time. Press `Try again` to open it."
    ),
    slack.SlackRateLimitedError: _rate_limited,
    slack.SlackUnreachableError: retry("Slack can't be reached, so nothing was done."),
    slack.SlackUnavailableError: retry("Slack returned an unexpected response."),
    slack.BlocksRefusedError: retry("Slack refused to show the answer."),
    slack.ChannelClosedError: _channel,
    slack.PersonUnreachableError: retry(
        "The app can't message that person. They have left, or the app can't see them."
    ),
    slack.TokenRefusedError: retry(
        "Slack no longer accepts the app in this workspace."
        " Please ask an admin to install it again."
    ),
    slack.MissingScopeError: _missing_scope,
    slack.SlackRefusedError: retry("Slack refused this request."),
    # The store
    store.StoreError: retry(
        "The app's database is unavailable. Please try again in a minute. If that fails, send the"
        " reference to the app's operator."
    ),
    store.ConflictError: retry("Someone else changed this at the same time."),
    store.ForgottenError: retry(
        "The app was removed from this workspace, so its data is deleted. If it was just installed"
        " again, try again in a few minutes."
    ),
}
