"""Word the label, the end and the requests left of an API key, for every room. Pure."""

from datetime import date, datetime, timedelta

from bot.blocks.text import code, day_token, moment_token, plural
from bot.keys.key_record import KeyRecord
from bot.tracker.rate_limit import Allowance

MAX_LABEL_CHARS = 100
PROPOSED_LABEL = "Domain Tracker for Slack"
SET_KEY, CHECK_KEY = "key.set", "key.check"


def expiry_words(record: KeyRecord, today: date) -> str:
    """Return the predicate of a sentence on a key's end: `expires tomorrow, 2 Mar 2030. …`."""
    if record.expires_on is None:
        return "has no known expiration date."
    day, days = day_token(record.expires_on), (record.expires_on - today).days
    after = "Commands and digests stop then without a new key."
    if days < 0:
        return f"expired on {day}, {plural(-days, 'day')} ago (date entered at setup)."
    when = {0: "today,", 1: "tomorrow,"}.get(days, f"in {plural(days, 'day')}, on")
    return f"expires {when} {day}. {after}"


def label_text(record: KeyRecord) -> str:
    return f"{code(record.label, MAX_LABEL_CHARS)} ({code(f'…{record.last4}')})"


def left_text(allowance: Allowance | None, now: datetime) -> str:
    """Return mrkdwn: `1,234 requests left this hour, as of 3 Feb 2027, 14:05 UTC.`."""
    if allowance is None or allowance.remaining is None:
        return "Requests left this hour: not known yet."
    as_of = now - timedelta(seconds=allowance.age_s or 0)
    return f"{plural(allowance.remaining, 'request')} left this hour, as of {moment_token(as_of)}."
