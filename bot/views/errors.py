"""Word every failure: what happened, who can mend it, what to do next. Pure.

Pure. Every error of ours has its own sentence here or in a `…_trouble`; `str(error)` is never
shown to a person.
"""

from collections.abc import Callable
from typing import Any

from bot.api_keys.models import ExpiredDraftError, KeyFormError
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
    TrackerError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.views.adddomain import already_added_message
from bot.views.blocks import (
    Facts,
    actions,
    context,
    plain_message,
    retry_message,
    run_button,
    section,
)
from bot.views.digests.errors import DIGEST_TROUBLES
from bot.views.errors_api_key import KEY_TROUBLES
from bot.views.text import code, duration_text, escaped, host_shown, outside


def _rejected(error: RejectedError, facts: Facts) -> Message:
    said = f" It said: {code(error.said, 200)}." if error.said else ""
    return retry_message(
        f"Domain Tracker declined this.{said}", facts, detail=f"status {error.status}"
    )


def _timed_out(error: TimedOutError, facts: Facts) -> Message:
    more = " It may still be at work on it." if error.is_outcome_unknown else ""
    return retry_message(f"Domain Tracker did not answer in time.{more}", facts)


def _unavailable(error: UnavailableError, facts: Facts) -> Message:
    detail = f"status {error.status}" if error.status else "no connection"
    return retry_message(
        "Domain Tracker cannot be reached, or is out of order.", facts, detail=detail
    )


def _unreadable(error: UnreadableReplyError, facts: Facts) -> Message:
    detail = f"status {error.status}" if error.status else ""
    return retry_message("Domain Tracker sent an answer that I cannot read.", facts, detail=detail)


def _too_large(_error: ReplyTooLargeError, facts: Facts) -> Message:
    return retry_message("Domain Tracker sent more than I can take in (16 MiB).", facts)


def _tracker(_error: TrackerError, facts: Facts) -> Message:
    return retry_message("Domain Tracker did not do this.", facts)


SERVICE_TROUBLES: dict[type[BaseException], Callable[[Any, Facts], Message]] = {
    RejectedError: _rejected,
    TimedOutError: _timed_out,
    UnavailableError: _unavailable,
    UnreadableReplyError: _unreadable,
    ReplyTooLargeError: _too_large,
    TrackerError: _tracker,
}
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
Explain = Callable[[Any, Facts], Message]
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
    """Return what to tell the person who asked."""
    for kind in type(error).__mro__:
        if kind in _EXPLAIN:
            return _EXPLAIN[kind](error, facts)
    return retry_message("Something broke on my side. I have written it down.", facts)


def host_sentence(error: HostNameError) -> str:
    """Return why something typed is no domain name, as one plain sentence."""
    return _HOST_PROBLEMS[error.problem]


def _host(error: HostNameError, facts: Facts) -> Message:
    why = host_sentence(error)
    typed = f"{code(error.typed, 80)} is not a domain name. " if error.typed.strip() else ""
    plain = f"{escaped(error.typed, 80)} is not a domain name. " if error.typed.strip() else ""
    usage = COMMANDS.get((facts.command_line or "").partition(" ")[0])
    hint = [context(f"For example: `{usage.examples[0][0]}`")] if usage else []
    return Message(f"{plain}{why}", (section(f"{typed}{why}"), *hint))


def _unknown_domain(error: UnknownDomainError, _facts: Facts) -> Message:
    shown = host_shown(error.host)
    several = "one of these" if len(error.near) > 1 else "this one"
    asked = f" Did you mean {several}?" if error.near else " You can add it."
    near = f"Did you mean {', '.join(error.near)}?" if error.near else "You can add it."
    buttons = [
        run_button(f"Scan {outside(name, 60)}", f"/scan {name}", number=number)
        for number, name in enumerate(error.near)
    ]
    add = run_button("Add it", f"/adddomain {error.host}")
    return Message(
        f"{escaped(shown, 300)} is not in your portfolio. {escaped(near, 900)}",
        (
            section(f"{code(shown, 300)} is not in your portfolio.{asked}"),
            *actions(*buttons, add, run_button("All domains", "/domains")),
        ),
    )


def _already_added(error: AlreadyAddedError, _facts: Facts) -> Message:
    return already_added_message(host_of(error.domain), error.domain)


def _not_understood(error: NotUnderstoodError, _facts: Facts) -> Message:
    parts = "; ".join(f"{code(problem.part, 80)} – {problem.why}" for problem in error.problems)
    return plain_message(f"I did not understand: {parts}")


def _key_form(_error: KeyFormError, _facts: Facts) -> Message:
    return plain_message(
        "That is not an API key: a key has 52 characters and begins with `service_sk_`."
    )


def _expired_draft(_error: ExpiredDraftError, _facts: Facts) -> Message:
    return plain_message("The expiration date has passed: such a key is refused. Make a new one.")


def _uncertain_add(error: UncertainAddError, facts: Facts) -> Message:
    return retry_message(
        f"Domain Tracker gave no proper answer when I added {code(host_shown(error.host), 300)},"
        " and does not list it. It may still appear. Trying again is safe: I look first.",
        facts,
    )


def _no_domain_id(_error: NoDomainIdError, facts: Facts) -> Message:
    return retry_message(
        "Domain Tracker lists this domain without an id, so it cannot be scanned.", facts
    )


def _no_scan(_error: NoScanError, facts: Facts) -> Message:
    return retry_message("That scan is no longer kept. Scan the domain again.", facts)


def _conflict(_error: ConflictError, facts: Facts) -> Message:
    return retry_message("Somebody else changed the same thing at the same time.", facts)


def _store(_error: StoreError, facts: Facts) -> Message:
    return retry_message(
        "I cannot reach my memory, the bot's database, right now. Please try again in a minute; if"
        " it stays so, give the reference to whoever runs the bot.",
        facts,
    )


def _no_answer(_error: NoAnswerError, facts: Facts) -> Message:
    return retry_message(
        "I cannot reach my memory, the bot's database, in time. If something was to be saved, look"
        " whether it was before you do it again.",
        facts,
    )


def _forgotten(_error: ForgottenError, facts: Facts) -> Message:
    return retry_message(
        "The app was removed from this workspace, so I keep nothing of it any more. If it is"
        " installed again, please try again in a few minutes.",
        facts,
    )


def _locked(_error: StoreLockedError, facts: Facts) -> Message:
    return retry_message("My memory is in use by another copy of me.", facts)


def _wrong_ring(_error: WrongKeyRingError, facts: Facts) -> Message:
    return retry_message(
        "My memory was sealed with other keys. The operator has to put them back.", facts
    )


def _lost_connection(_error: LostConnectionError, facts: Facts) -> Message:
    return retry_message(
        "The line to my memory broke while I was saving, so I cannot know whether it was saved."
        " Look before you do it again.",
        facts,
    )


def _outdated(_error: OutdatedSchemaError, facts: Facts) -> Message:
    return retry_message(
        "My memory is of an earlier version. The operator has to run `python -m bot migrate`.",
        facts,
    )


def _root(_error: BotError, facts: Facts) -> Message:
    return retry_message("I could not do this.", facts)


_EXPLAIN: dict[type[BaseException], Explain] = {
    **KEY_TROUBLES,
    **SERVICE_TROUBLES,
    **DIGEST_TROUBLES,
    **SLACK_TROUBLES,
    HostNameError: _host,
    UnknownDomainError: _unknown_domain,
    AlreadyAddedError: _already_added,
    NotUnderstoodError: _not_understood,
    KeyFormError: _key_form,
    ExpiredDraftError: _expired_draft,
    UncertainAddError: _uncertain_add,
    NoDomainIdError: _no_domain_id,
    NoScanError: _no_scan,
    ConflictError: _conflict,
    StoreError: _store,
    NoAnswerError: _no_answer,
    ForgottenError: _forgotten,
    StoreLockedError: _locked,
    WrongKeyRingError: _wrong_ring,
    LostConnectionError: _lost_connection,
    OutdatedSchemaError: _outdated,
    BotError: _root,
}
