"""Slack's text objects, its own markup, its dates and its emoji as HTML. Pure.

Whatever comes in, the only tags that come out are written here, and every character from outside
is escaped on its way: https://docs.slack.dev/messaging/formatting-message-text
"""

import html
import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.playground.page.drawing.context import Json
from bot.playground.page.session import SlackNames

# The emoji that people and apps write by name most often; Slack knows some two thousand. A name
# that is missing is shown as it was written.
_EMOJI: dict[str, str] = json.loads(Path(__file__).with_name("emoji.json").read_text("utf-8"))
_NAMED = re.compile(r":([a-z0-9_+-]+):(?::skin-tone-[2-6]:)?")


def with_emoji(text: str) -> str:
    """Return text in which every name between colons that is known is its character."""
    return _NAMED.sub(lambda named: _EMOJI.get(named[1], named[0]), text)


# What an address can carry without running anything in the page.
_FOLLOWED = re.compile(r"(?:https?|mailto|tel|slack):[^\s]+", re.IGNORECASE)


def link_html(url: str, label_html: str) -> str:
    """Return a link, or only its label where the address must not be followed."""
    if not is_followed(url):
        return label_html
    return (
        f'<a class="bk-link" href="{html.escape(url)}" target="_blank"'
        f' rel="noopener noreferrer">{label_html}</a>'
    )


def is_followed(url: str) -> bool:
    """Tell whether a link may lead there."""
    return bool(_FOLLOWED.fullmatch(url))


def leads_inside(url: str) -> bool:
    """Tell whether Slack's client opens a link by itself, with no browser.

    https://docs.slack.dev/interactivity/deep-linking
    """
    return url.lower().startswith("slack:")


_TOKEN = re.compile(r"\{(\w+)\}")
_NEAR_DAYS = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_YEAR_IS_KNOWN = timedelta(days=182)


def date_text(timestamp: int, pattern: str, *, zone: ZoneInfo, now: datetime) -> str:
    """Return `pattern` with the tokens that the bot sends filled in; others stay.

    Raises: OverflowError, ValueError, OSError: the timestamp is no moment that can be shown.
    """
    moment, now = datetime.fromtimestamp(timestamp, zone), now.astimezone(zone)
    # Slack leaves the year out of a date that is less than six months away.
    year = "" if abs(moment - now) < _YEAR_IS_KNOWN else f", {moment.year}"
    day = f"{moment:%b} {moment.day}{year}"
    near = _NEAR_DAYS.get((moment.date() - now.date()).days)
    time = f"{moment.hour % 12 or 12}:{moment:%M %p}"
    known = {"date_short_pretty": near or day, "date_short": day, "time": time}
    text = _TOKEN.sub(lambda token: known.get(token[1], token[0]), pattern)
    # Slack begins a date with a capital: "Today at 6:39 AM".
    return text[:1].upper() + text[1:]


# What is taken out before formatting, so that nothing inside it is formatted.
_ATOM = re.compile(
    r"`(?P<code>[^`\n]+)`|<(?P<markup>[^<>\n]+)>"
    r"|(?P<emoji>:[a-z0-9_+-]+:(?::skin-tone-[2-6]:)?)"
)
# Stand in for an atom; they are taken out of whatever comes from outside.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_DATE = re.compile(r"date\^(?P<timestamp>-?\d{1,12})\^(?P<pattern>[^^]*)")


def _between(mark: str) -> re.Pattern[str]:
    """Slack wants a mark at the edge of a word on its outer side, and none within."""
    m = re.escape(mark)
    return re.compile(rf"(?<![\w{m}]){m}(?=[^\s{m}])([^{m}\n]*[^\s{m}]){m}(?![\w{m}])")


_FORMATS = ((_between("*"), "b"), (_between("_"), "i"), (_between("~"), "s"))


def mrkdwn_html(text: str, *, names: SlackNames) -> str:
    """Return mrkdwn as safe HTML. Addresses are links only where they are marked as such."""
    return _Reader(names).read(text.replace(_OPEN, "").replace(_CLOSE, "")) if text else ""


def unescaped(text: str) -> str:
    """Return text with the three entities that Slack decodes, and no other, decoded."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@dataclass(frozen=True, slots=True)
class _Reader:
    names: SlackNames

    def read(self, text: str) -> str:
        atoms: list[str] = []

        def keep(shown: str) -> str:
            atoms.append(shown)
            return f"{_OPEN}{len(atoms) - 1}{_CLOSE}"

        text = _ATOM.sub(lambda atom: keep(self._atom(atom)), text)
        text = html.escape(unescaped(text))
        for marked, tag in _FORMATS:
            text = marked.sub(rf"<{tag}>\1</{tag}>", text)
        return f"<div>{_PLACE.sub(lambda place: atoms[int(place[1])], text)}</div>"

    def _atom(self, atom: re.Match[str]) -> str:
        if atom["code"] is not None:
            return f'<code class="bk-code">{html.escape(unescaped(atom["code"]))}</code>'
        if atom["emoji"] is not None:
            return with_emoji(atom["emoji"])
        return self._markup(atom["markup"])

    def _markup(self, markup: str) -> str:
        target, _, label = markup.partition("|")
        words = unescaped(label)
        match markup[0]:
            case "@":
                name = self.names.user(target[1:]) or words or target[1:]
                return mention_html(f"@{name.removeprefix('@')}")
            case "#":
                name = self.names.channel(target[1:]) or words or target[1:]
                return mention_html(f"#{name.removeprefix('#')}")
            case "!":
                return self._special(target[1:], words)
        url = unescaped(target)
        if not is_followed(url):
            return html.escape(f"<{unescaped(markup)}>")
        return link_html(url, html.escape(with_emoji(words) or url))

    def _special(self, target: str, words: str) -> str:
        kind, _, rest = target.partition("^")
        if kind in ("channel", "here", "everyone"):
            return mention_html(f"@{kind}")
        if kind == "subteam":
            handle = self.names.user_group(rest) or words or rest
            return mention_html(f"@{handle.removeprefix('@')}")
        date = _DATE.fullmatch(target)
        if date and words:
            return moment_html(int(date["timestamp"]), date["pattern"], words, self.names)
        return html.escape(words or f"<!{target}>")


def moment_html(timestamp: int, pattern: str, fallback: str, names: SlackNames) -> str:
    """Return a date in its reader's zone, with its fallback where it cannot be shown."""
    try:
        shown = date_text(timestamp, pattern, zone=names.zone(), now=names.now())
    except (OverflowError, ValueError, OSError):
        shown = fallback
    return f'<time title="{html.escape(fallback)}">{html.escape(shown)}</time>'


def mention_html(words: str) -> str:
    """Return the name of somebody or something."""
    return f'<span class="bk-mention">{html.escape(words)}</span>'


def text_html(text: Json, names: SlackNames) -> str:
    if text["type"] == "mrkdwn":
        return mrkdwn_html(text["text"], names=names)
    return html.escape(plain_words(text))


def plain_words(text: Json | None) -> str:
    """Return the words of a `plain_text` object, not escaped; nothing where there is none."""
    if not text:
        return ""
    return with_emoji(str(text["text"]))
