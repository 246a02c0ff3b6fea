"""Read a plain value of a scan by its name: booleans, states, grades, counts. Pure."""

import re
from collections.abc import Callable, Mapping

from bot.tracker.names import NAMES, normalized, without_prefix, words_of
from bot.tracker.readings import (
    Reading,
    Verdict,
    boolean_of,
    issue_reading,
    shown_path,
    value_text,
)
from bot.tracker.scan_facts import MAX_TEXT_CHARS

Path = tuple[str, ...]
Rule = Callable[[str, Path, object], Verdict | None]
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


def read_value(section: str, path: Path, value: object) -> Reading | None:
    """Return what a plain value says, `None` where its name means nothing."""
    for rule, read in _RULES:
        if verdict := read(section, path, value):
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
    if rule == "certificate error":
        said = _shortened(str(value))
    title = f"{about}: {said}"
    return issue_reading(section, rule, path, title, word=word, is_named=True)


def all_states(given: Mapping[object, object]) -> set[str]:
    """Return the texts of a record if each is a word for a state, whatever its name."""
    words = [normalized(value) for value in given.values() if isinstance(value, str)]
    known = NAMES.states["good"] | NAMES.states["bad"]
    is_named = any(
        normalized(str(key)) in NAMES.severity_names or normalized(str(key)) in NAMES.titles
        for key in given
    )
    are_known = all(word in known | {"error", "neutral", "none", "unknown"} for word in words)
    is_one = sum(word in known for word in words) >= MIN_STATES and are_known and not is_named
    return {*words} if is_one else set()


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
    words = [words_of(each) for each in path if not each.isdecimal()][-1:]
    is_list = bool(words) and words[0][-1:] in (("protocols",), ("versions",))
    is_used = is_list and not {"disabled", "unsupported", "rejected", "not"} & {*words[0]}
    # Shodan writes `-SSLv3` of one that the server does not speak.
    return is_used and text[:1].isalpha() and normalized(text) in NAMES.old_protocols


def old_protocol(path: Path) -> str | None:
    """Return the name of a broken protocol with which a list tells what a server accepts."""
    if not path or "accepted" not in words_of(path[-1]):
        return None
    old = tuple(NAMES.old_protocols)
    return next((each for each in path if normalized(each).startswith(old)), None)


def _shortened(text: str) -> str:
    """Return an error of a certificate, from what it says on if it is long."""
    found = NAMES.certificate_text.search(text)
    start = found.start() if found and len(text) > MAX_ERROR_CHARS else 0
    return f"… {text[start:]}" if start else text


def is_threat(path: Path) -> bool:
    """Return whether a name of the path is of something bad: `malware`, `blacklists`."""
    return any(
        without_prefix(each) in NAMES.bad_if_true | NAMES.failure_lists for each in path[-2:]
    )


def state_of(text: str, path: Path) -> Verdict | None:
    """Return what a state says of what the path is about: of a protection, a threat, anything.

    A threat that is absent is good, a protection that is absent is not.
    """
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


def _boolean(section: str, path: Path, value: object) -> Verdict | None:
    name, words = without_prefix(path[-1]), words_of(path[-1])
    is_number = isinstance(value, int) and not isinstance(value, bool)
    is_code = is_number and (name in NAMES.attacks or name == "blocked")
    if words[:1] in (("no",), ("not",)) or is_code:
        return None
    joined = f"{without_prefix(path[-2])}{name}" if len(path) > 1 else ""
    if joined in NAMES.bad_if_true | NAMES.bad_if_false:  # `chain: {complete: false}`
        name = joined
    if boolean_of(value) is not None and not is_number:
        if "vulnerable" in words[:2]:  # `is_vulnerable_to_heartbleed`
            name = "vulnerable"
        elif section == "ssl" and {"match", "matches"} & {*words}:
            name = "matches"
    is_known = name in NAMES.bad_if_true | NAMES.bad_if_false
    truth = boolean_of(value)
    if truth is None or not is_known:
        is_unread = is_known and section != "whois" and isinstance(value, str) and bool(value)
        return Verdict.NOT_CHECKED if is_unread and not _is_stated(path, value) else None
    if name in NAMES.bad_if_true:
        is_count = not isinstance(value, bool) and name in NAMES.counts["bad"]
        return None if is_count else Verdict.ISSUE if truth else Verdict.PASSED
    is_of_account = section == "dns" and name == "verified"
    is_of_threat = name in {"match", "matches"} and is_threat(path[:-1])
    if section == "whois" or is_of_account or is_of_threat:
        return None
    return Verdict.PASSED if truth else Verdict.ISSUE


def _is_stated(path: Path, value: object) -> bool:
    """Return whether another rule reads the value: a date, a number, a word that is known."""
    text = str(value)
    is_known = state_of(text, path) is not None
    return is_known or bool(_COUNT.match(text)) or NAMES.is_placeholder(text)


def _flag(section: str, path: Path, value: object) -> Verdict | None:
    """Read a boolean below a list of failures or threats: `missing_headers: {"hsts": true}`."""
    parent = normalized(path[-2]) if len(path) > 1 else ""
    name = normalized(path[-1])
    is_of_run = name in NAMES.failures["false"] | {"checked", "enabled", "available"}
    is_of_threats = parent in NAMES.conclusive_lists and name in NAMES.attacks
    if section == "whois" or is_of_run or not (is_of_threats or parent in NAMES.failure_lists):
        return None
    if not isinstance(value, bool):
        return Verdict.ISSUE if normalized(str(value)) in NAMES.states["bad"] else None
    return Verdict.ISSUE if value else Verdict.PASSED


def _protection(section: str, path: Path, value: object) -> Verdict | None:
    protection = NAMES.protection(path[-1])
    # In DNS it is a type of record.
    is_record = section == "dns" and protection in {"HTTPS", "TLS"}
    if section == "whois" or protection is None or is_record:
        return None
    if isinstance(value, str) and (state := state_of(value, path[-1:])):
        return state
    if isinstance(value, str) and NAMES.absent_text.search(value):
        return Verdict.ISSUE
    truth = boolean_of(value)
    return None if truth is None else Verdict.PASSED if truth else Verdict.ISSUE


def _threat_state(section: str, path: Path, value: object) -> Verdict | None:
    """Read a state under the name of a threat: `malware: "detected"`."""
    if section == "whois" or not isinstance(value, str):
        return None
    if normalized(path[-1]) in NAMES.threats:
        if normalized(value) in NAMES.states["good"] | NAMES.states["absent"]:
            return Verdict.PASSED
        return None if NAMES.is_placeholder(value) else Verdict.ISSUE
    return state_of(value, path[-1:]) if is_threat(path[-1:]) else None


def _state(section: str, path: Path, value: object) -> Verdict | None:
    words = words_of(path[-1])
    parent = normalized(path[-2]) if len(path) > 1 else ""
    is_below = parent in NAMES.states["parents"]
    is_state = bool(words) and (words[-1] in NAMES.states["names"] or is_below)
    if not isinstance(value, str) or section == "whois" or not is_state:
        return None
    text = value.removeprefix("CERT_").removeprefix("cert_")
    state = state_of(text, path)
    # `status: "ok"` alone says that the look-up was.
    return None if state is Verdict.PASSED and len(words) < 2 and not is_below else state


def _unmistakable(section: str, path: Path, value: object) -> Verdict | None:
    """Read a word that is bad under any name but an error's: `crl_status: "revoked"`."""
    if not isinstance(value, str) or normalized(path[-1]) in NAMES.failures["errors"]:
        return None
    is_title = normalized(path[-1]) in NAMES.titles and " " in value
    if section != "whois" and not is_title and (found := _VULNERABLE.fullmatch(value)):
        return Verdict.PASSED if found["not"] else Verdict.ISSUE
    is_bad = section in {"dns", "ssl"} and normalized(value) in NAMES.states["unmistakable"]
    return Verdict.ISSUE if is_bad else None


def _response_code(section: str, path: Path, value: object) -> Verdict | None:
    is_code = section == "dns" and normalized(path[-1]) in {"statuscode", "rcode", "responsecode"}
    return Verdict.ISSUE if is_code and value in _RCODES.values() else None


def _listing(section: str, path: Path, value: object) -> Verdict | None:
    """Read what a list of blocked names answers: `"zen.spamhaus.org": "127.0.0.2"`."""
    is_answer = isinstance(value, str) and _LISTED.fullmatch(value) is not None
    is_list = "." in path[-1] or is_threat(path[-1:])
    return Verdict.ISSUE if is_answer and is_list and section in {"dns", "security"} else None


def _grade(_section: str, path: Path, value: object) -> Verdict | None:
    is_named = any(normalized(name) in NAMES.grades["names"] for name in path[-2:])
    if not is_named or not isinstance(value, str):
        return None
    if not _GRADE.fullmatch(value.strip()):
        return state_of(value, path) if normalized(path[-1]) == "grade" else None
    letter = value.strip()[0].lower()
    if letter in NAMES.grades["bad"]:
        return Verdict.ISSUE
    return Verdict.PASSED if letter == "a" else Verdict.INFO


def _count(section: str, path: Path, value: object) -> Verdict | None:
    name = normalized(path[-1])
    parent = normalized(path[-2]) if len(path) > 1 else ""
    is_total = name in _TOTALS and parent in NAMES.conclusive_lists
    is_bad = name in NAMES.counts["bad"] or is_total or _is_rated_count(path[-1])
    if name == "failed" and section != "security":
        return None
    if isinstance(value, str) and _COUNT.fullmatch(value):
        value = int(value)
    if section == "whois" or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    flag = without_prefix(path[-1])
    if flag != "blocked" and flag in NAMES.bad_if_true and value > 1:
        return Verdict.ISSUE
    return (Verdict.ISSUE if value > 0 else Verdict.PASSED) if is_bad else None


def counts_bad(name: str, value: object) -> bool:
    """Return whether a number may be of something bad: `threats_found: 3`."""
    bad = NAMES.conclusive_lists | NAMES.failure_lists | NAMES.bad_if_true
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return is_number and bool({*words_of(name)} & bad)


def _is_rated_count(name: str) -> bool:
    """Return whether a name is of the number of bad issues: `high_level_findings`."""
    words = words_of(name)
    return (
        len(words) > 1
        and NAMES.severity(words[0]) in {"critical", "high"}
        and words[-1] in NAMES.conclusive_lists
    )


def _no_issues(section: str, path: Path, value: object) -> Verdict | None:
    """Read a word in place of a list of issues: `issues: "none"`."""
    if section != "security" or normalized(path[-1]) not in NAMES.conclusive_lists:
        return None
    if not isinstance(value, str):
        return None
    is_none = NAMES.is_no_issue(value) or normalized(value) in {"no", "clean"}
    return Verdict.EMPTY if is_none else None


def _risk(_section: str, path: Path, value: object) -> Verdict | None:
    name = normalized(path[-1])
    # A level or an impact may be of anything, but for one in a list of things.
    is_of_item = len(path) > 1 and path[-2].isdecimal()
    is_named = name in NAMES.severity_names and (is_of_item or name not in {"level", "impact"})
    if not is_named or not isinstance(value, str):
        return None
    severity = NAMES.severity(value)
    return Verdict.ISSUE if severity in {"critical", "high", "medium"} else Verdict.INFO


def _certificate_error(section: str, path: Path, value: object) -> Verdict | None:
    words = words_of(path[-1])
    if section != "ssl" or not words or not isinstance(value, str):
        return None
    is_error = words[-1] in {"error", "errors", "reason", "exception"} or "verify" in words
    is_state = (
        words[-1] in NAMES.states["names"]
        and not {*words_of(value[:MAX_TEXT_CHARS])} & NAMES.states["good"]
    )
    if is_error or is_state or "verify error" in value or "error" in words:
        return Verdict.ISSUE if NAMES.certificate_text.search(value) else None
    is_message = normalized(path[-1]) in NAMES.failures["names"]
    return Verdict.ISSUE if is_message and NAMES.distrust_text.search(value) else None


_RULES: tuple[tuple[str, Rule], ...] = (
    ("word for none", _no_issues),
    ("unmistakable word", _unmistakable),
    ("response code", _response_code),
    ("listing", _listing),
    ("flag of a failure", _flag),
    ("boolean", _boolean),
    ("protection", _protection),
    ("threat", _threat_state),
    ("state", _state),
    ("grade", _grade),
    ("count", _count),
    ("risk", _risk),
    ("certificate error", _certificate_error),
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
    for name in ("status", "rcode"):
        key, value = by_name.get(name, ("", None))
        is_code = isinstance(value, int) and not isinstance(value, bool) and value in _RCODES
        if is_code and "question" in by_name:
            about, code = (*path, key), _RCODES[value]  # type: ignore[index]  # an int: see above
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
    word = next(iter(bad))
    return issue_reading(section, "count", path, where, word=word, is_named=True)
