"""Draw the forms that set and rotate the API key. Pure; never a key.

The steps are those of the service document, section 5.3, rule 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from bot.blocks.builders import (
    actions,
    button,
    context,
    field,
    form,
    input_element,
    notice,
    option,
    paragraph_notice,
    section,
)
from bot.blocks.message import Block
from bot.blocks.text import code, plural
from bot.domainkey.views import earlier_line
from bot.keys.key_pair import KeyPair, PreviousKey
from bot.keys.key_record import KEY_CHARS, KEY_PREFIX, SCOPES, KeyRecord
from bot.keys.views import MAX_LABEL_CHARS, PROPOSED_LABEL, label_text

KEY_FORM = "key"
SECRET_BLOCK, LABEL_BLOCK = "secret", "label"
EXPIRY_BLOCK, EXPIRY_DAY_BLOCK, SCOPES_BLOCK = "expiry", "expiry_day", "scopes"
SECRET_FIELD, LABEL_FIELD = "key.secret", "key.label"
EXPIRY_FIELD, EXPIRY_DAY_FIELD, SCOPES_FIELD = "key.expiry", "key.expiry_day", "key.scopes"
TITLE = "Domain Tracker API key"
refused_form = partial(paragraph_notice, TITLE)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFormValues:
    """The initial values of the form, without the key itself."""

    label: str = PROPOSED_LABEL
    expiry: str = "90"
    expiry_day: str | None = None
    scopes: Sequence[str] = ("read_domains", "write_domains")


def key_form(
    metadata: str,
    values: KeyFormValues,
    error: str | None = None,
    in_use: KeyPair | None = None,
) -> Block:
    """Return the form to set or replace a key; `error` is why the last try was not saved."""
    head = [section(_replacing_text(in_use))] if in_use else []
    blocks = [*head, *_new_key_blocks(values, error)]
    return form(KEY_FORM, TITLE, "Check and save", blocks, metadata=metadata)


def _new_key_blocks(values: KeyFormValues, error: str | None) -> list[Block]:
    warning = [section(f"⚠️ *Not saved.* {error} Enter the key again.")] if error else []
    how = context(
        "Make a key for this app alone in Domain Tracker, under *Portfolio → API Keys*."
        " It is checked with one request, encrypted, and never shown again."
    )
    return [*warning, how, *_fields(values)]


def saved_form(record: KeyRecord, domains: int, earlier: PreviousKey | None = None) -> Block:
    """Return the confirmation of a saved key."""
    back = f"\n{earlier_line(earlier)}" if earlier else ""
    return refused_form(
        f"✅ {code(record.shown)} works and is saved. It sees {plural(domains, 'domain')}."
        f" Try `/domains`.{back}"
    )


def _replacing_text(in_use: KeyPair) -> str:
    text = (
        f"Current key: {label_text(in_use.record)}. The new key replaces it once it works."
        " The current key is then kept for 7 days, so you can roll back."
    )
    if in_use.earlier:
        text += f" The previous key, {label_text(in_use.earlier.record)}, is then removed."
    return text


def _fields(values: KeyFormValues) -> list[Block]:
    secret = input_element("plain_text_input", SECRET_FIELD, f"{KEY_PREFIX}…", focus_on_load=True)
    secret_hint = f"{KEY_CHARS} characters, beginning with {KEY_PREFIX}"
    label = input_element(
        "plain_text_input", LABEL_FIELD, initial_value=values.label, max_length=MAX_LABEL_CHARS
    )
    expiry = input_element(
        "static_select",
        EXPIRY_FIELD,
        options=[option(key, text) for key, text in EXPIRIES.items()],
        initial_option=option(values.expiry, EXPIRIES[values.expiry]),
    )
    day = input_element("datepicker", EXPIRY_DAY_FIELD, initial_date=values.expiry_day or None)
    return [
        field(SECRET_BLOCK, "API key", secret, hint=secret_hint),
        field(LABEL_BLOCK, "Label", label, hint="Its name in Domain Tracker."),
        field(EXPIRY_BLOCK, "Expiration", expiry, hint="Counted from today."),
        field(
            EXPIRY_DAY_BLOCK, "Expiration date", day, hint="If you chose “A date…”.", optional=True
        ),
        field(SCOPES_BLOCK, "Scopes", _scope_boxes(values), hint="Tick the scopes this key has."),
    ]


def _scope_boxes(values: KeyFormValues) -> Block:
    options = [option(scope, note=_SCOPE_NOTES.get(scope, "")) for scope in SCOPES]
    chosen = [each for each in options if each["value"] in values.scopes]
    return input_element(
        "checkboxes", SCOPES_FIELD, options=options, initial_options=chosen or None
    )


ROTATION_FORM = "key-rotation"
ROTATION_TITLE = "Rotate the API key"
interrupted = partial(paragraph_notice, ROTATION_TITLE)
MADE_IT, STANDS_STILL, DELETED_IT = "key.made", "key.still", "key.deleted"
GO_ON = "key.go-on"
SWAP = "Check and swap"
_PLACE = "In Domain Tracker, under *Portfolio → API Keys*,"


def first_step(pair: KeyPair, label: str, metadata: str) -> Block:
    """Return step 1: make a new key, with the proposed `label`.

    If an earlier key is kept, a rotation may have stopped after step 2, and can continue.
    """
    record, earlier = pair.record, pair.earlier
    scopes = ", ".join(code(scope, 40) for scope in record.scopes) or (
        "those of the current key (not recorded)"
    )
    steps = (
        f"{_PLACE} make a new key:\n• *name*: such as {code(label)}; the current key is"
        f" {label_text(record)}"
        f"\n• *scopes*: the same, {scopes}\n• *expiration*: such as 90 days"
        "\n• *IP restrictions*: the same, if the current key has any"
        "\nThe key is shown once. Keep that page open."
    )
    first = _step(1, "make a new key", steps, metadata, button("Enter new key", MADE_IT))
    if earlier:
        left = f"The old key {label_text(earlier.record)} is still kept. Delete it in step 4."
        go_on = actions(button("Continue with step 3", GO_ON, earlier.record.mark))
        first["blocks"] += [section(left), *go_on]
    return first


def second_step(
    metadata: str,
    values: KeyFormValues,
    error: str | None = None,
    in_use: KeyPair | None = None,
) -> Block:
    """Return step 2: enter the new key; the arguments are those of `key_form`."""
    named = f", {label_text(in_use.record)}," if in_use else ""
    text = (
        f"The current key{named} stays in use until the new one works."
        " You can then roll back for 7 days."
    )
    head = section(f"*Step 2 of 4: enter the new key*\n{text}")
    blocks = [head, *_new_key_blocks(values, error)]
    return form(ROTATION_FORM, ROTATION_TITLE, SWAP, blocks, metadata=metadata)


def third_step(
    record: KeyRecord, earlier: PreviousKey, domains: int | None, metadata: str
) -> Block:
    """Return step 3: confirm that the old key is not used any more.

    `domains` counts those that the new key sees, `None` if that is not known.
    """
    old = label_text(earlier.record)
    seen = "" if domains is None else f" and sees {plural(domains, 'domain')}"
    steps = (
        f"✅ {code(record.shown)} is in use{seen}.\n"
        f"{_PLACE} check *last used* of {old}, and again a few minutes later. If it changes,"
        " something else uses that key. Give that its own key first."
    )
    still = button("No longer used", STANDS_STILL, earlier.record.mark)
    return _step(3, "confirm the old key is unused", steps, metadata, still)


def fourth_step(earlier: PreviousKey, metadata: str) -> Block:
    """Return step 4: delete the old key."""
    old = label_text(earlier.record)
    steps = f"{_PLACE} delete {old}. I delete it too, so you can no longer roll back to it."
    done = button("Done", DELETED_IT, earlier.record.mark)
    return _step(4, "delete the old key", steps, metadata, done)


def finished(record: KeyRecord) -> Block:
    return interrupted(f"✅ *Done.* {code(record.shown)} is the only key now.")


def _step(number: int, title: str, steps: str, metadata: str, go_on: Block | None) -> Block:
    blocks = [section(f"*Step {number} of 4: {title}*\n{steps}"), *actions(go_on)]
    if number == 3:
        back = "You can close this and return with `Rotate key`. The old key is kept for 7 days."
        blocks.append(context(back))
    return notice(ROTATION_TITLE, blocks, metadata=metadata)
