"""The workspace's API key: its state, and the private form that sets it. Pure; never a key."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.keys import KEY_CHARS, KEY_PREFIX, SCOPES, KeyRecord
from bot.message import Block, Message
from bot.tracker.budget import BudgetState
from bot.views.blocks import actions, button, confirm, context, fields, plain_text, section
from bot.views.form import field, form, notice, option
from bot.views.text import code, day_text, escaped, moment_token, plural

SET_KEY, CHECK_KEY, REMOVE_KEY = "key.set", "key.check", "key.remove"
KEY_FORM = "key"
SECRET_BLOCK, LABEL_BLOCK = "secret", "label"
EXPIRY_BLOCK, EXPIRY_DAY_BLOCK, SCOPES_BLOCK = "expiry", "expiry_day", "scopes"
SECRET_FIELD, LABEL_FIELD = "key.secret", "key.label"
EXPIRY_FIELD, EXPIRY_DAY_FIELD, SCOPES_FIELD = "key.expiry", "key.expiry_day", "key.scopes"

TITLE = "Domain Tracker API key"
PROPOSED_LABEL = "Domain Tracker for Slack"
MAX_LABEL_CHARS = 100
# Service document, section 2.1: 30, 90 or 365 days, or a date.
EXPIRIES = {
    "30": "30 days",
    "90": "90 days",
    "365": "365 days",
    "date": "A date…",
    "unknown": "None, or I do not know",
}
_SCOPE_NOTES = {
    "read_domains": "needed for /domains and to find a domain",
    "write_domains": "needed for /adddomain",
    "admin": "more than this bot needs: avoid it",
}
_OPERATIONS = {"list": "list domains", "add": "add domains", "scan": "scan domains"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFormValues:
    """What the form shows when it opens: everything but the key itself."""

    label: str = PROPOSED_LABEL
    expiry: str = "90"
    expiry_day: str | None = None
    scopes: Sequence[str] = ("read_domains", "write_domains")


def key_state_message(
    record: KeyRecord | None, budget: BudgetState | None, today: date
) -> Message:
    """Return what an admin sees behind `/domainkey`."""
    if record is None:
        return _not_connected_message()
    state = _state_words(record)
    expiry, scopes = expiry_text(record.expires_on, today), ", ".join(record.scopes) or "not said"
    left = _budget_text(budget)
    pairs = [
        ("Key", code(record.shown)),
        ("Label", code(record.label, MAX_LABEL_CHARS)),
        ("Expires", expiry),
        ("Scopes", ", ".join(code(scope, 40) for scope in record.scopes) or "not said"),
        ("Set", f"by <@{record.set_by}>, {moment_token(record.set_at)}"),
        ("Requests left", left),
    ]
    return Message(
        text=(
            f"API key {record.shown} {state}. Expires: {expiry}. Scopes: {escaped(scopes)}."
            f" Requests left: {left}."
        ),
        blocks=(
            section(f"*Domain Tracker API key: {state}*"),
            fields(pairs),
            *actions(*_key_buttons()),
        ),
    )


def _not_connected_message() -> Message:
    text = "This workspace is not connected to Domain Tracker yet."
    how = (
        "Make a key in Domain Tracker under *Portfolio → API Keys*: one for this bot alone, with"
        " an expiration and the scopes `read_domains` and `write_domains`. Then set it here."
    )
    set_key = button("Set key", SET_KEY, style="primary")
    return Message(text, (section(f"*{text}*\n{how}"), *actions(set_key)))


def _key_buttons() -> tuple[Block | None, ...]:
    question = confirm(
        "Remove the key?",
        "Commands stop working in this workspace until a key is set again. The key stays valid in"
        " Domain Tracker until it is deleted there.",
        "Remove key",
    )
    return (
        button("Replace key", SET_KEY),
        button("Check key", CHECK_KEY),
        button("Remove key", REMOVE_KEY, style="danger", confirm=question),
    )


def key_form(metadata: str, values: KeyFormValues, trouble: str | None = None) -> Block:
    """Return the form; `trouble` is one of our own sentences on why the last try was not saved."""
    warning = [section(f"⚠️ *Not saved.* {trouble} Please enter the key again.")] if trouble else []
    how = context(
        "Make the key in Domain Tracker under *Portfolio → API Keys*, one for this bot alone."
        " It is checked with one request, sealed, and never shown again."
    )
    blocks = [*warning, how, *_fields(values)]
    return form(KEY_FORM, TITLE, "Check and save", blocks, metadata=metadata)


def checking_form() -> Block:
    """Return what stands in the form's place while the service is asked."""
    return _notice("⏳ Checking the key with Domain Tracker…")


def saved_form(record: KeyRecord, domains: int) -> Block:
    """Return that the key was saved, and what it sees."""
    return _notice(
        f"✅ {code(record.shown)} works and is saved. It sees {plural(domains, 'domain')}."
        " Try `/domains`."
    )


def saved_message(record: KeyRecord, domains: int) -> Message:
    """Return the same for an admin who has closed the form."""
    text = f"{record.shown} works and is saved. It sees {plural(domains, 'domain')}."
    return Message(text, (section(f"✅ {text}"),))


def refused_form(sentence: str) -> Block:
    """Return one of our own sentences in the form's place."""
    return _notice(sentence)


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
        text += " Only admins and owners of this workspace can manage the key."
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


def _state_words(record: KeyRecord) -> str:
    if record.refused_at:
        return "refused as invalid"
    if record.lacks:
        return "works, but may not " + ", ".join(map(operation_text, record.lacks))
    return "works"


def _budget_text(budget: BudgetState | None) -> str:
    if budget is None or budget.remaining is None:
        return "not known yet"
    return f"{budget.remaining:,} in this hour, as last told"


def _fields(values: KeyFormValues) -> list[Block]:
    secret = {
        "type": "plain_text_input",
        "action_id": SECRET_FIELD,
        "placeholder": plain_text(f"{KEY_PREFIX}…", 150),
        "focus_on_load": True,
    }
    label = {
        "type": "plain_text_input",
        "action_id": LABEL_FIELD,
        "initial_value": values.label,
        "max_length": MAX_LABEL_CHARS,
    }
    expiry = {
        "type": "static_select",
        "action_id": EXPIRY_FIELD,
        "options": [option(key, shown) for key, shown in EXPIRIES.items()],
        "initial_option": option(values.expiry, EXPIRIES[values.expiry]),
    }
    day: Block = {"type": "datepicker", "action_id": EXPIRY_DAY_FIELD}
    if values.expiry_day:
        day["initial_date"] = values.expiry_day
    return [
        field(
            SECRET_BLOCK,
            "API key",
            secret,
            hint=f"{KEY_CHARS} characters, beginning with {KEY_PREFIX}",
        ),
        field(LABEL_BLOCK, "Label", label, hint="The name that the key has in Domain Tracker."),
        field(EXPIRY_BLOCK, "Expiration", expiry, hint="Counted from today."),
        field(EXPIRY_DAY_BLOCK, "Expiration date", day, hint="Only for “A date…”.", optional=True),
        field(SCOPES_BLOCK, "Scopes", _scope_boxes(values), hint="What the key was given."),
    ]


def _scope_boxes(values: KeyFormValues) -> Block:
    options = [option(scope, note=_SCOPE_NOTES.get(scope, "")) for scope in SCOPES]
    chosen = [each for each in options if each["value"] in values.scopes]
    boxes: Block = {"type": "checkboxes", "action_id": SCOPES_FIELD, "options": options}
    return boxes | {"initial_options": chosen} if chosen else boxes


def _notice(mrkdwn: str) -> Block:
    return notice(TITLE, [section(mrkdwn)])
