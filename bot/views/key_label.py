"""What tells a workspace's keys apart: their labels and last four characters. Pure."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import count

from bot.keys import KeyRecord, KeySlots
from bot.views.text import code, day_text

MAX_LABEL_CHARS = 100
PROPOSED_LABEL = "Domain Tracker for Slack"
# What `proposed_label` put behind a label before.
_DATED = re.compile(r", (?:\d{1,2} )?[A-Z][a-z]{2} \d{4}(?: \(\d+\))?$")


def label_text(record: KeyRecord) -> str:
    """Return finished mrkdwn that tells a key from others of the same label."""
    return f"{code(record.label, MAX_LABEL_CHARS)} ({code(f'…{record.last4}')})"


def proposed_label(slots: KeySlots, today: date) -> str:
    """Return a label for the next key, which neither of the two keys has.

    It is that of the key in use with the month: `Domain Tracker for Slack, Nov 2026`.
    """
    keys = [slots.record, *([slots.earlier.record] if slots.earlier else [])]
    taken = {key.label for key in keys}
    base = _DATED.sub("", slots.record.label) or PROPOSED_LABEL
    labels = (base[: MAX_LABEL_CHARS - len(each)].rstrip() + each for each in _suffixes(today))
    return next(label for label in labels if label not in taken)


def _suffixes(today: date) -> Iterator[str]:
    yield f", {today:%b %Y}"
    yield f", {day_text(today)}"
    yield from (f", {day_text(today)} ({number})" for number in count(2))
