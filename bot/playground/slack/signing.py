"""Request signatures: https://docs.slack.dev/authentication/verifying-requests-from-slack."""

import hashlib
import hmac
import time


def signed_headers(secret: str, body: bytes, at: float | None = None) -> dict[str, str]:
    """Return the two headers that prove a request.

    `at` is a moment in Unix seconds; None: now, by the real clock, because whoever checks the
    signature compares it with theirs.
    """
    timestamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256)
    return {
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": f"v0={digest.hexdigest()}",
    }
