"""Redact secrets wherever text is logged or shown."""

import re

# A bearer token's characters (RFC 6750, section 2.1); Slack's tokens use fewer.
_BEARER_CHARS = r"[A-Za-z0-9._~+/=-]"
# How keys begin is no secret, not even at the end of a sentence: `service_sk_.`
_SECRET = re.compile(
    rf"(?P<kind>service_sk_|xox[a-z]-|xapp-|xwfp-)[._~+/=-]*[A-Za-z0-9]{_BEARER_CHARS}*",
    re.IGNORECASE,
)
# What installing by OAuth brings along has no such beginning. A code of Slack's has a form of its
# own: https://docs.slack.dev/reference/methods/oauth.v2.access. The rest is known by the name in
# front of it: in an address, in JSON, in a form, in a header.
_OAUTH_CODE = re.compile(r"\d{5,}\.\d{5,}\.[0-9a-f]{20,}", re.ASCII)
_OAUTH = re.compile(
    r"(?P<name>[?&](?:code|state)=|client_secret\W{1,6}|Authorization\W{1,6}Basic )"
    r"[%A-Za-z0-9._~+/=-]{8,}",
    re.IGNORECASE | re.ASCII,
)
# Without one of these there is nothing of the sort: it is much quicker to look for them first.
_HINT = re.compile("service_sk_|xox|xapp-|xwfp-|code=|state=|client_secret|authorization")
# Control characters, half characters, and what is there without being seen.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


# Letters and emoji need these, so they are shown; but like the others they hide nothing.
_SELECTORS = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
_UNSEEN = re.compile(f"{INVISIBLE.pattern[:-1]}{_SELECTORS}]")
# As JSON and tracebacks write such a character; `\U` is another one than `\u`.
_ESCAPE = re.compile(r"(?<!\\)\\+(?:x([0-9a-f]{2})|u([0-9A-Fa-f]{4})|U000([0-9a-f]{5})|[bfr])")


def redact(text: str) -> str:
    """Return `text` with every API key and Slack token reduced to its kind.

    `service_sk_abc…` becomes `service_sk_[hidden]`. The short form that people are shown
    (`service_sk_…wxyz`) is left as it is: it gives nothing away. Codes, states and client secrets
    of OAuth go too. Where invisible characters split one, they go from the whole text.
    """
    redacted, seen = _redacted(text), _seen(text)
    if seen is text or (of_seen := _redacted(seen)) == _seen(redacted):
        return redacted
    return of_seen


def _redacted(text: str) -> str:
    text = _OAUTH_CODE.sub("[hidden]", text)
    if not _HINT.search(text.casefold()):
        return text
    text = _OAUTH.sub(lambda found: f"{found['name']}[hidden]", text)
    return _SECRET.sub(lambda found: f"{found['kind']}[hidden]", text)


def _seen(text: str) -> str:
    """Return `text` without its invisible characters, written as it is or as an escape."""
    if "\\" in text:
        text = _ESCAPE.sub(_unless_unseen, text)
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def _unless_unseen(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3] or "0d"  # \b, \f, \r: unseen too
    return "" if _UNSEEN.match(chr(int(code, 16))) else escape[0]


def holds_secret(text: str) -> bool:
    """Say whether `text` holds an API key or a Slack token, or the beginning of one.

    Invisible characters do not hide it: what looks like a key is one.
    """
    return _SECRET.search(_seen(text)) is not None
