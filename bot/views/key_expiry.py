"""When the key ends, by what was said of it. Pure."""

from datetime import date

from bot.keys import COUNTDOWN_DAYS, KeyRecord
from bot.views.text import day_text, plural

_ALARMING_DAYS = 3


def expiry_text(expires_on: date | None, today: date) -> str:
    """Return `3 Feb 2027 (in 75 days)`, `… (expired)` or that nobody said."""
    if expires_on is None:
        return "not known"
    days = (expires_on - today).days
    if days < 0:
        return f"{day_text(expires_on)} (expired)"
    left = "today" if days == 0 else f"in {plural(days, 'day')}"
    return f"{day_text(expires_on)} ({left})"


def expiry_words(record: KeyRecord, today: date) -> str:
    """Return what is said of a key's end, behind its name: `expires tomorrow, 2 Mar 2030. …`."""
    if record.expires_on is None:
        return "has an expiration that is not known."
    day, days = day_text(record.expires_on), (record.expires_on - today).days
    after = "Without another key commands and digests stop then."
    match days:
        case 0:
            return f"expires today, {day}. {after}"
        case 1:
            return f"expires tomorrow, {day}. {after}"
        case _ if days < 0:
            return f"expired on {day}, {plural(-days, 'day')} ago, by what was entered."
    return f"expires in {plural(days, 'day')}, on {day}. {after}"


def has_expired(record: KeyRecord, today: date) -> bool:
    """Return whether a key has ended, by what was said of it."""
    return record.expires_on is not None and record.expires_on < today


def end_warning(record: KeyRecord, today: date) -> str:
    """Return a sentence of mrkdwn, with a sign, from when people are reminded; else nothing."""
    if record.expires_on is None or (days := (record.expires_on - today).days) > COUNTDOWN_DAYS[0]:
        return ""
    if days < 0:
        return (
            f"⚠️ It {expiry_words(record, today)} `Check key` asks Domain Tracker whether it is"
            " still taken."
        )
    sign = "⚠️" if days <= _ALARMING_DAYS else "📅"
    return f"{sign} It {expiry_words(record, today)} `Rotate key` leads through it."
