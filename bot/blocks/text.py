"""Clip, escape and format outside text for Slack.

The only module that clips and escapes. The order is always: redact, clip, escape, format.
Limits: https://docs.slack.dev/reference/block-kit/blocks and its pages per block.
"""

import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime

from bot.process.redaction import INVISIBLE, redact
from bot.tracker.health import Band
from bot.tracker.hostnames import MAX_NAME_CHARS, unicode_name

MAX_SECTION_CHARS = 3000
MAX_FIELDS = 10
MAX_HEADER_CHARS = 150
MAX_CONTAINER_TITLE_CHARS = 150
MAX_ACTION_ID_CHARS = 255
MAX_BUTTON_CHARS = 75
MAX_BUTTON_VALUE_CHARS = 2000
MAX_ACCESSIBLE_CHARS = 75
MAX_OPTION_CHARS = 75
MAX_OPTION_VALUE_CHARS = 150
MAX_VIEW_TITLE_CHARS = 24
# The documentation says 200 rows and 20,000 characters; older clients take half of both. Slack
# also refuses messages of more than about 13,200 characters in all blocks, once 11,341, which is
# not documented: https://github.com/slackapi/bolt-js/issues/2509 and 2867.
MAX_TABLE_ROWS = 100
# The service's page of keys.
KEYS_PAGE = "*Portfolio → API Keys*"
SYMBOLS = {Band.GOOD: "🟢", Band.FAIR: "🟡", Band.POOR: "🔴", Band.UNKNOWN: "⚪"}


def outside(text: str, limit: int) -> str:
    """Return text from outside on one line, without secrets or control characters, clipped.

    It is safe in plain text and rich text; for markup use `escaped`, `literal`, `bold` or `code`.
    """
    # Invisible characters can reverse the reading order of a message. They are removed first: one
    # in the middle of a key would hide it from the redaction.
    if not text.isprintable():
        text = INVISIBLE.sub("", text.replace("\n", " ").replace("\t", " "))
    return clip(redact(text).strip(), limit)


def clip(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, ending in an ellipsis if it was cut."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def escaped(text: str, limit: int = 200) -> str:
    """Return text from outside, escaped so that it mentions no one.

    Asterisks and backticks still format: inside blocks use `literal` or `bold`.
    """
    return escape(outside(text, limit))


def code(text: str, limit: int = 200) -> str:
    """Return text from outside as mrkdwn code, without formatting or links."""
    # A backtick cannot be escaped: https://docs.slack.dev/messaging/formatting-message-text
    shown = escape(outside(text, limit).replace("`", "ˋ"))
    return f"`{shown}`" if shown else "(nothing)"


# What mrkdwn would format: *, ~ and `, _ at the edge of a word, emoji, and > in front.
_MARKUP = re.compile(r"[*~`]|^>|_(?!\w)|(?<!\w)_|:\S+:")


def literal(text: str, limit: int = 200) -> str:
    """Return text from outside as mrkdwn without style; as code if Slack would format it."""
    shown = outside(text, limit)
    return code(shown, limit) if _MARKUP.search(shown) else escape(shown) or "(nothing)"


def bold(text: str, limit: int = 200) -> str:
    """Return text from outside as bold mrkdwn; as code if Slack would format it."""
    shown = literal(text, limit)
    return shown if shown.startswith("`") else f"*{shown}*"


def without_markup(mrkdwn: str) -> str:
    """Return mrkdwn as plain text: no marks, the fallback of each date, the words of links."""
    text = re.sub(r"<[^<|>]*\|([^<>]*)>", r"\1", mrkdwn).replace("`", "").replace("*", "")
    return redact(text)  # a mark may have been in the middle of a key


def lines_within(lines: Iterable[str], max_chars: int) -> list[str]:
    """Return the first lines that together have at most `max_chars` characters."""
    kept: list[str] = []
    chars = 0
    for line in lines:
        chars += len(line) + 1
        if chars > max_chars:
            break
        kept.append(line)
    return kept


def escape(text: str) -> str:
    """Return text in which nothing is markup that mentions or links; see `escaped`."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return `1 domain`, `2 domains`, `10,000 domains`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def score_number(score: float) -> str:
    """Return a score with one decimal at most, rounded down to stay in its band."""
    return f"{math.floor(score * 10) / 10:g}"


def average_text(average: float | None, of: str = "average") -> str:
    """Return `average 69`, or `no score yet` where no domain has one."""
    return Band.UNKNOWN.value if average is None else f"{of} {score_number(average)}"


def host_text(host: str) -> str:
    """Return a host name in its own script, followed by its ASCII form."""
    name = outside(host, MAX_NAME_CHARS)
    own = unicode_name(name)
    return name if own == name else f"{outside(own, 120)} ({name})"


def day_text(day: date) -> str:
    """Return `3 Feb 2027`."""
    return f"{day.day} {day:%b %Y}"


def moment_text(moment: datetime) -> str:
    """Return `3 Feb 2027, 14:05 UTC`."""
    moment = moment.astimezone(UTC)
    return f"{day_text(moment.date())}, {moment:%H:%M} UTC"


def moment_token(moment: datetime) -> str:
    """Return mrkdwn that shows a moment in the reader's time zone.

    https://docs.slack.dev/messaging/formatting-message-text#date-formatting
    """
    seconds = int(moment.timestamp())
    return f"<!date^{seconds}^{{date_short_pretty}} at {{time}}|{moment_text(moment)}>"


def day_token(day: date) -> str:
    """Return mrkdwn that shows a day as `moment_token` shows moments.

    Slack has tokens for moments only: 10:00 UTC is on that day from UTC-10 to UTC+13.
    """
    moment = datetime(day.year, day.month, day.day, 10, tzinfo=UTC)
    return f"<!date^{int(moment.timestamp())}^{{date_short}}|{day_text(day)}>"


def duration_text(seconds: float) -> str:
    """Return `3 minutes` or the like, rounded up: see `minutes_text`."""
    minutes = max(1, math.ceil(seconds / 60))
    unit = 1_440 if minutes >= 2_880 else 60 if minutes >= 120 else 1
    return minutes_text(math.ceil(minutes / unit) * unit)


def minutes_text(minutes: int) -> str:
    """Return `40 minutes`, `3 hours` or `2 days`."""
    if minutes >= 2_880:
        return plural(minutes // 1_440, "day")
    if minutes >= 120 or minutes == 60:
        return plural(minutes // 60, "hour")
    return plural(minutes, "minute")


def age_text(seconds: float) -> str:
    """Return `2 hours ago`: whole minutes, hours or days, and before those `just now`."""
    for size_s, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size_s:
            return f"{plural(int(seconds // size_s), unit)} ago"
    return "just now"
