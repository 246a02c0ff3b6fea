"""The state of the workspace's API key, and what was done to it. Pure; never a key."""

from collections.abc import Sequence
from datetime import date

from bot.keys import EarlierKey, KeyRecord
from bot.message import Block, Message
from bot.tracker.budget import BudgetState
from bot.views.blocks import actions, button, confirm, context, fields, section
from bot.views.key_scopes import scope_lines
from bot.views.text import code, day_text, escaped, moment_text, moment_token, plural

SET_KEY, CHECK_KEY, REMOVE_KEY = "key.set", "key.check", "key.remove"
ROLL_BACK, ROTATE_KEY = "key.back", "key.rotate"
NAME_MANAGERS, SHOW_HISTORY = "key.managers", "key.history"

_OPERATIONS = {"list": "list domains", "add": "add domains", "scan": "scan domains"}


def key_state_message(
    record: KeyRecord | None,
    budget: BudgetState | None,
    today: date,
    *,
    earlier: EarlierKey | None = None,
    managers: Sequence[str] = (),
    may_name: bool = True,
) -> Message:
    """Return what an admin or manager sees behind `/domainkey`.

    `managers` are ids; `may_name`: the reader may say who they are.
    """
    if record is None:
        return _not_connected_message(may_name=may_name)
    state = _state_words(record, today)
    expiry, scopes = expiry_text(record.expires_on, today), ", ".join(record.scopes) or "not said"
    left = _budget_text(budget)
    pairs = [
        ("Key", code(record.shown)),
        ("Label", code(record.label, 100)),
        ("Expires", expiry),
        ("Scopes", ", ".join(code(scope, 40) for scope in record.scopes) or "not said"),
        ("Set", f"by <@{record.set_by}>, {moment_token(record.set_at)}"),
        ("Requests left", left),
    ]
    more, kept = [_managers_line(managers)], ""
    if earlier:
        kept = f" The key before it is kept until {moment_text(earlier.until)}."
        more.append(
            f"↩️ The key before it, {code(earlier.record.label, 100)}, is kept until"
            f" {moment_token(earlier.until)}."
        )
    return Message(
        text=(
            f"API key {record.shown} {state}. Expires: {expiry}. Scopes: {escaped(scopes)}."
            f" Requests left: {left}.{kept}"
        ),
        blocks=(
            section(f"*Domain Tracker API key: {state}*"),
            fields(pairs),
            section("\n".join(scope_lines(record))),
            context("\n".join(more)),
            *_key_buttons(earlier),
            *_more_buttons(record, may_name=may_name),
        ),
    )


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
    named = ", ".join(f"<@{user_id}>" for user_id in managers)
    return f"👥 Besides admins and owners, {named or 'nobody'} may manage this key."


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


def saved_message(record: KeyRecord, domains: int) -> Message:
    """Return the same for an admin who has closed the form."""
    text = f"{record.shown} works and is saved. It sees {plural(domains, 'domain')}."
    return Message(text, (section(f"✅ {text}"),))


def rolled_back_message(record: KeyRecord, domains: int) -> Message:
    """Return that the earlier key is in use again."""
    text = (
        f"{record.shown} works and is in use again. It sees {plural(domains, 'domain')}. The key"
        " that was in use until now is kept for 7 days."
    )
    return Message(text, (section(f"✅ {text}"),))


def removed_message(*, was_there: bool) -> Message:
    """Return that the workspace has no key any more."""
    text = (
        "The key is removed from this workspace." if was_there else "There was no key to remove."
    )
    more = " Delete it in Domain Tracker too, under Portfolio → API Keys." if was_there else ""
    return Message(text + more, (section(text + more), *actions(button("Set key", SET_KEY))))


def checked_message(record: KeyRecord, domains: int) -> Message:
    """Return that the key works."""
    text = f"{record.shown} works: it sees {plural(domains, 'domain')}."
    return Message(text, (section(f"✅ {text}"),))


def typed_key_message(*, looks_like_key: bool, may_set: bool) -> Message:
    """Return why only `help` is read behind `/domainkey`; nothing typed is repeated."""
    text = (
        "I read nothing behind `/domainkey` but `help`: keys are set in a private form, never"
        " behind the command. Nothing was saved."
    )
    if looks_like_key:
        text += (
            " If that was a key, treat it as exposed: delete it in Domain Tracker, make a new one,"
            " and set it with the form."
        )
    if not may_set:
        text += " Only admins and owners of this workspace, and its managers, can manage the key."
    set_key = button("Set key", SET_KEY, style="primary") if may_set else None
    return Message(text.replace("`", ""), (section(text), *actions(set_key)))


def expiry_text(expires_on: date | None, today: date) -> str:
    """Return `3 Feb 2027 (in 75 days)`, `… (expired)` or that nobody said."""
    if expires_on is None:
        return "not known"
    days = (expires_on - today).days
    if days < 0:
        return f"{day_text(expires_on)} (expired)"
    left = "today" if days == 0 else f"in {plural(days, 'day')}"
    return f"{day_text(expires_on)} ({left})"


def operation_text(operation: str) -> str:
    """Return `add domains` for `add`."""
    return _OPERATIONS.get(operation, operation)


def _state_words(record: KeyRecord, today: date) -> str:
    if record.refused_at:
        return "refused as invalid"
    if record.expires_on and record.expires_on < today:
        return "has expired, by what was said of it"
    if record.lacks:
        return "works, but may not " + ", ".join(map(operation_text, record.lacks))
    return "works"


def _budget_text(budget: BudgetState | None) -> str:
    if budget is None or budget.remaining is None:
        return "not known yet"
    return f"{budget.remaining:,} in this hour, as last told"
