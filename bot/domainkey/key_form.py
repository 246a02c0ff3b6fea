"""Read the form that sets the API key. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from bot.dispatch.request import FormErrors
from bot.domainkey import form_views as forms
from bot.keys.key_record import SCOPES, KeyDraft, checked_secret
from bot.keys.views import PROPOSED_LABEL
from bot.process.redaction import holds_secret


@dataclass(frozen=True, slots=True)
class GivenKey:
    """A valid key, and the other values of the form."""

    secret: str = field(repr=False)
    values: forms.KeyFormValues

    def draft(self, today: date) -> KeyDraft:
        """Return the key; its expiration is counted from `today`."""
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
    """Return the values of the form; raise FormErrors, which never repeat the typed text."""
    typed = values[forms.SECRET_BLOCK][forms.SECRET_FIELD].get("value") or ""
    label = (values[forms.LABEL_BLOCK][forms.LABEL_FIELD].get("value") or "").strip()
    expiry = values[forms.EXPIRY_BLOCK][forms.EXPIRY_FIELD]["selected_option"]["value"]
    day = values[forms.EXPIRY_DAY_BLOCK][forms.EXPIRY_DAY_FIELD].get("selected_date")
    chosen = values[forms.SCOPES_BLOCK][forms.SCOPES_FIELD].get("selected_options") or []
    label = label or PROPOSED_LABEL
    errors: dict[str, str] = {}
    try:
        secret = checked_secret(typed)
    except ValueError:
        secret = ""
        errors[forms.SECRET_BLOCK] = "A key has 52 characters and begins with service_sk_."
    if holds_secret(label):
        errors[forms.LABEL_BLOCK] = "This is the key's name, never the key itself."
    if expiry == "date" and not day:
        errors[forms.EXPIRY_DAY_BLOCK] = "Please pick the date."
    if errors:
        raise FormErrors(errors)
    scopes = tuple(option["value"] for option in chosen)
    return GivenKey(
        secret, forms.KeyFormValues(label=label, expiry=expiry, expiry_day=day, scopes=scopes)
    )
