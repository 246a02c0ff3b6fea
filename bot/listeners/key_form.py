"""What an admin filled into the key's form, read and checked. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from bot.keys import SCOPES, KeyDraft, KeyFormError, checked_secret
from bot.listeners.acks import FormErrors
from bot.redaction import holds_secret
from bot.views.key_form import (
    EXPIRY_BLOCK,
    EXPIRY_DAY_BLOCK,
    EXPIRY_DAY_FIELD,
    EXPIRY_FIELD,
    LABEL_BLOCK,
    LABEL_FIELD,
    SCOPES_BLOCK,
    SCOPES_FIELD,
    SECRET_BLOCK,
    SECRET_FIELD,
    KeyFormValues,
)
from bot.views.key_label import PROPOSED_LABEL


@dataclass(frozen=True, slots=True)
class GivenKey:
    """A key whose form is right, and everything else as it was filled in."""

    secret: str = field(repr=False)
    values: KeyFormValues

    def draft(self, today: date) -> KeyDraft:
        """Return the key with its expiration counted from `today`."""
        expiry, day = self.values.expiry, self.values.expiry_day
        expires_on = date.fromisoformat(day) if expiry == "date" and day else None
        if expiry.isdecimal():
            expires_on = today + timedelta(days=int(expiry))
        return KeyDraft(
            secret=self.secret,
            label=self.values.label,
            expires_on=expires_on,
            scopes=tuple(scope for scope in SCOPES if scope in self.values.scopes),
        )


def read_key_form(values: Mapping[str, Any]) -> GivenKey:
    """Return what was filled in; raise FormErrors where it cannot be taken.

    No sentence repeats anything that was typed.
    """
    typed = values[SECRET_BLOCK][SECRET_FIELD].get("value") or ""
    label = (values[LABEL_BLOCK][LABEL_FIELD].get("value") or "").strip() or PROPOSED_LABEL
    expiry = values[EXPIRY_BLOCK][EXPIRY_FIELD]["selected_option"]["value"]
    day = values[EXPIRY_DAY_BLOCK][EXPIRY_DAY_FIELD].get("selected_date")
    chosen = values[SCOPES_BLOCK][SCOPES_FIELD].get("selected_options") or []
    errors: dict[str, str] = {}
    try:
        secret = checked_secret(typed)
    except KeyFormError:
        secret = ""
        errors[SECRET_BLOCK] = "A key has 52 characters and begins with service_sk_."
    if holds_secret(label):
        errors[LABEL_BLOCK] = "This is the key's name, never the key itself."
    if expiry == "date" and not day:
        errors[EXPIRY_DAY_BLOCK] = "Please pick the date."
    if errors:
        raise FormErrors(errors)
    scopes = tuple(option["value"] for option in chosen)
    return GivenKey(
        secret, KeyFormValues(label=label, expiry=expiry, expiry_day=day, scopes=scopes)
    )
