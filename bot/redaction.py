"""Secrets made unreadable, wherever text is logged or shown."""

import re

# A bearer token's characters (RFC 6750, section 2.1); Slack's tokens use fewer.
_BEARER_CHARS = r"[A-Za-z0-9._~+/=-]"
_SECRET = re.compile(rf"(?P<kind>service_sk_|xox[a-z]-|xapp-){_BEARER_CHARS}+", re.IGNORECASE)

# Control characters, half characters, and what is there without being seen.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def redact(text: str) -> str:
    """Return `text` with every API key and Slack token reduced to its kind.

    `service_sk_abc…` becomes `service_sk_[hidden]`. The short form that people are shown
    (`service_sk_…wxyz`) is left as it is: it gives nothing away.
    """
    return _SECRET.sub(lambda found: f"{found['kind']}[hidden]", text)


def holds_secret(text: str) -> bool:
    """Say whether `text` holds an API key or a Slack token, or the beginning of one.

    Characters that nobody sees do not hide it: what looks like a key is one.
    """
    return _SECRET.search(INVISIBLE.sub("", text)) is not None
