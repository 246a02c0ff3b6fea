"""Read a plain value of a scan by its name: booleans, states, grades, counts. Pure."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from bot.tracker.names import NAMES, normalized, without_prefix, words_of
from bot.tracker.readings import (
    Reading,
    Verdict,
    boolean_of,
    is_number,
    issue_reading,
    shown_path,
    value_text,
)
from bot.tracker.scan_facts import MAX_TEXT_CHARS

Path = tuple[str, ...]
# Response codes of DNS that mean that a domain does not work (RFC 1035, section 4.1.1).
_RCODES = {2: "SERVFAIL", 3: "NXDOMAIN", 5: "REFUSED"}
_GRADE = re.compile(r"[A-Z][+-]?", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,9}")
# Names of a number of issues, below a list's name: `{"issues": {"total": 0}}`.
_TOTALS = frozenset({"total", "count"})
MIN_COUNTS = 2
MIN_STATES = 3
_SYMBOLS = {"❌": "fail", "✗": "fail", "✘": "fail", "✅": "pass", "✔": "pass", "✓": "pass"}
MAX_ERROR_CHARS = 60
# `VULNERABLE_STRONG_ORACLE`, `not vulnerable (OK)`
_VULNERABLE = re.compile(r"(?P<not>not[ _-]?)?vulnerable([ _(].{0,30})?", re.IGNORECASE | re.ASCII)
_LISTED = re.compile(r"127\.0\.[01]\.\d{1,3}")
_RAW_STATE = re.compile(
    r"^[\s%*\[]*(?:domain |registration )?(?:status|state)\]?[\s:.]+([^\n:]+?)(?: http.*)?\r?$",
    re.IGNORECASE | re.MULTILINE,
)
MAX_RAW_CHARS = 20_000
# https://www.icann.org/resources/pages/epp-status-codes-2014-06-16-en
_REGISTRY_MEANINGS = {
    "redemptionperiod": "it has expired, its owner can still restore it",
    "pendingdelete": "it is deleted within days",
    "pendingrestore": "its owner is restoring it",
    "clienthold": "the registrar keeps it out of DNS",
    "serverhold": "the registry keeps it out of DNS",
}


class _Value(NamedTuple):
    """A plain value; of its path the last names, normalized, and the words of the last one."""

    section: str
    path: Path
    value: object
    text: str  # "" for one that is no text
    name: str
    parent: str
    words: tuple[str, ...]


Rule = Callable[[_Value], Verdict | None]


def read_value(section: str, path: Path, value: object) -> Reading | None:
    """Return what a plain value says, `None` where its name means nothing."""
    parent, name = map(normalized, ("", *path)[-2:])
    words = words_of(path[-1]) or ("",)
    text = value if isinstance(value, str) else ""
    given = _Value(section, path, value, text, name, parent, words)
    for rule, sections, read in _RULES:
        if section in sections and (verdict := read(given)):
            if verdict is not Verdict.ISSUE:
                return Reading(verdict, rule, path)
            return _issue(section, rule, path, value)
    return None


def _issue(section: str, rule: str, path: Path, value: object) -> Reading:
    is_state = rule == "state" and normalized(path[-1]) in NAMES.states["names"]
    about = shown_path((path[:-1] if is_state else path) or path)
    word = str(value) if rule in {"state", "risk", "protection"} else ""
    if rule == "count":
        word = next((each for each in words_of(path[-1]) if NAMES.severity(each)), "")
    said = value_text(path[-1], value)
    if rule == "certificate error":  # of a long one from what it says on
        said = text = str(value)
        found = NAMES.certificate_text.search(text) if len(text) > MAX_ERROR_CHARS else None
        if found and found.start():
            said = f"… {text[found.start() :]}"
    return issue_reading(section, rule, path, f"{about}: {said}", word=word, is_named=True)


def all_states(given: Mapping[object, object]) -> set[str]:
    """Return the texts of a record if each is a word for a state, whatever its name."""
    words = [normalized(value) for value in given.values() if isinstance(value, str)]
    known = NAMES.states["good"] | NAMES.states["bad"]
    named = NAMES.severity_names | {*NAMES.titles}
    are_known = known.union({"error", "neutral", "none", "unknown"}).issuperset(words)
    is_one = sum(word in known for word in words) >= MIN_STATES and are_known
    return (
        {*words} if is_one and named.isdisjoint(normalized(str(key)) for key in given) else set()
    )


def read_state(section: str, path: Path, value: object, others: set[str]) -> Reading:
    """Read a word in a record that has nothing but states: what is no warning may be an error."""
    state = state_of(str(value), path)
    if normalized(str(value)) == "error" and others & {"good", "warning"}:
        state = Verdict.ISSUE
    if state is not Verdict.ISSUE:
        return Reading(state or Verdict.INFO, "state", path)
    return _issue(section, "state", path, value)


def is_old_protocol(path: Path, text: str) -> bool:
    """Return whether an item of a list of protocols that a server speaks is a broken one."""
    words = words_of(next((each for each in reversed(path) if not each.isdecimal()), ""))
    is_list = bool({"protocols", "versions"} & {*words[-1:]})
    is_used = is_list and not {"disabled", "unsupported", "rejected", "not"} & {*words}
    # Shodan writes `-SSLv3` of one that the server does not speak.
    return is_used and text[:1].isalpha() and normalized(text) in NAMES.old_protocols


def old_protocol(path: Path) -> str | None:
    """Return the name of a broken protocol with which a list tells what a server accepts."""
    if not path or "accepted" not in words_of(path[-1]):
        return None
    old = tuple(NAMES.old_protocols)
    return next((each for each in path if normalized(each).startswith(old)), None)


def is_threat(path: Path) -> bool:
    """Return whether a name of the path is of something bad: `malware`, `blacklists`."""
    return any(
        without_prefix(each) in NAMES.bad_if_true | NAMES.failure_lists for each in path[-2:]
    )


def state_of(text: str, path: Path) -> Verdict | None:
    """Return what a state says: a threat that is absent is good, a protection is not."""
    word, states = normalized(_SYMBOLS.get(text.strip(), text)), NAMES.states
    is_protection = any(map(NAMES.protection, path[-2:]))
    if word in states["unchecked"] and not (is_protection and word == "error"):
        return Verdict.NOT_CHECKED
    if word in states["absent"] | states["present"] and is_threat(path):
        return Verdict.PASSED if word in states["absent"] else Verdict.ISSUE
    if word in states["bad"] or (is_protection and word in states["absent"] | {"error"}):
        return Verdict.ISSUE
    if word in states["good"] or (is_protection and word in states["present"]):
        return Verdict.PASSED
    return None


def _boolean(given: _Value) -> Verdict | None:
    section, path, value, words = given.section, given.path, given.value, given.words
    name, is_numeric = without_prefix(path[-1]), is_number(value)
    if words[0] in {"no", "not"} or (is_numeric and name in {*NAMES.attacks, "blocked"}):
        return None
    joined = f"{without_prefix(path[-2])}{name}" if len(path) > 1 else ""
    if joined in NAMES.bad_if_true | NAMES.bad_if_false:  # `chain: {complete: false}`
        name = joined
    truth = boolean_of(value)
    if truth is not None and not is_numeric:
        if "vulnerable" in words[:2]:  # `is_vulnerable_to_heartbleed`
            name = "vulnerable"
        elif section == "ssl" and {"match", "matches"} & {*words}:
            name = "matches"
    is_known = name in NAMES.bad_if_true | NAMES.bad_if_false
    if truth is None or not is_known:
        # Another rule reads a word that is known, a number and a date.
        is_stated = _COUNT.match(given.text) or NAMES.is_placeholder(given.text)
        is_unread = is_known and section != "whois" and given.text and not is_stated
        return Verdict.NOT_CHECKED if is_unread and state_of(given.text, path) is None else None
    if name in NAMES.bad_if_true:
        is_count = not isinstance(value, bool) and name in NAMES.counts["bad"]
        return None if is_count else Verdict.ISSUE if truth else Verdict.PASSED
    is_of_account = section == "dns" and name == "verified"
    is_of_threat = name in {"match", "matches"} and is_threat(path[:-1])
    if section == "whois" or is_of_account or is_of_threat:
        return None
    return Verdict.PASSED if truth else Verdict.ISSUE


def _flag(given: _Value) -> Verdict | None:
    """Read a boolean below a list of failures or threats: `missing_headers: {"hsts": true}`."""
    is_of_run = given.name in NAMES.failures["false"] | {"checked", "enabled", "available"}
    is_of_threats = given.parent in NAMES.conclusive_lists and given.name in NAMES.attacks
    if is_of_run or not (is_of_threats or given.parent in NAMES.failure_lists):
        return None
    if not isinstance(given.value, bool):
        return Verdict.ISSUE if normalized(str(given.value)) in NAMES.states["bad"] else None
    return Verdict.ISSUE if given.value else Verdict.PASSED


def _protection(given: _Value) -> Verdict | None:
    # In DNS these are types of records.
    others = {None, "HTTPS", "TLS"} if given.section == "dns" else {None}
    if NAMES.protection(given.path[-1]) in others:
        return None
    if given.text and (state := state_of(given.text, given.path[-1:])):
        return state
    if NAMES.absent_text.search(given.text):
        return Verdict.ISSUE
    truth = boolean_of(given.value)
    return None if truth is None else Verdict.PASSED if truth else Verdict.ISSUE


def _threat_state(given: _Value) -> Verdict | None:
    """Read a state under the name of a threat: `malware: "detected"`."""
    if given.name in NAMES.threats:
        if normalized(given.text) in NAMES.states["good"] | NAMES.states["absent"]:
            return Verdict.PASSED
        return None if NAMES.is_placeholder(given.text) else Verdict.ISSUE
    return state_of(given.text, given.path[-1:]) if is_threat(given.path[-1:]) else None


def _state(given: _Value) -> Verdict | None:
    is_below = bool(given.name) and given.parent in NAMES.states["parents"]
    if not (is_below or given.words[-1] in NAMES.states["names"]):
        return None
    state = state_of(given.text.removeprefix("CERT_").removeprefix("cert_"), given.path)
    # `status: "ok"` alone says that the look-up was.
    is_of_lookup = len(given.words) < 2 and not is_below
    return None if state is Verdict.PASSED and is_of_lookup else state


def _unmistakable(given: _Value) -> Verdict | None:
    """Read a word that is bad under any name but an error's: `crl_status: "revoked"`."""
    if given.name in NAMES.failures["errors"]:
        return None
    is_title = given.name in NAMES.titles and " " in given.text
    if not is_title and (found := _VULNERABLE.fullmatch(given.text)):
        return Verdict.PASSED if found["not"] else Verdict.ISSUE
    is_bad = normalized(given.text) in NAMES.states["unmistakable"]
    return Verdict.ISSUE if is_bad and given.section in {"dns", "ssl"} else None


def _response_code(given: _Value) -> Verdict | None:
    is_code = given.name in {"statuscode", "rcode", "responsecode"}
    return Verdict.ISSUE if is_code and given.text in _RCODES.values() else None


def _listing(given: _Value) -> Verdict | None:
    """Read what a list of blocked names answers: `"zen.spamhaus.org": "127.0.0.2"`."""
    is_list = "." in given.path[-1] or is_threat(given.path[-1:])
    return Verdict.ISSUE if is_list and _LISTED.fullmatch(given.text) else None


def _grade(given: _Value) -> Verdict | None:
    if NAMES.grades["names"].isdisjoint({given.parent, given.name}):
        return None
    if not _GRADE.fullmatch(given.text.strip()):
        return state_of(given.text, given.path) if given.name == "grade" else None
    letter = given.text.strip()[0].lower()
    if letter in NAMES.grades["bad"]:
        return Verdict.ISSUE
    return Verdict.PASSED if letter == "a" else Verdict.INFO


def _count(given: _Value) -> Verdict | None:
    value = int(given.text) if _COUNT.fullmatch(given.text) else given.value
    is_of_lookup = given.name == "failed" and given.section != "security"
    if is_of_lookup or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    flag = without_prefix(given.path[-1])
    if flag != "blocked" and flag in NAMES.bad_if_true and value > 1:
        return Verdict.ISSUE
    is_total = given.name in _TOTALS and given.parent in NAMES.conclusive_lists
    # Of the number of bad issues: `high_level_findings`.
    is_rated = (
        len(given.words) > 1
        and NAMES.severity(given.words[0]) in {"critical", "high"}
        and given.words[-1] in NAMES.conclusive_lists
    )
    if is_total or is_rated or given.name in NAMES.counts["bad"]:
        return Verdict.ISSUE if value > 0 else Verdict.PASSED
    return None


def counts_bad(name: str, value: object) -> bool:
    """Return whether a number may be of something bad: `threats_found: 3`."""
    bad = NAMES.conclusive_lists | NAMES.failure_lists | NAMES.bad_if_true
    return is_number(value) and value > 0 and not bad.isdisjoint(words_of(name))


def _no_issues(given: _Value) -> Verdict | None:
    """Read a word in place of a list of issues: `issues: "none"`."""
    is_none = NAMES.is_no_issue(given.text) or normalized(given.text) in {"no", "clean"}
    return Verdict.EMPTY if is_none and given.name in NAMES.conclusive_lists else None


def _risk(given: _Value) -> Verdict | None:
    # A level or an impact may be of anything, but for one in a list of things.
    is_of_item = len(given.path) > 1 and given.path[-2].isdecimal()
    is_named = is_of_item or given.name not in {"level", "impact"}
    if not (isinstance(given.value, str) and is_named and given.name in NAMES.severity_names):
        return None
    severity = NAMES.severity(given.text)
    return Verdict.ISSUE if severity in {"critical", "high", "medium"} else Verdict.INFO


def _certificate_error(given: _Value) -> Verdict | None:
    text, words = given.text, given.words
    if not words[0]:
        return None
    is_error = words[-1] in {"errors", "reason", "exception"} or {"error", "verify"} & {*words}
    is_state = words[-1] in NAMES.states["names"] and NAMES.states["good"].isdisjoint(
        words_of(text[:MAX_TEXT_CHARS])
    )
    if is_error or is_state or "verify error" in text:
        return Verdict.ISSUE if NAMES.certificate_text.search(text) else None
    is_message = given.name in NAMES.failures["names"]
    return Verdict.ISSUE if is_message and NAMES.distrust_text.search(text) else None


_SECURITY = frozenset({"security"})
_CHECKED = frozenset({"dns", "ssl", "security"})
_ALL = _CHECKED | {"whois"}
# Each rule, and the sections in which it reads. The first that knows a value counts.
_RULES: tuple[tuple[str, frozenset[str], Rule], ...] = (
    ("word for none", _SECURITY, _no_issues),
    ("unmistakable word", _CHECKED, _unmistakable),
    ("response code", frozenset({"dns"}), _response_code),
    ("listing", frozenset({"dns", "security"}), _listing),
    ("flag of a failure", _CHECKED, _flag),
    ("boolean", _ALL, _boolean),
    ("protection", _CHECKED, _protection),
    ("threat", _CHECKED, _threat_state),
    ("state", _CHECKED, _state),
    ("grade", _ALL, _grade),
    ("count", _CHECKED, _count),
    ("risk", _ALL, _risk),
    ("certificate error", frozenset({"ssl"}), _certificate_error),
)


def read_registry_state(path: Path, value: object) -> Reading | None:
    """Read a status of a registration (RFC 8056) that is the beginning of its end."""
    is_yes = isinstance(value, bool | str) and boolean_of(value)
    if path and is_yes and without_prefix(path[-1]) == "expired":
        title = f"{shown_path(path)}: yes"
        return issue_reading("whois", "registry state", path, title, is_named=True)
    if isinstance(value, str) and "\n" in value:
        found = _RAW_STATE.findall(value[:MAX_RAW_CHARS])
        return read_registry_state(("Domain status",), ", ".join(found))
    words = words_of(path[-1]) if path else ()
    is_state = bool(words) and words[-1] in NAMES.states["names"] | NAMES.signs["states"]
    if not isinstance(value, str) or not is_state:
        return None
    plain = value.split(" http")[0]
    given = {normalized(each) for each in (plain, *re.split(r"[\s,;|]+", plain))}
    if not given & NAMES.states["registry"]:
        return None
    meanings = (_REGISTRY_MEANINGS[each] for each in sorted(given & _REGISTRY_MEANINGS.keys()))
    meaning = "".join(f" ({each})" for each in meanings)
    title = f"{shown_path(path)}: {plain}{meaning}"
    return issue_reading("whois", "registry state", path, title, is_named=True)


def read_response_code(path: Path, given: Mapping[object, object]) -> Reading | None:
    """Read the response code of a DNS answer in JSON, which has its question beside it."""
    by_name = {normalized(str(key)): (str(key), value) for key, value in given.items()}
    for key, value in (by_name[name] for name in ("status", "rcode") if name in by_name):
        code = _RCODES.get(value) if isinstance(value, int) else None
        if code and "question" in by_name:
            about = (*path, key)
            title = f"{shown_path(path or about)}: {code}"
            return issue_reading("dns", "state", about, title, word=code, is_named=True)
    return None


def read_counts(section: str, path: Path, given: Mapping[object, object]) -> Reading | None:
    """Read the numbers of issues by severity, of which two stand side by side."""
    counts = {
        str(key): value
        for key, value in given.items()
        if normalized(str(key)) in NAMES.counts["rated"]
        and isinstance(value, int)
        and not isinstance(value, bool)
    }
    if len(counts) < MIN_COUNTS or section == "whois":
        return None
    bad = {key: n for key, n in counts.items() if n > 0 and normalized(key) != "info"}
    if not bad:
        is_whole = section == "security" and {*map(normalized, counts)} >= {"critical", "high"}
        return Reading(Verdict.EMPTY if is_whole else Verdict.PASSED, "count", path)
    title = ", ".join(f"{count:,} {normalized(key)}" for key, count in bad.items())
    where = f"{shown_path(path)}: {title}" if path else title
    return issue_reading(section, "count", path, where, word=next(iter(bad)), is_named=True)
