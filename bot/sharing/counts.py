"""What a process has counted and learned of a key, as a document has it. Pure."""

from collections.abc import Mapping
from typing import Any

from bot.asking import Asker, Kind
from bot.meter import Counted
from bot.sharing.accounts import decode_account, encode_account
from bot.sharing.timeline import since_1970_s, utc_text
from bot.tracker.account import Account

VERSION = 1


def encode_counted(counted: Counted, account: Account, ahead_s: float) -> dict[str, Any]:
    """Return the document's value; `decode_counted` reads it. `ahead_s`: see `Timeline`."""
    return {
        "v": VERSION,
        "fingerprint": counted.fingerprint,
        "since": utc_text(counted.since + ahead_s),
        "minutes": {
            utc_text(began_at + ahead_s): {_text(asker): n for asker, n in counts.items()}
            for began_at, counts in counted.minutes.items()
        },
        "account": encode_account(account.moved(ahead_s)),
    }


def decode_counted(value: Mapping[str, Any], ahead_s: float) -> tuple[Counted, Account] | None:
    """Return what was encoded, `None` when a newer version has done that."""
    if value.get("v") != VERSION:
        return None
    minutes = {
        since_1970_s(began_at) - ahead_s: {_asker(text): n for text, n in counts.items()}
        for began_at, counts in value["minutes"].items()
    }
    counted = Counted(value["fingerprint"], since_1970_s(value["since"]) - ahead_s, minutes)
    return counted, decode_account(value["account"]).moved(-ahead_s)


def _text(asker: Asker) -> str:
    return f"{asker.kind.value}:{asker.subject_id}"


def _asker(text: str) -> Asker:
    kind, _, subject_id = text.partition(":")
    return Asker(Kind(kind), subject_id)
