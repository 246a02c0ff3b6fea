"""The state of the workspace's API key, as whoever manages it sees it. Pure; never a key."""

from collections.abc import Sequence
from datetime import date, datetime

from bot.allowance import Allowance
from bot.keys import EarlierKey, KeyRecord
from bot.message import Block, Message
from bot.views.blocks import actions, button, confirm, context, fields, section
from bot.views.budget import budget_lines, left_text
from bot.views.key import (
    CHECK_KEY,
    NAME_MANAGERS,
    REMOVE_KEY,
    ROLL_BACK,
    ROTATE_KEY,
    SET_KEY,
    SHOW_HISTORY,
    operation_text,
)
from bot.views.key_expiry import end_warning, expiry_text, has_expired
from bot.views.key_label import label_text
from bot.views.key_scopes import scope_lines
from bot.views.managers import names_text
from bot.views.text import code, escaped, moment_text, moment_token


def key_state_message(
    record: KeyRecord | None,
    allowance: Allowance | None,
    now: datetime,
    *,
    earlier: EarlierKey | None = None,
    managers: Sequence[str] = (),
    may_name: bool = True,
) -> Message:
    """Return what an admin or manager sees behind `/domainkey`.

    `managers` are ids of people and user groups; `may_name`: the reader may say who they are.
    """
    if record is None:
        return _not_connected_message(may_name=may_name)
    state, warning = _state_words(record, now.date()), _warning(record, now.date())
    title = f"*Domain Tracker API key: {state}*"
    return Message(
        text=_plain_text(record, allowance, now, earlier),
        blocks=(
            section(f"{title}\n{warning}" if warning else title),
            fields(_pairs(record, now.date())),
            *_use(record, allowance, now),
            context("\n".join([_managers_line(managers), *_earlier_line(earlier)])),
            *_key_buttons(earlier),
            *_more_buttons(record, may_name=may_name),
        ),
    )


def _plain_text(
    record: KeyRecord, allowance: Allowance | None, now: datetime, earlier: EarlierKey | None
) -> str:
    today = now.date()
    expiry, scopes = expiry_text(record.expires_on, today), ", ".join(record.scopes) or "not said"
    sentences = [
        f"API key {record.shown} {_state_words(record, today)}.",
        _warning(record, today).replace("`", ""),
        f"Expires: {expiry}. Scopes: {escaped(scopes)}.",
    ]
    if _is_of_use(record, today):
        sentences.append(left_text(allowance.budget if allowance else None, now))
    if earlier:
        until = moment_text(earlier.until)
        sentences.append(f"The key before it (…{earlier.record.last4}) is kept until {until}.")
    return " ".join(filter(None, sentences))


def _pairs(record: KeyRecord, today: date) -> list[tuple[str, str]]:
    return [
        ("Key", code(record.shown)),
        ("Label", code(record.label, 100)),
        ("Expires", expiry_text(record.expires_on, today)),
        ("Scopes", ", ".join(code(scope, 40) for scope in record.scopes) or "not said"),
        ("Set", f"by <@{record.set_by}>, {moment_token(record.set_at)}"),
    ]


def _use(record: KeyRecord, allowance: Allowance | None, now: datetime) -> list[Block]:
    """What the key can do and what is left of it: nothing, where it is of no use now."""
    if not _is_of_use(record, now.date()):
        return []
    return [
        section("\n".join(scope_lines(record))),
        section("\n".join(["*Requests*", *budget_lines(allowance, now)])),
    ]


def _not_connected_message(*, may_name: bool) -> Message:
    text = "This workspace is not connected to Domain Tracker yet."
    how = (
        "Make a key in Domain Tracker under *Portfolio → API Keys*: one for this bot alone, with"
        " an expiration and the scopes `read_domains` and `write_domains`. Then set it here."
    )
    set_key = button("Set key", SET_KEY, style="primary")
    return Message(
        text,
        (
            section(f"*{text}*\n{how}"),
            *actions(set_key),
            *_more_buttons(None, may_name=may_name),
        ),
    )


def _managers_line(managers: Sequence[str]) -> str:
    named = names_text(managers) or "nobody"
    return f"👥 Besides admins and owners, {named} may manage this key."


def _earlier_line(earlier: EarlierKey | None) -> list[str]:
    if earlier is None:
        return []
    until = moment_token(earlier.until)
    return [f"↩️ The key before it, {label_text(earlier.record)}, is kept until {until}."]


def _key_buttons(earlier: EarlierKey | None) -> list[Block]:
    back = None
    if earlier:
        question = confirm(
            "Roll back to the key before?",
            "It is checked first. The key that is in use now is then kept for 7 days.",
            "Roll back",
        )
        back = button("Roll back", ROLL_BACK, earlier.record.mark, confirm=question)
    return actions(
        button("Replace key", SET_KEY),
        button("Rotate key", ROTATE_KEY),
        button("Check key", CHECK_KEY),
        back,
    )


def _more_buttons(record: KeyRecord | None, *, may_name: bool) -> list[Block]:
    question = confirm(
        "Remove the key?",
        "Commands stop working in this workspace until a key is set again. The key stays valid in"
        " Domain Tracker until it is deleted there.",
        "Remove key",
    )
    return actions(
        button("Managers", NAME_MANAGERS) if may_name else None,
        button("History", SHOW_HISTORY),
        button("Remove key", REMOVE_KEY, record.mark, style="danger", confirm=question)
        if record
        else None,
    )


def _is_of_use(record: KeyRecord, today: date) -> bool:
    return not (record.refused_at or has_expired(record, today))


def _warning(record: KeyRecord, today: date) -> str:
    """A sentence of mrkdwn with a sign, or nothing."""
    if record.refused_at:
        return "⚠️ Commands and digests cannot answer until it is replaced."
    return end_warning(record, today)


def _state_words(record: KeyRecord, today: date) -> str:
    if record.refused_at:
        return "refused as invalid"
    if has_expired(record, today):
        return "has expired, by what was said of it"
    if record.lacks:
        return "works, but may not " + ", ".join(map(operation_text, record.lacks))
    return "works"
