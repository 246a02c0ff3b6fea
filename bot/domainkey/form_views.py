"""Draw and read the forms that set and rotate the API key. Pure; no form holds a key.

The steps are those of the service document, section 5.3, rule 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from bot.blocks import builders as blocks
from bot.blocks.message import Block, Message
from bot.blocks.text import MAX_VIEW_TITLE_CHARS, code, day_text, moment_text
from bot.dispatch.incoming import field_in
from bot.dispatch.request import FormErrors
from bot.domainkey.views import works_text
from bot.keys.key_record import (
    KEY_CHARS,
    KEY_PREFIX,
    SCOPES,
    EarlierKey,
    KeyDraft,
    KeyPair,
    KeyRecord,
    is_key,
)
from bot.keys.views import MAX_LABEL_CHARS, PROPOSED_LABEL, label_text
from bot.process.redaction import holds_secret

KEY_FORM = "key"
# Each is the id of a field and of its block.
SECRET, LABEL, EXPIRY, DAY = "key.secret", "key.label", "key.expiry", "key.expiry_day"
SCOPES_FIELD = "key.scopes"
TITLE = "Domain Tracker API key"
key_paragraph = partial(blocks.paragraph_notice, TITLE)
CHECKING = "⏳ Checking the key with Domain Tracker…"
# Service document, section 2.1: 30, 90 or 365 days, or a date.
EXPIRIES = {
    "30": "30 days",
    "90": "90 days",
    "365": "365 days",
    "date": "A date…",
    "unknown": "None or unknown",
}
_SCOPE_NOTES = {
    "read_domains": "needed to list and find domains",
    "write_domains": "needed to add domains",
    "admin": "more than this app needs; avoid it",
}
NEXT_STEP, UNUSED, DELETED_IT = "key.next", "key.still", "key.deleted"
USE_KEY = "key.use"
_PLACE = "In Domain Tracker, under *Portfolio → API Keys*,"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFormValues:
    """The initial values of the form, without the key itself."""

    label: str = PROPOSED_LABEL
    expiry: str = "90"
    expiry_day: str | None = None
    scopes: Sequence[str] = ("read_domains", "write_domains")


def proposed(in_use: KeyRecord, now: datetime) -> KeyFormValues:
    # With the day, or the minute: of two keys of one name the wrong one could be deleted.
    label = f"{PROPOSED_LABEL}, {day_text(now.date())}"
    if label == in_use.label:
        label = f"{PROPOSED_LABEL}, {moment_text(now)}"
    return KeyFormValues(label=label, scopes=in_use.scopes)


def key_form(
    metadata: str, values: KeyFormValues, error: str | None = None, in_use: KeyPair | None = None
) -> Block:
    """Return the form to set or replace a key; `error` is why the last try was not saved."""
    head = _replacing(in_use, values.label) if in_use else []
    warning = [blocks.section(f"⚠️ *Not saved.* {error} Enter the key again.")] if error else []
    how = blocks.context(
        "Make a key for this app alone in Domain Tracker, under *Portfolio → API Keys*."
        " It is checked with one request, encrypted, and never shown again."
    )
    drawn = [*head, *warning, how, *_fields(values)]
    return blocks.form(KEY_FORM, TITLE, "Check and save", drawn, metadata=metadata)


def _fields(values: KeyFormValues) -> list[Block]:
    secret = blocks.input_element("plain_text_input", SECRET, f"{KEY_PREFIX}…", focus_on_load=True)
    secret_hint = f"{KEY_CHARS} characters, beginning with {KEY_PREFIX}"
    label = blocks.input_element(
        "plain_text_input", LABEL, initial_value=values.label, max_length=MAX_LABEL_CHARS
    )
    expiry = blocks.input_element(
        "static_select",
        EXPIRY,
        options=[blocks.option(key, text) for key, text in EXPIRIES.items()],
        initial_option=blocks.option(values.expiry, EXPIRIES[values.expiry]),
    )
    day = blocks.input_element("datepicker", DAY, initial_date=values.expiry_day or None)
    return [
        blocks.field(SECRET, "API key", secret, hint=secret_hint),
        blocks.field(LABEL, "Label", label, hint="Its name in Domain Tracker."),
        blocks.field(EXPIRY, "Expiration", expiry, hint="Counted from today."),
        blocks.field(DAY, "Expiration date", day, hint="If you chose “A date…”.", optional=True),
        blocks.field(
            SCOPES_FIELD, "Scopes", _scope_boxes(values), hint="Tick the scopes this key has."
        ),
    ]


def _scope_boxes(values: KeyFormValues) -> Block:
    options = [blocks.option(scope, note=_SCOPE_NOTES.get(scope, "")) for scope in SCOPES]
    chosen = [each for each in options if each["value"] in values.scopes]
    return blocks.input_element(
        "checkboxes", SCOPES_FIELD, options=options, initial_options=chosen or None
    )


def _replacing(in_use: KeyPair, label: str) -> list[Block]:
    """Return step 1. If an earlier key is kept, a replacement stopped after it may continue."""
    record, earlier = in_use.record, in_use.earlier
    scopes = ", ".join(code(scope, 40) for scope in record.scopes) or (
        "those of the current key (not recorded)"
    )
    steps = (
        f"*Step 1 of 3: enter a new key*\n{_PLACE} make one:"
        f"\n• *name*: such as {code(label)}; the current key is {label_text(record)}"
        f"\n• *scopes*: the same, {scopes}\n• *expiration*: such as 90 days"
        "\n• *IP restrictions*: the same, if the current key has any"
        "\nThe current key stays in use until the new one works, and is kept for 7 days."
    )
    if not earlier:
        return [blocks.section(steps)]
    left = f"The old key {label_text(earlier.record)} is still kept. A new key takes its place."
    go_on = blocks.actions(blocks.button("Continue with step 2", NEXT_STEP, earlier.record.mark))
    return [blocks.section(steps), blocks.section(left), *go_on]


def use_key_question(text: str, metadata: str) -> tuple[Block, Message]:
    """Return the question about a key of another portfolio, as a form and as a message."""
    use = blocks.button("Use this key", USE_KEY, style="primary")
    form = blocks.notice(TITLE, [blocks.section(text), *blocks.actions(use)], metadata=metadata)
    form["close"] = blocks.plain_text("Cancel", MAX_VIEW_TITLE_CHARS)
    return form, blocks.plain_message(text, use, blocks.button("Cancel", blocks.CANCEL))


def second_step(
    record: KeyRecord, earlier: EarlierKey, domains: int | None, metadata: str
) -> Block:
    """Return step 2; `domains` counts those that the new key sees, if that is known."""
    old, state = label_text(earlier.record), f"✅ {code(record.shown)} is in use."
    if domains is not None:
        state = works_text(record, domains)
    steps = (
        f"{state}\n{_PLACE} check *last used* of {old}, and again a few minutes later. If it"
        " changes, something else uses that key. Give that its own key first."
    )
    unused = blocks.button("No longer used", UNUSED, earlier.record.mark)
    return _step(2, "confirm the old key is unused", steps, metadata, unused)


def third_step(earlier: EarlierKey, metadata: str) -> Block:
    old = label_text(earlier.record)
    steps = f"{_PLACE} delete {old}. I delete it too, so you can no longer roll back to it."
    done = blocks.button("Done", DELETED_IT, earlier.record.mark)
    return _step(3, "delete the old key", steps, metadata, done)


def finished(record: KeyRecord) -> Block:
    return key_paragraph(f"✅ *Done.* {code(record.shown)} is the only key now.")


def _step(number: int, title: str, steps: str, metadata: str, go_on: Block | None) -> Block:
    drawn = [blocks.section(f"*Step {number} of 3: {title}*\n{steps}"), *blocks.actions(go_on)]
    if number == 2:
        back = "You can close this and return with `Replace key`. The old key is kept for 7 days."
        drawn.append(blocks.context(back))
    return blocks.notice(TITLE, drawn, metadata=metadata)


def read_key_form(values: Mapping[str, Any]) -> tuple[str, KeyFormValues]:
    """Return the key and the other values; raise FormErrors, which never repeat the typed text."""
    secret, label = field_in(values, SECRET).text.strip(), field_in(values, LABEL).text.strip()
    expiry = field_in(values, EXPIRY).value
    day = field_in(values, DAY).state.get("selected_date")
    errors: dict[str, str] = {}
    if not is_key(secret):
        errors[SECRET] = "A key has 52 characters and begins with service_sk_."
    if holds_secret(label):
        errors[LABEL] = "This is the key's name, never the key itself."
    if expiry == "date" and not day:
        errors[DAY] = "Please pick the date."
    if errors:
        raise FormErrors(errors)
    scopes = field_in(values, SCOPES_FIELD).options
    label = label or PROPOSED_LABEL
    return secret, KeyFormValues(label=label, expiry=expiry, expiry_day=day, scopes=scopes)


def draft_of(secret: str, values: KeyFormValues, today: date) -> KeyDraft:
    """Return the entered key; its expiration is counted from `today`."""
    expires_on = None
    if values.expiry == "date" and values.expiry_day:
        expires_on = date.fromisoformat(values.expiry_day)
    elif values.expiry.isdecimal():
        expires_on = today + timedelta(days=int(values.expiry))
    scopes = tuple(scope for scope in SCOPES if scope in values.scopes)
    return KeyDraft(secret=secret, label=values.label, expires_on=expires_on, scopes=scopes)
