"""What the bot says of scans with the shapes of real tools, on the first screen of messages."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.blocks.message import Message
from bot.digests.baseline import baseline_of
from bot.digests.report import make_report
from bot.digests.views.changes import MAX_NEWS_CHARS
from bot.digests.views.post import digest_message
from bot.domains.kept_facts import KnownFacts, kept_of
from bot.domains.lookup import index_by_host
from bot.scans.bulk_record import BulkScan, End, Item
from bot.scans.bulk_summary import summary_message
from bot.scans.service import ScanReport
from bot.scans.views import scan_message
from bot.tracker.facts import facts_of
from bot.tracker.models import SECTIONS
from bot.tracker.sections import section_of
from tests.builders import a_domain
from tests.digests.builders import a_post
from tests.scans.test_bulk_views import a_run
from tests.truth import ALARM, ALL_CLEAR, NOTHING_ENDS, NOW, UNCHECKED, Sample, samples, unnamed

DAY, SOON = timedelta(days=1), timedelta(days=30)
HEALTH = re.compile(r"^\S+ \*?(Health |1\* good)")  # the service's own word


def scan_of(sample: Sample) -> Message:
    return scan_message(
        ScanReport(
            host="shop.example",
            score=88,
            score_after=90,
            scanned_at=NOW,
            facts=facts_of(sample.sections, NOW),
            sections=tuple(section_of(name, sample.sections) for name in SECTIONS),
        )
    )


def bulk_scan_of(sample: Sample) -> Message:
    facts = facts_of(sample.sections, NOW)
    item = Item(host="shop.example", domain_id="d1", score=90, score_after=90, facts=facts)
    run: BulkScan = a_run(item, end=End.DONE)
    return summary_message(run, NOW)


def digest_of(sample: Sample, *, is_first: bool = True) -> Message:
    row = kept_of("shop.example", facts_of(sample.sections, NOW), NOW)
    index = index_by_host([a_domain("shop.example", 90)])
    before = baseline_of(index, NOW - DAY, KnownFacts({}, NOW - DAY))
    ends = KnownFacts({"shop.example": row}, NOW)
    report = make_report(index, None if is_first else before, worst_count=5, facts=ends)
    return digest_message(a_post(report=report, sent_at=NOW))


def second_digest_of(sample: Sample) -> Message:
    return digest_of(sample, is_first=False)


def lines_of(message: Message) -> list[str]:
    """Return what is read without a press: a folded section counts with its title and line."""
    lines: list[str] = []
    for block in message.blocks:
        match block:
            case {"type": "section" | "header", "text": {"text": str(text)}}:
                lines += text.splitlines()
            case {"type": "container", "title": title, **more}:
                subtitle = more.get("subtitle") or {}
                lines.append(f"{title['text']}: {subtitle.get('text', '')}")
    return [line for line in lines if not HEALTH.search(line)]


def judged(sample: Sample, lines: list[str]) -> Counter[str]:
    claims = [line for line in lines if ALL_CLEAR.search(line)]
    is_wrong = bool(claims) and sample.expected["may_say_no_issues"] is False
    ends = [sample.end("registration"), sample.end("certificate")]
    near = [end for end in ends if end is None or end <= (NOW + SOON).date()]
    signs = [line for line in lines if ALARM.search(line) and not UNCHECKED.search(line)]
    known = sample.may_carry_a_sign
    return Counter(
        {
            "problems": len(sample.expected["problems"]),
            "missed": len(unnamed(sample, lines)),
            "false all-clears": is_wrong or (bool(claims) and bool(unnamed(sample, lines))),
            "false nothing-ends": bool(near) and any(map(NOTHING_ENDS.search, lines)),
            "invented": sum(
                not any(re.search(each, line, re.IGNORECASE) for each in known) for line in signs
            ),
            "failed": len(sample.expected["failed"]),
            "silent": sum(
                not any(
                    re.search(name, line, re.IGNORECASE) and UNCHECKED.search(line)
                    for line in lines
                )
                and not any(
                    "Could not be checked" in each and re.search(name, " ".join(lines), re.I)
                    for each in lines
                )
                for name in sample.expected["failed"]
            ),
        }
    )


@pytest.mark.parametrize("drawn", [scan_of, bulk_scan_of, digest_of, second_digest_of])
def test_nothing_false_is_said_and_all_that_matters(drawn: Callable[[Sample], Message]) -> None:
    counts = Counter[str]()
    for sample in samples():
        counts += judged(sample, lines_of(drawn(sample)))

    assert counts.keys() == {"problems", "failed"}


def test_a_notification_begins_with_a_problem_where_there_is_one_and_claims_nothing() -> None:
    for sample in samples():
        text = second_digest_of(sample).text[:MAX_NEWS_CHARS]
        if sample.expected["problems"]:
            assert text.startswith("shop.example: ") or not facts_of(sample.sections, NOW).issues
        assert not ALL_CLEAR.search(text), sample.name
        assert not NOTHING_ENDS.search(text), sample.name
