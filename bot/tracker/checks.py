"""Read a record of one check: what was checked, and how it came out. Pure."""

from collections.abc import Mapping

from bot.tracker.failed_lookups import reports_failure
from bot.tracker.names import NAMES, humanized, normalized, without_prefix, words_of
from bot.tracker.readings import (
    Reading,
    Verdict,
    boolean_of,
    issue_reading,
    severity_name,
)
from bot.tracker.scan_facts import MAX_WORD_CHARS
from bot.tracker.value_rules import counts_bad, is_threat, state_of

# What may stand before the name of a check's state.
_OF_CHECK = frozenset({"latest", "last", "current", "run", "check", "test"})
_DETAILS = ("error", "details", "detail", "info", "message", "summary")
Path = tuple[str, ...]


def read_check(
    section: str, path: Path, given: Mapping[object, object], texts: Mapping[str, str]
) -> list[Reading]:
    """Return the reading of a record that names a check or a protection and its result."""
    if not path or section == "whois" or (subject := _subject(path, texts)) is None:
        return []
    if NAMES.protection(path[-1]) is None:
        path = (*path[:-1], subject)
    verdicts = [
        (verdict, str(key), value)
        for key, value in given.items()
        if not isinstance(value, dict | list) and (verdict := _verdict(str(key), value, path))
    ]
    if (points := _points(texts)) is not None:
        verdicts.append((points, "passed", False))
    if not verdicts:
        return []
    failed = next((each for each in verdicts if each[0] is Verdict.ISSUE), None)
    # `ok: false` of a check is how it came out.
    others = {key: value for key, value in given.items() if not failed or key != failed[1]}
    has_failed = reports_failure(others)
    if failed and not (has_failed and words_of(failed[1])[-1] not in NAMES.states["names"]):
        title = f"{humanized(subject)}: {_result(failed[1], failed[2])}"
        detail = next((texts[each] for each in _DETAILS if texts.get(each)), "")
        title = f"{title} ({detail})" if detail else title
        rated = severity_name(texts)
        word = texts[rated] if rated else str(failed[2])
        return [
            issue_reading(section, "check", path, title, word=word, texts=texts, is_named=True)
        ]
    unable = (
        has_failed
        or any(each[0] is Verdict.NOT_CHECKED for each in verdicts)
        or any(counts_bad(str(key), value) for key, value in given.items())
    )
    return [Reading(Verdict.NOT_CHECKED if unable else Verdict.PASSED, "check", path)]


def _subject(path: Path, texts: Mapping[str, str]) -> str | None:
    """Return what is checked: the name of the record, or one in it."""
    named = next((texts[name] for name in NAMES.texts["subject"] if name in texts), None)
    above, name = (normalized(each) for each in ("", *path)[-2:])
    is_key = above in NAMES.states["parents"] and not name.isdecimal()
    is_named_above = NAMES.protection(path[-1]) is not None or (is_key and not named)
    return path[-1] if is_named_above else named


def _points(texts: Mapping[str, str]) -> Verdict | None:
    """Return what a test says that gives one point or none; not all are about security."""
    if texts.get("scoredisplaymode") != "binary" or texts.get("score") not in {"0", "1"}:
        return None
    about = f"{texts.get('id', '')} {texts.get('title', '')}"
    is_bad = texts["score"] == "0"
    if is_bad and not NAMES.security_text.search(about):
        return Verdict.INFO
    return Verdict.ISSUE if is_bad else Verdict.PASSED


def _result(key: str, value: object) -> str:
    """Return how a check came out: `fail`, `listed`, `not valid`."""
    truth = boolean_of(value)
    if truth is None or words_of(key)[-1] in NAMES.states["names"]:
        return str(value)[:MAX_WORD_CHARS]
    predicate = " ".join(word for word in words_of(key) if word not in {"is", "has"})
    return predicate if truth else f"not {predicate}"


def _verdict(key: str, value: object, path: Path) -> Verdict | None:
    """Return what one value of a check's record says of the check."""
    name, is_protection = without_prefix(key), NAMES.protection(path[-1]) is not None
    *before, last = words_of(key) or ("",)  # `latest_run_result`
    is_state = last in NAMES.states["names"] and _OF_CHECK.issuperset(before)
    if isinstance(value, str) and is_state:
        return state_of(value, path[-1:] if is_protection else path)
    if (truth := boolean_of(value)) is None:
        return None
    if name in NAMES.bad_if_true:
        return Verdict.ISSUE if truth else Verdict.PASSED
    if name in NAMES.results or (name in NAMES.bad_if_false and is_protection):
        return Verdict.PASSED if truth else Verdict.ISSUE
    if name in NAMES.bad_if_false and not truth:
        return Verdict.ISSUE
    if name in NAMES.present and (is_protection or is_threat(path)):
        return Verdict.PASSED if truth is is_protection else Verdict.ISSUE
    return None
