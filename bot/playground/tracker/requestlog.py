"""What was asked of the service. A key never gets in here, wherever a client put it."""

import json
import logging
from dataclasses import dataclass
from datetime import datetime

from bot.playground.tracker.keys import KEY_PATTERN, KEY_PREFIX


@dataclass
class Request:
    """One request, noted on arrival.

    `endpoint` is "list", "add", "scan" or None for any other path. `account` and `key_name` say
    whose known key came with it, None when none did. `status` is None until the answer begins,
    and stays None when the connection is closed without one. `body` is the decoded JSON, the text
    when it is no JSON, None when there was none. `key_elsewhere`: a key was seen outside the
    Authorization header, where it must never be.
    """

    method: str
    path: str
    at: datetime
    endpoint: str | None = None
    account: str | None = None
    key_name: str | None = None
    status: int | None = None
    body: object = None
    key_elsewhere: bool = False


def holds_key(text: str) -> bool:
    """Say whether something that looks like a key is in the text."""
    return KEY_PATTERN.search(text) is not None


def without_keys(text: str) -> str:
    """Return the text with every key replaced by its prefix and an ellipsis."""
    return KEY_PATTERN.sub(f"{KEY_PREFIX}…", text)


def body_for_log(raw: bytes) -> object:
    """Return what a request's body said, without keys: decoded JSON, else text, None if empty."""
    text = without_keys(raw.decode(errors="replace"))
    if not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def keyless_logger(name: str) -> logging.Logger:
    """Return a logger that writes no key.

    aiohttp 3.14 logs the header lines of a request that it cannot parse.
    """
    logger = logging.getLogger(name)
    logger.addFilter(_strip_keys)
    return logger


def _strip_keys(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    if record.exc_info:
        message += "\n" + logging.Formatter().formatException(record.exc_info)
    record.msg, record.args, record.exc_info = without_keys(message), (), None
    return True
