"""The workspace's API key: its form, what is known of it, and where it is kept sealed."""

from bot.keys.claims import Claim, KeyClaims
from bot.keys.keyring import Keys
from bot.keys.record import (
    KEY_CHARS,
    KEY_PREFIX,
    SCOPES,
    ExpiredDraftError,
    KeyDraft,
    KeyFormError,
    KeyInUseError,
    KeyRecord,
    NoEarlierKeyError,
    NoKeyError,
    OtherKeyError,
    StoredKey,
    checked_secret,
)
from bot.keys.reminders import COUNTDOWN_DAYS, KeyNotice, NoticeKind, due_notice
from bot.keys.slots import EARLIER_KEPT_FOR, EarlierKey, KeySlots

__all__ = [
    "COUNTDOWN_DAYS",
    "EARLIER_KEPT_FOR",
    "KEY_CHARS",
    "KEY_PREFIX",
    "SCOPES",
    "Claim",
    "EarlierKey",
    "ExpiredDraftError",
    "KeyClaims",
    "KeyDraft",
    "KeyFormError",
    "KeyInUseError",
    "KeyNotice",
    "KeyRecord",
    "KeySlots",
    "Keys",
    "NoEarlierKeyError",
    "NoKeyError",
    "NoticeKind",
    "OtherKeyError",
    "StoredKey",
    "checked_secret",
    "due_notice",
]
