"""Word every failure: what happened, who can fix it, what to do next. Pure.

Every error class has its own sentence here or in another `…_ERRORS` table; `str(error)` is never
shown to a person.
"""

from dataclasses import replace

from bot.api_keys.models import ExpiredDraftError, KeyFormError
from bot.clock_check import ClockWrongError
from bot.command_text import NotUnderstoodError
from bot.commands import COMMANDS
from bot.errors import BotError
from bot.hostnames import HostNameError, HostProblem
from bot.message import Message
from bot.portfolio.add_domain import AlreadyAddedError, UncertainAddError
from bot.portfolio.query import UnknownDomainError, host_of
from bot.scans import NoDomainIdError, NoScanError
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
from bot.store.documents import (
    ConflictError,
    ForgottenError,
    NoAnswerError,
    StoreError,
    StoreLockedError,
    WrongKeyRingError,
)
from bot.store.postgres.pool import LostConnectionError, OutdatedSchemaError
from bot.tracker.models import (
    RejectedError,
    ReplyTooLargeError,
    TimedOutError,
    TooBusyError,
    TrackerError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.views.adddomain import already_added_message
from bot.views.blocks import (
    Explain,
    Facts,
    actions,
    context,
    plain,
    plain_message,
    retry,
    retry_message,
    run_button,
    section,
)
from bot.views.digests.errors import DIGEST_ERRORS
from bot.views.errors_api_key import API_KEY_ERRORS
from bot.views.text import code, duration_text, escaped, host_text, outside

# Timeout, locked, too early: https://www.iana.org/assignments/http-status-codes. The other 4xx
# are refused again.
_PASSING = {408, 423, 425}


def _rejected(error: RejectedError, facts: Facts) -> Message:
    reason = f" It said: {code(error.said, 200)}." if error.said else ""
    facts = facts if error.status in _PASSING else replace(facts, command_line=None)
    return retry_message(
        f"Domain Tracker declined this.{reason}", facts, detail=f"status {error.status}"
    )


def _timed_out(error: TimedOutError, facts: Facts) -> Message:
    more = " It may still be at work on it." if error.is_outcome_unknown else ""
    return retry_message(f"Domain Tracker did not answer in time.{more}", facts)


def _with_status(mrkdwn: str, no_status: str = "") -> Explain:
    def explain(error: UnavailableError | UnreadableReplyError, facts: Facts) -> Message:
        detail = f"status {error.status}" if error.status else no_status
        return retry_message(mrkdwn, facts, detail=detail)

    return explain


_INVITE = "Invite me there with `/invite`."
_CHANNELS = {
    "is_archived": "That channel is archived: no one can post there.",
    "channel_not_found": (
        f"I cannot find that channel: it is gone, or private and I am not in it. {_INVITE}"
    ),
    "not_in_channel": f"I am not in that channel. {_INVITE}",
    "no_permission": f"I am not in that channel. {_INVITE}",
}


def _with_code(mrkdwn: str) -> Explain:
    """Return an entry whose detail is Slack's error code."""
    return lambda error, facts: retry_message(mrkdwn, facts, detail=error.code)


def _rate_limited(error: SlackRateLimitedError, facts: Facts) -> Message:
    return retry_message(f"Slack asks me to wait {duration_text(error.retry_after_s)}.", facts)


def _channel(error: ChannelClosedError, facts: Facts) -> Message:
    closed = (
        "That channel is closed to me. Its settings, or your organisation's, say who may post."
    )
    return retry_message(_CHANNELS.get(error.code, closed), facts, detail=error.code)


def _missing_scope(error: MissingScopeError, facts: Facts) -> Message:
    named = f": {code(error.needed, 80)}" if error.needed else ""
    return retry_message(
        f"I lack a permission in Slack for this{named}."
        " Please ask an admin to install me again: the new installation includes it.",
        facts,
    )


_HOST_PROBLEMS = {
    HostProblem.EMPTY: "I need a domain name, such as `example.com`.",
    HostProblem.TOO_LONG: "That is longer than a domain name can be (253 characters).",
    HostProblem.LABEL_TOO_LONG: "A part between two dots is longer than 63 characters.",
    HostProblem.SINGLE_LABEL: "That has no dot: I need the whole name, such as `example.com`.",
    HostProblem.IP_ADDRESS: "That is an IP address: I need a domain name, such as `example.com`.",
    HostProblem.EMAIL: "That is an e-mail address or a person: I need a domain name.",
    HostProblem.WILDCARD: "I cannot take a wildcard: name one domain, without `*.`.",
    HostProblem.BAD_CHARACTERS: (
        "A domain name has letters, digits and hyphens inside its parts, and single dots between."
    ),
}


def failure_message(error: Exception, facts: Facts) -> Message:
    """Return the answer to a request that failed."""
    for kind in type(error).__mro__:
        if kind in _EXPLAIN:
            return _EXPLAIN[kind](error, facts)
    return retry_message("Something broke on my side. I have written it down.", facts)


def host_sentence(error: HostNameError) -> str:
    """Return why a text is not a domain name."""
    return _HOST_PROBLEMS[error.problem]


def _host(error: HostNameError, facts: Facts) -> Message:
    why = host_sentence(error)
    typed = f"{code(error.typed, 80)} is not a domain name. " if error.typed.strip() else ""
    plain = f"{escaped(error.typed, 80)} is not a domain name. " if error.typed.strip() else ""
    usage = COMMANDS.get((facts.command_line or "").partition(" ")[0])
    hint = [context(f"For example: `{usage.examples[0][0]}`")] if usage else []
    return Message(f"{plain}{why}", (section(f"{typed}{why}"), *hint))


def _unknown_domain(error: UnknownDomainError, _facts: Facts) -> Message:
    shown = host_text(error.host)
    several = "one of these" if len(error.near) > 1 else "this one"
    asked = f" Did you mean {several}?" if error.near else " You can add it."
    near = f"Did you mean {', '.join(error.near)}?" if error.near else "You can add it."
    buttons = [
        run_button(f"Scan {outside(name, 60)}", f"/scan {name}", number=number)
        for number, name in enumerate(error.near)
    ]
    add = run_button("Add it", f"/adddomain {error.host}", once=True)
    return Message(
        f"{escaped(shown, 300)} is not in your portfolio. {escaped(near, 900)}",
        (
            section(f"{code(shown, 300)} is not in your portfolio.{asked}"),
            *actions(*buttons, add, run_button("All domains", "/domains")),
        ),
    )


def _not_understood(error: NotUnderstoodError, _facts: Facts) -> Message:
    parts = "; ".join(f"{code(problem.part, 80)} – {problem.why}" for problem in error.problems)
    return plain_message(f"I did not understand: {parts}")


def _uncertain_add(error: UncertainAddError, facts: Facts) -> Message:
    return retry_message(
        f"Domain Tracker gave no proper answer when I added {code(host_text(error.host), 300)},"
        " and does not list it. It may still appear. Trying again is safe: I look first.",
        facts,
    )


_EXPLAIN: dict[type[BaseException], Explain] = {
    **API_KEY_ERRORS,
    **DIGEST_ERRORS,
    BotError: retry("I could not do this."),
    HostNameError: _host,
    UnknownDomainError: _unknown_domain,
    AlreadyAddedError: lambda error, _: already_added_message(host_of(error.domain), error.domain),
    NotUnderstoodError: _not_understood,
    UncertainAddError: _uncertain_add,
    NoDomainIdError: plain(
        "Domain Tracker lists this domain without an id, so it cannot be scanned."
    ),
    NoScanError: retry("That scan is no longer kept. Scan the domain again."),
    KeyFormError: plain(
        "That is not an API key: a key has 52 characters and begins with `service_sk_`."
    ),
    ClockWrongError: plain(
        "The clock of the bot's machine is wrong, so nothing was done. Its operator has to set it."
    ),
    ExpiredDraftError: plain(
        "The expiration date has passed: such a key is refused. Make a new one."
    ),
    # Domain Tracker
    TrackerError: retry("Domain Tracker did not do this."),
    RejectedError: _rejected,
    TimedOutError: _timed_out,
    TooBusyError: retry(
        "I have too many requests to Domain Tracker under way, so I did not send yours."
        " Please try again in a minute."
    ),
    UnavailableError: _with_status(
        "Domain Tracker cannot be reached, or is out of order.", "no connection"
    ),
    UnreadableReplyError: _with_status("Domain Tracker sent an answer that I cannot read."),
    ReplyTooLargeError: retry("Domain Tracker sent more than I can take in (16 MiB)."),
    # Slack
    SlackError: retry("I could not do this in Slack."),
    TriggerExpiredError: retry(
        "The form could not be opened in time. Press `Try again` to open it."
    ),
    FormChangedError: retry("That form has changed in the meantime. Open it again."),
    SlackRateLimitedError: _rate_limited,
    SlackUnreachableError: retry("I cannot reach Slack, so nothing was done."),
    SlackUnavailableError: retry("Slack did not answer me properly."),
    BlocksRefusedError: retry("Slack did not take my answer in any form."),
    ChannelClosedError: _channel,
    PersonUnreachableError: _with_code(
        "Slack does not let me reach that person: they have left, or I cannot see them."
    ),
    WorkspaceHeldError: _with_code(
        "Slack takes nothing from me in this workspace for now. That may last for hours."
    ),
    TokenRefusedError: _with_code(
        "Slack no longer lets me into this workspace. Please ask an admin to install me again."
    ),
    MissingScopeError: _missing_scope,
    SlackRefusedError: _with_code("Slack did not let me do this."),
    # The store
    StoreError: retry(
        "I cannot reach my memory, the bot's database, right now. Please try again in a minute; if"
        " it stays so, give the reference to whoever runs the bot."
    ),
    NoAnswerError: retry(
        "I cannot reach my memory, the bot's database, in time. If something was to be saved, look"
        " whether it was before you do it again."
    ),
    ConflictError: retry("Somebody else changed the same thing at the same time."),
    ForgottenError: retry(
        "The app was removed from this workspace, so I keep nothing of it any more. If it is"
        " installed again, please try again in a few minutes."
    ),
    StoreLockedError: retry("My memory is in use by another copy of me."),
    WrongKeyRingError: retry(
        "My memory was sealed with other keys. The operator has to put them back."
    ),
    LostConnectionError: retry(
        "The line to my memory broke while I was saving, so I cannot know whether it was saved."
        " Look before you do it again."
    ),
    OutdatedSchemaError: retry(
        "My memory is of an earlier version. The operator has to run `python -m bot migrate`."
    ),
}
