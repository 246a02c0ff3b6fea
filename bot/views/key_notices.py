"""The direct messages to whoever set the workspace's key, and to its managers. Pure."""

from datetime import date

from bot.keys import KeyNotice, KeyRecord, NoticeKind
from bot.message import Message
from bot.views.blocks import actions, button, section
from bot.views.key import ROTATE_KEY, SET_KEY
from bot.views.key_expiry import expiry_words
from bot.views.key_trouble import refusal_notice
from bot.views.text import code, escaped, plural

_STEPS = (
    "1. make a new key with the same scopes in Domain Tracker, under *Portfolio → API Keys*"
    "\n2. press `Replace key` and enter it: it is checked, and used at once"
    "\n3. see there that `last used` of the old key stands still"
    "\n4. delete the old key there"
    "\n`Rotate key` leads through these steps."
)


def key_notice(notice: KeyNotice, record: KeyRecord, today: date) -> Message:
    """Return what is said; `today` may be later than the day on which it was due."""
    match notice.kind:
        case NoticeKind.REFUSED:
            return refusal_notice(record)
        case NoticeKind.EXPIRY:
            return _with_steps(record, expiry_words(record, today), "📅")
        case NoticeKind.ROTATION:
            age = plural((today - record.set_at.date()).days, "day")
            return _with_steps(
                record,
                f"was set {age} ago. Domain Tracker advises to replace keys every 90 days.",
                "🔄",
            )


def _with_steps(record: KeyRecord, words: str, symbol: str) -> Message:
    replace = button("Replace key", SET_KEY, style="primary")
    return Message(
        f"The Domain Tracker API key {record.shown} ({escaped(record.label, 100)}) {words}",
        (
            section(
                f"{symbol} *The Domain Tracker API key* {code(record.shown)}"
                f" ({code(record.label, 100)}) *{words}*"
            ),
            section(_STEPS),
            *actions(replace, button("Rotate key", ROTATE_KEY)),
        ),
    )
