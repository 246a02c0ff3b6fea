"""Tell values of a scan that say nothing about health: names, times, addresses. Pure."""

import re
from collections.abc import Mapping

from bot.tracker.names import NAMES, normalized, without_prefix, words_of
from bot.tracker.scan_facts import MAX_TEXT_CHARS

# A record of DNS, a day, a moment, an address of the web.
_RECORD = re.compile(
    r"v=\w|max-age=|\d{4}-\d\d-\d\d|\w{3}, \d|https?://|\d{1,2}-\w{3}-\d{4}", re.IGNORECASE
)
_SCORES = frozenset({"score", "points", "percentage", "percent"})
_COUNTED = frozenset({"count", "error", "errors", "timeout", "timeouts", "failure", "failures"})
FULL = 100
# What these name may have any name.
_THINGS = frozenset({"registrar", "registrant", "issuer", "subject", "organization", "org"})


def says_nothing(path: tuple[str, ...], value: object, given: Mapping[object, object]) -> bool:
    """Return whether a value that no rule reads may stand beside "no issues".

    `given` is its record. A value that is not known to say nothing may be bad news.
    """
    name = normalized(path[-1])
    if path[-1].isdecimal():  # an item of a list
        name = next((normalized(each) for each in reversed(path) if not each.isdecimal()), "")
    is_known = without_prefix(path[-1]) in NAMES.bad_if_true | NAMES.bad_if_false
    if value is None:
        return not is_known and NAMES.protection(path[-1]) is None
    if value == "" or (isinstance(value, str) and _RECORD.match(value)):
        return True
    if name in NAMES.states["names"]:
        return normalized(str(value)) in NAMES.states["good"] | NAMES.states["done"]
    above = [normalized(each) for each in path[:-1]]
    if any(each in NAMES.neutral_parts for each in above):
        return True
    if isinstance(value, str) and normalized(value) in NAMES.states["bad"]:
        return False
    if isinstance(value, str) and "headers" in above and not _sounds_bad(value):
        return True
    if name in NAMES.titles:  # of a thing that nothing else is said of, if it is one of many
        return (len(path) < 2 or not path[-2].isdecimal()) and not _sounds_bad(value)
    known = NAMES.neutral | NAMES.failures["lookup"] | NAMES.failures["beside"]
    if name in known:
        return not (name.startswith("categor") and _sounds_bad(value))
    words = words_of(path[-1])
    last = words[-1] if words else ""
    if last in _SCORES:
        judged = NAMES.grades["names"] | NAMES.conclusive_lists
        if {*words} & NAMES.bad_scores:
            return value == 0
        is_full = value == FULL and last.startswith("percent")
        return is_full or any(normalized(str(key)) in judged for key in given)
    is_usual = "ports" in name and str(value) in {"80", "443"}
    is_none = value == 0 and not isinstance(value, bool) and last in _COUNTED
    return is_usual or is_none or last in NAMES.neutral_words


def is_bad_news(path: tuple[str, ...], value: object) -> bool:
    """Return whether a value outside `security` that no rule reads may be a problem."""
    given = [normalized(each) for each in path if not each.isdecimal()]
    name = given[-1] if given else ""
    if isinstance(value, str):
        is_of_thing = name in NAMES.titles or any(_THINGS & {*words_of(each)} for each in path)
        is_record = any(each in NAMES.neutral_parts for each in given)
        words = {*words_of(value[:MAX_TEXT_CHARS])} if " " in value else set()
        is_sentence = bool(words & NAMES.states["bad"]) and not words & {"not", "no"}
        is_bad = normalized(value) in NAMES.states["bad"] | {"incomplete"} or is_sentence
        return is_bad and not is_of_thing and not is_record and "\n" not in value
    is_number = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return (value is True and without_prefix(path[-1]) in NAMES.bad_if_true) or (
        is_number and name in NAMES.counts["bad"]
    )


def _sounds_bad(value: object) -> bool:
    """Return whether a text has a word for something bad: `3 critical vulnerabilities found`."""
    words = {*words_of(str(value)[:MAX_TEXT_CHARS])}
    ranks = {NAMES.severity(word) for word in words} & {"critical", "high"}
    return bool(words & NAMES.states["bad"] or ranks) and not NAMES.is_no_issue(str(value))
