"""Scans as real tools would fill them, and how a careful person judges what is said of them.

Each sample in `truth/` is a scan; its `_expected` says what is true of it at `NOW`: the ends
(`date`, `days`, or `null`: it cannot be known), the problems with a pattern that a line naming
each of them matches, whether "no issues" may be said (`null`: arguable), which sections tell
nothing, and what else may carry a sign.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from bot.tracker.facts import facts_of
from bot.tracker.models import SECTIONS
from bot.tracker.scan_facts import EndDate, ScanFacts

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
ALL_CLEAR = re.compile(r"no issues reported|all fine|all is well|✅|🟢", re.IGNORECASE)
NOTHING_ENDS = re.compile(r"nothing (ends|expires)", re.IGNORECASE)
ALARM = re.compile("🔴|🟠|🟡|🔵|⚪|⚠️")
UNCHECKED = re.compile(r"could not be checked|not included", re.IGNORECASE)


@dataclass(frozen=True)
class Sample:
    """One scan, and what is true of it."""

    name: str
    sections: dict[str, Any]
    expected: dict[str, Any]

    @property
    def problems(self) -> list[str]:
        """The patterns of the problems but for those that are an end."""
        return [each["says"] for each in self.expected["problems"] if not each.get("end")]

    @property
    def may_carry_a_sign(self) -> list[str]:
        named = [each["says"] for each in self.expected["problems"]]
        return [*named, *self.expected["allowed"]]

    def end(self, which: str) -> date | None:
        """Return when that ends, `None` when it cannot be known."""
        match self.expected[which]:
            case {"date": str(day)}:
                return date.fromisoformat(day)
            case {"days": int(days)}:
                return NOW.date() + timedelta(days=days)
        return None


@cache
def samples() -> tuple[Sample, ...]:
    read = []
    for path in sorted((Path(__file__).parent / "truth").glob("*.json")):
        sample = json.loads(path.read_text())
        sections = {name: sample[name] for name in SECTIONS if name in sample}
        read.append(Sample(path.stem, sections, sample["_expected"]))
    return tuple(read)


def verdict() -> Counter[str]:
    """Return what is right and wrong about the facts of all samples."""
    counts = Counter[str]()
    for sample in samples():
        counts += judged(sample, facts_of(sample.sections, NOW))
    return counts


def judged(sample: Sample, facts: ScanFacts) -> Counter[str]:
    """Return what is right and wrong about these facts: `missed`, `invented`, `wrong ends` …"""
    titles = [issue.title for issue in facts.issues]
    named = [any(_says(each, title) for title in titles) for each in sample.problems]
    signs = sample.may_carry_a_sign
    says_none, may = facts.issue_knowledge == "none", sample.expected["may_say_no_issues"]
    given = {"registration": facts.registration, "certificate": facts.certificate}
    counts = Counter(
        {
            "problems": len(named),
            "missed": named.count(False),
            "invented": sum(not any(_says(each, title) for each in signs) for title in titles),
            "rightful": may is True and not named,
            "withheld": may is True and not named and not says_none,
            "false all-clears": says_none and (may is False or bool(named)),
            "failed": len(sample.expected["failed"]),
            "silent": len({*sample.expected["failed"]} - {*facts.failed}),
            "not failed": len({*facts.failed} - {*sample.expected["failed"]}),
        }
    )
    for which, end in given.items():
        counts[_about_end(sample.end(which), end)] += 1
    return counts


def _about_end(true: date | None, end: EndDate | None) -> str:
    if end is None:
        return "missed ends" if true else "unknown ends"
    return "right ends" if true and abs((end.day - true).days) <= 1 else "wrong ends"


def _says(pattern: str, line: str) -> bool:
    return re.search(pattern, line, re.IGNORECASE) is not None


def unnamed(sample: Sample, lines: list[str]) -> list[str]:
    """Return the patterns of all problems, ends among them, that no line of a screen names."""
    patterns = [each["says"] for each in sample.expected["problems"]]
    return [each for each in patterns if not any(_says(each, line) for line in lines)]
