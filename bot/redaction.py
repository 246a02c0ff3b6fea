"""Secrets made unreadable, wherever text is logged or shown."""

import re

# A bearer token's characters (RFC 6750, section 2.1); Slack's tokens use fewer.
_BEARER_CHARS = r"[A-Za-z0-9._~+/=-]"
_SECRET = re.compile(rf"(?P<kind>service_sk_|xox[a-z]-|xapp-){_BEARER_CHARS}+", re.IGNORECASE)


def redact(text: str) -> str:
    """Return `text` with every API key and Slack token reduced to its kind.

    `service_sk_abc…` becomes `service_sk_[hidden]`. The short form that people are shown
    (`service_sk_…wxyz`) is left as it is: it gives nothing away.
    """
    return _SECRET.sub(lambda found: f"{found['kind']}[hidden]", text)


def holds_secret(text: str) -> bool:
    """Say whether `text` holds an API key or a Slack token, or the beginning of one."""
    return _SECRET.search(text) is not None
