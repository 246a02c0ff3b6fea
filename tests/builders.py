"""Test data, built with defaults: a test writes out only the value that it is about."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bot.app.failures import SENTENCES, facts_about
from bot.blocks.message import Message
from bot.dispatch import failure
from bot.dispatch.failure import Facts
from bot.domains.kept_facts import KeptFacts
from bot.domains.service import Snapshot
from bot.keys.key_record import EarlierKey, KeyPair, KeyRecord
from bot.scans.service import ScanReport
from bot.tracker.changes import Change
from bot.tracker.facts import facts_of
from bot.tracker.models import SECTIONS, Domain
from bot.tracker.scan_facts import EndDate
from bot.tracker.sections import section_of

MOMENT = datetime(2030, 3, 1, 14, 5, tzinfo=UTC)
TODAY = MOMENT.date()
ADMIN_ID = "U0ADMIN"

KEY_TAIL = "Qz7" * 13 + "Wx"
KEY = f"service_sk_{KEY_TAIL}"  # 52 characters, as the service makes them
BOT_TOKEN = "xoxb-1111-2222-" + KEY_TAIL
APP_TOKEN = "xapp-1-A1-" + KEY_TAIL

# What strangers may have written into a WHOIS record, a tag, a folder or a command.
HOSTILE_TEXTS = {
    "a ping": "<!channel> <!here> <!everyone> <!subteam^S1>",
    "a person": "<@U0VICTIM> <#C1|general>",
    "a link": "<https://evil.example|your bank> https://evil.example",
    "escaped already": "&lt;!channel&gt; &amp;lt;",
    "markup": "*bold* _italic_ ~gone~ > quote",
    "backticks": "`code` ```block``` `",
    "pipes": "a|b||c",
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467 :skull: " * 20,
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0639\u0644\u064a\u0643\u0645",
    "bidi controls": "\u202ekcatta\u2066 a\u200eb\u200fc\u061cd\u2069",
    "control characters": "a\x00b\x07c\x1b[31md\r\ne\tf\x85g\u2028h",
    "half a character": "a\ud800b",
    "nothing visible": " \u200b\ufeff ",
    "ampersands": "&" * 253,
    "angles": "<" * 253,
    "very long": "long " * 600,
    "a key": f"the key is {KEY}.",
    "a key cut up": f"{KEY[:14]}\u200b{KEY[14:30]}\u00ad{KEY[30:]}",
    "a bot token": BOT_TOKEN,
    "an app token": APP_TOKEN.upper(),
}


def a_domain(domain: str = "shop.example", score: float | None = 41, **fields: Any) -> Domain:
    return Domain(domain=domain, health_score=score, **({"domain_id": "d1"} | fields))


def a_snapshot(*domains: Domain, skipped: int = 0) -> Snapshot:
    return Snapshot(domains, MOMENT, skipped)


def ending(
    registration: int | None = None, certificate: int | None = None, **more: Any
) -> KeptFacts:
    """Return what was scanned `age` before `MOMENT`: ends in that many days from then."""
    days = (registration, certificate)
    first, second = (
        None if left is None else EndDate(TODAY + timedelta(days=left)) for left in days
    )
    scanned_at = MOMENT - more.pop("age", timedelta())
    return KeptFacts(scanned_at, first, second, **more)


def a_report(
    sections: Mapping[str, object] | None = None,
    *,
    host: str = "shop.example",
    score: float | None = 41,
    score_after: float | None = 41,
    changes: tuple[Change, ...] = (),
    since: datetime | None = None,
    **fields: Any,
) -> ScanReport:
    """Return the report of a scan whose sections are any JSON."""
    return ScanReport(
        host=host,
        score=score,
        score_after=score_after,
        scanned_at=MOMENT,
        facts=facts_of(sections or {}, MOMENT),
        sections=tuple(section_of(name, sections or {}) for name in SECTIONS),
        changes=changes,
        since=since,
        **fields,
    )


def a_key_record(
    *,
    label: str = "Slack bot",
    expires_on: date | None = None,
    scopes: tuple[str, ...] = ("read_domains",),
    refused_at: datetime | None = None,
    told_at: datetime | None = None,
    lacks: tuple[str, ...] = (),
) -> KeyRecord:
    return KeyRecord(
        last4=KEY[-4:],
        label=label,
        expires_on=expires_on,
        scopes=scopes,
        set_by=ADMIN_ID,
        set_at=MOMENT,
        refused_at=refused_at,
        told_at=told_at,
        told=(ADMIN_ID,) if told_at else (),
        lacks=lacks,
    )


def pair_of(record: KeyRecord, earlier: EarlierKey | None = None) -> KeyPair:
    return KeyPair(sealed="v1.k.y", record=record, earlier=earlier)


def facts_for(*, key: KeyRecord | None = None, **fields: Any) -> Facts:
    """Return the facts of a failed `/scan`, asked by a member; fields may say otherwise."""
    defaults: dict[str, Any] = {"reference": "cafe0001", "now": MOMENT, "command_line": "/scan"}
    defaults |= facts_about(key)
    return Facts(**(defaults | fields))


def facts_for_admin(**fields: Any) -> Facts:
    return facts_for(is_admin=True, **fields)


def failure_message(error: Exception, facts: Facts) -> Message:
    """Return the answer to a request that failed, in the words of all features."""
    return failure.failure_message(error, facts, SENTENCES)
