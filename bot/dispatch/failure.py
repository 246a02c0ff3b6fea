"""Word every failure: what happened, who can fix it, what to do next. Pure.

Every error class has its own sentence here or in another `…_ERRORS` table; `str(error)` is never
shown to a person.
"""

from dataclasses import replace

from bot.blocks.builders import (
    Explain,
    Facts,
    again_button,
    context,
    message_of,
    plain,
    plain_message,
    retry,
    retry_message,
    run_button,
    section,
)
from bot.blocks.message import Message
from bot.blocks.text import bold, code, duration_text, host_text, outside
from bot.digests.errors import DIGEST_ERRORS
from bot.dispatch.command_text import NotUnderstoodError
from bot.dispatch.commands import COMMANDS
from bot.domains.add_domain import AlreadyAddedError, UncertainAddError
from bot.domains.add_views import already_added_message
from bot.domains.lookup import UnknownDomainError, host_of
from bot.keys.errors import API_KEY_ERRORS
from bot.keys.key_record import ExpiredDraftError
from bot.process.errors import BotError
from bot.scans.bulk_record import BulkScanOverError, BulkScanRunsError
from bot.scans.bulk_views import running_message
from bot.scans.service import NoDomainIdError, NoScanError
from bot.slack import errors as slack
from bot.store import documents as store
from bot.tracker import models as tracker
from bot.tracker.hostnames import MAX_NAME_CHARS, HostNameError, HostProblem


def _rejected(error: tracker.RejectedError, facts: Facts) -> Message:
    reason = f" It said: {code(error.said, 200)}." if error.said else ""
    would_not_help = replace(facts, command_line=None)
    return retry_message(f"Domain Tracker declined this.{reason}", would_not_help)


def _timed_out(error: tracker.TimedOutError, facts: Facts) -> Message:
    more = " It may still be working on it." if error.is_outcome_unknown else ""
    return retry_message(f"Domain Tracker did not answer in time.{more}", facts)


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


_HOST_PROBLEMS = {
    HostProblem.EMPTY: "Enter a domain, such as `example.com`.",
    HostProblem.TOO_LONG: "Enter a domain of at most 253 characters.",
    HostProblem.LABEL_TOO_LONG: "Each part between dots can have at most 63 characters.",
    HostProblem.SINGLE_LABEL: "Enter a full domain, such as `example.com`.",
    HostProblem.IP_ADDRESS: "Enter a domain, such as `example.com`, not an IP address.",
    HostProblem.EMAIL: "Enter a domain, not an email address or a person.",
    HostProblem.WILDCARD: "Enter one domain, without the wildcard `*.`.",
    HostProblem.BAD_CHARACTERS: "Enter a valid domain, such as `example.com`.",
}


def failure_message(error: Exception, facts: Facts) -> Message:
    """Return the answer to a request that failed."""
    for kind in type(error).__mro__:
        if kind in _EXPLAIN:
            return _EXPLAIN[kind](error, facts)
    return retry_message("Something went wrong in the app. The error is logged.", facts)


def host_sentence(error: HostNameError) -> str:
    """Return why a text is not a domain name."""
    return _HOST_PROBLEMS[error.problem]


def _host(error: HostNameError, facts: Facts) -> Message:
    why = host_sentence(error)
    typed = f"{code(error.typed, 80)} is not a domain name. " if error.typed.strip() else ""
    usage = COMMANDS.get((facts.command_line or "").partition(" ")[0])
    hint = [context(f"For example: `{usage.examples[0][0]}`")] if usage else []
    return message_of(section(f"{typed}{why}"), *hint)


def _unknown_domain(error: UnknownDomainError, facts: Facts) -> Message:
    near = " or ".join(bold(name, MAX_NAME_CHARS) for name in error.near)
    asked = " You can add it." if facts.may_add else ""
    asked = f" Did you mean {near}?" if near else asked
    buttons = [
        run_button(f"Scan {outside(name, 60)}", f"/scan {name}", number=number)
        for number, name in enumerate(error.near)
    ]
    add = run_button("Add it", f"/adddomain {error.host}", once=True) if facts.may_add else None
    return plain_message(
        f"{code(host_text(error.host), 300)} is not in your portfolio.{asked}",
        *(*buttons, add, run_button("All domains", "/domains")),
    )


def _not_understood(error: NotUnderstoodError, _facts: Facts) -> Message:
    parts = "; ".join(f"{code(problem.part, 80)} – {problem.why}" for problem in error.problems)
    return plain_message(f"I couldn't read this: {parts}")


def _uncertain_add(error: UncertainAddError, facts: Facts) -> Message:
    return retry_message(
        f"Domain Tracker didn't confirm {code(host_text(error.host), 300)} and doesn't list it."
        " It may still appear. Trying again is safe: I check first.",
        facts,
    )


_EXPLAIN: dict[type[BaseException], Explain] = {
    **API_KEY_ERRORS,
    **DIGEST_ERRORS,
    BotError: retry("I couldn't do this."),
    HostNameError: _host,
    UnknownDomainError: _unknown_domain,
    AlreadyAddedError: lambda error, _: already_added_message(host_of(error.domain), error.domain),
    NotUnderstoodError: _not_understood,
    UncertainAddError: _uncertain_add,
    NoDomainIdError: plain(
        "Domain Tracker lists this domain without an ID, so it can't be scanned."
    ),
    NoScanError: retry("That scan is no longer kept. Scan the domain again."),
    BulkScanRunsError: lambda error, facts: running_message(
        error.run, facts.user_id, may_configure=facts.is_admin
    ),
    BulkScanOverError: plain(
        "This bulk scan is over. Type `/scan` with the filter to scan again."
    ),
    ExpiredDraftError: plain(
        "The expiration date has passed. Make a new key, or correct the date."
    ),
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
