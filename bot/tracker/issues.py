"""Recognize issues, and checks that passed, in a section of any shape. Pure.

By rules of shape and by the names of `names.toml`: none for a single tool. What is not recognized
is said as that, never guessed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bot.tracker.checks import read_check
from bot.tracker.failed_lookups import has_error_text, reports_failure
from bot.tracker.names import NAMES, humanized, normalized, without_prefix
from bot.tracker.neutral import is_bad_news, says_nothing
from bot.tracker.readings import (
    Reading,
    Verdict,
    boolean_of,
    is_plain,
    issue_reading,
    severity_name,
    shown_path,
    texts_of,
)
from bot.tracker.value_rules import (
    all_states,
    is_old_protocol,
    is_threat,
    old_protocol,
    read_counts,
    read_registry_state,
    read_response_code,
    read_state,
    read_value,
)

MAX_PATH_PARTS = 12
_SAYS_NOTHING = re.compile(r"[\d.,:-]+|https?://\S+|/\S*|GET|HEAD|POST|PUT|OPTIONS")
Given = Mapping[object, object]
Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and its names from the section down; `word` names the severity of a list's items.

    `kind` is that of the list in which it stands: issue, failure, pass, unchecked. `is_judged`: a
    record above said how it came out, so that only issues count here.
    """

    section: str
    path: tuple[str, ...]
    value: object
    kind: str = ""
    word: str = ""
    is_judged: bool = False

    @property
    def name(self) -> str:
        return normalized(self.path[-1]) if self.path else ""

    @property
    def is_conclusive(self) -> bool:
        """Whether the list in which it stands, empty, proves that there are no issues."""
        return any(normalized(each) in NAMES.conclusive_lists for each in self.path[-2:])

    @property
    def is_notice(self) -> bool:
        """Whether its list may be of settings: `alerts: [{"days": 30}]`."""
        names = [normalized(each) for each in self.path if not each.isdecimal()]
        return bool(names) and names[-1] not in NAMES.conclusive_lists

    def below(self, name: str, value: object, kind: str = "", word: str = "") -> "_Node":
        # Of a deep path only the last names count.
        path = (*self.path[-MAX_PATH_PARTS:], name)
        return _Node(self.section, path, value, kind, word, self.is_judged)

    def reading(self, verdict: Verdict, rule: str) -> Reading:
        return Reading(verdict, rule, self.path)


Found = tuple[list[Reading], list[_Node]]


def readings_in(section: str, value: object) -> Iterator[Reading]:
    """Yield what is recognized in a section, and in `security` what is not; in its order."""
    stack = [_Node(section, (), value)]  # a scan may be nested deeper than Python's stack
    while stack:
        node = stack.pop()
        if isinstance(node.value, Mapping):
            found, children = _record(node, node.value)
        elif isinstance(node.value, list):
            found, children = _items(node, node.value)
        else:
            found, children = _plain_item(node), []
        yield from found
        stack += reversed(children)


def _record(node: _Node, given: Given) -> Found:
    """Return what a record says, and what is to be read below it."""
    whole = _whole(node, given)
    if any(each.verdict is Verdict.ISSUE for each in whole):
        return whole, []
    if whole or node.is_judged:
        return whole, _children(replace(node, is_judged=True), given)
    children = _children(node, given)
    if reports_failure(given):
        return [node.reading(Verdict.NOT_CHECKED, "failed lookup")], children
    is_security = node.section == "security"
    found = [read_counts(node.section, node.path, given)]
    left_out = NAMES.ignored | (NAMES.counts["rated"] if found[0] else set())
    if node.section == "dns":
        found.append(read_response_code(node.path, given))
    if is_security and has_error_text(given):
        found.append(node.reading(Verdict.NOT_CHECKED, "error"))
    # Those only say which checks are made.
    are_booleans = all(isinstance(value, bool) for value in given.values())
    are_switches = are_booleans and node.name in NAMES.switches
    states = all_states(given) if is_security else set()
    for key, value in given.items():
        is_nested = isinstance(value, dict | list)
        if is_nested or are_switches or normalized(str(key)) in left_out:
            continue
        below = node.below(str(key), value)
        reading = _value(below, given)
        if states and (not reading or reading.verdict is Verdict.UNREAD):
            reading = read_state(node.section, below.path, value, states)
        found.append(reading)
    read = [each for each in found if each]
    flags = (each for each in read if each.issue and each.rule == "boolean")
    said = [without_prefix(each.path[-1]) for each in flags]
    return [each for each in read if not _sums_up(each, said)], children


def _whole(node: _Node, given: Given) -> list[Reading]:
    """Read a record that is one issue or one check."""
    texts = texts_of(given)
    if node.kind == "issue" and not any(isinstance(v, dict | list) for v in given.values()):
        return _listed_issue(node, given, texts)
    check = read_check(node.section, node.path, given, texts)
    if node.is_judged and not any(each.verdict is Verdict.ISSUE for each in check):
        check = []
    return _rated(node, given, texts) or check or _listed(node, given, texts)


def _children(node: _Node, given: Given) -> list[_Node]:
    # `{"issues": {"critical": [...]}}`, or a list in an issue's record
    is_grouped = node.kind == "issue" or node.name in NAMES.issue_lists
    children = []
    for key, value in given.items():
        if isinstance(value, dict | list) and normalized(str(key)) not in NAMES.ignored:
            is_listed = isinstance(value, list) and is_grouped
            kind, word = ("issue", str(key)) if is_listed else ("", "")
            children.append(node.below(str(key), value, kind, word))
    return children


def _value(node: _Node, given: Given) -> Reading | None:
    """Read a plain value; say of one that is not read, and may be bad, that it is not."""
    if node.section == "whois":
        reading = read_registry_state(node.path, node.value)
    else:
        reading = read_value(node.section, node.path, node.value)
    # Elsewhere a check that was not made says nothing about issues; a bad word does.
    if reading is None or (node.section != "security" and not reading.issue):
        return _unread(node, node.value, given) or reading
    return reading


def _unread(node: _Node, value: object, given: Given) -> Reading | None:
    if node.section == "security":
        may_be_bad = not says_nothing(node.path, value, given)
    else:
        may_be_bad = is_bad_news(node.path, value)
    return node.reading(Verdict.UNREAD, "") if may_be_bad else None


def _listed(node: _Node, given: Given, texts: Texts) -> list[Reading]:
    """Read an item of a list of issues, of what failed, passed, or could not be checked."""
    match node.kind:
        case "issue":
            return _listed_issue(node, given, texts)
        case "pass":
            return [node.reading(Verdict.PASSED, "pass list")]
        case "unchecked":
            return [node.reading(Verdict.NOT_CHECKED, "unchecked list")]
        case "failure" if title := _title(texts, None):
            return [_issue("list of failures", node, title, "", texts)]
    return []


def _listed_issue(node: _Node, given: Given, texts: Texts) -> list[Reading]:
    rated = severity_name(texts)
    word = texts[rated] if rated else node.word
    if _is_closed(given, word):
        return [node.reading(Verdict.PASSED, "closed issue")]
    if not texts or (node.is_notice and not rated and not texts.keys() & NAMES.titles):
        return []
    title = _title(texts, rated)
    if NAMES.is_no_issue(title):
        return [_none(node)]
    return [_issue("list of issues", node, title, word, texts)]


def _rated(node: _Node, given: Given, texts: Texts) -> list[Reading]:
    """Read a record with a severity and a title, in whatever list it stands."""
    if (rated := severity_name(texts)) is None:
        return []
    word, title = texts[rated], _title(texts, rated)
    severity, in_list = NAMES.severity(word), bool(node.path) and node.path[-1].isdecimal()
    if _is_closed(given, word) and title:
        return [node.reading(Verdict.PASSED, "record with a severity")]
    is_rated = bool(severity) or rated == "severity"
    is_level = rated in {"level", "impact"} and not in_list and not node.kind
    if normalized(word) == "fatal" and NAMES.reports_failure(title):
        return [node.reading(Verdict.NOT_CHECKED, "failed lookup")]
    is_titled = texts.keys() & NAMES.titles or (in_list and "type" in texts)
    if not title or not is_rated or is_level or not is_titled:
        return []
    is_small = severity == "info" or (severity == "low" and "risk" in rated)
    if is_small and node.kind != "issue":
        return [node.reading(Verdict.INFO, "record with a severity")]
    return [_issue("record with a severity", node, title, word, texts)]


def _items(node: _Node, items: list[object]) -> Found:
    is_plain_list = all(map(is_plain, items))
    if node.section == "whois" and is_plain_list:
        given = (read_registry_state(node.path, each) for each in items)
        if found := [each for each in given if each]:
            return found, []
    kind = _kind(node)
    old = old_protocol(node.path) if node.section == "ssl" else None
    if items and old:
        return [_failure(node, f"{humanized(old)}: accepted")], []
    if not items:
        return _empty(node, kind), []
    if kind == "issue" and node.kind == "issue" and is_plain_list:
        return _plain_item(replace(node, value=", ".join(map(str, items)))), []
    return [], [
        node.below(str(number), item, kind, node.word) for number, item in enumerate(items, 1)
    ]


def _kind(node: _Node) -> str:
    if node.name in NAMES.unchecked_lists:
        return "unchecked"
    if node.name in NAMES.issue_lists:
        return "issue"
    is_passed = node.name in NAMES.pass_lists
    is_failure = node.name in NAMES.failure_lists or (is_passed and is_threat(node.path[:-1]))
    # In other sections `matches` are names that fit.
    if is_failure and node.section != "whois":
        is_match = node.name in {"matches", "detections"} and node.section != "security"
        return "" if is_match else "failure"
    return "pass" if is_passed else node.kind


def _empty(node: _Node, kind: str) -> list[Reading]:
    """Read an empty list: `issues: []`, `issues: {"items": []}`, `missing: []`."""
    if node.section != "security" or node.is_judged:
        return []
    if node.is_conclusive:
        return [node.reading(Verdict.EMPTY, "empty list of issues")]
    if kind == "failure":
        return [node.reading(Verdict.INFO, "empty list of failures")]
    return []


def _plain_item(node: _Node) -> list[Reading]:
    text, path = str(node.value).strip(), node.path
    if node.section == "whois" and not path:
        found = read_registry_state((), text)
        return [found] if found else []
    if not is_plain(node.value) or not text or not path:
        return []
    match node.kind:
        case "issue" if NAMES.is_no_issue(text):
            return [_none(node)]
        case "issue" if normalized(text) in NAMES.states["good"]:
            return []
        case "issue" if node.is_notice and not _is_sentence(text):
            return []
        case "issue":
            return [_issue("list of issues", node, text, node.word, {})]
        case "failure":
            listed = next((each for each in reversed(path) if not each.isdecimal()), "Failed")
            return [_failure(node, f"{humanized(listed)}: {text}")]
        case "pass" if "present" not in map(normalized, path[-2:-1]) or NAMES.protection(text):
            return [node.reading(Verdict.PASSED, "pass list")]
        case "unchecked":
            read = read_value(node.section, path[:-1], text)
            return [read or node.reading(Verdict.NOT_CHECKED, "unchecked list")]
    if node.section == "ssl" and is_old_protocol(path, text):
        return [_failure(node, f"{shown_path(path)}: {text}")]
    unread = None if node.is_judged else _unread(node, text, {})
    return [unread] if unread else []


def _none(node: _Node) -> Reading:
    """Read an item that stands for an empty list: `issues: ["No issues found"]`."""
    return node.reading(Verdict.EMPTY if node.is_conclusive else Verdict.INFO, "word for none")


def _failure(node: _Node, title: str) -> Reading:
    return issue_reading(node.section, "list of failures", node.path, title, is_named=True)


def _issue(rule: str, node: _Node, title: str, word: str, texts: Texts) -> Reading:
    return issue_reading(node.section, rule, node.path, title, word=word, texts=texts)


def _title(texts: Texts, rated: str | None) -> str:
    named = [name for name in NAMES.titles if name in texts]
    others = [n for n in texts if n != rated and n not in NAMES.texts["fix"]]
    # A number, an address or a method says nothing of what is bad.
    telling = (name for name in named + others if not _SAYS_NOTHING.fullmatch(texts[name]))
    title_key = next(telling, (named + others + [""])[0])
    title = texts.get(title_key, "")
    about = texts.get("id", "") or texts.get("check", "")
    is_alone = title_key in {"finding", "message", "text", "detail", "details"}
    return f"{about}: {title}" if is_alone and about and about != title else title


def _is_closed(given: Given, word: str) -> bool:
    """Return whether an issue is none any more, or was looked for and not found."""
    closed, confirming = NAMES.states["closed"], NAMES.states["confirming"]
    # There is a version with a fix; it may not be installed.
    if {"fixedversion", "fixedin"} & {normalized(str(key)) for key in given}:
        closed = closed - {"fixed"}
    return normalized(word) in closed or any(
        (normalized(str(key)) in NAMES.states["names"] and normalized(str(value)) in closed)
        or (without_prefix(str(key)) in closed and boolean_of(value) is True)
        or (without_prefix(str(key)) in confirming and boolean_of(value) is False)
        for key, value in given.items()
    )


def _sums_up(reading: Reading, said: list[str]) -> bool:
    """Return whether it is the number of what a boolean says: `list_count` of `listed`."""
    about = normalized(reading.path[-1]).removesuffix("count") if reading.path else ""
    return reading.rule == "count" and bool(about) and any(each.startswith(about) for each in said)


def _is_sentence(text: str) -> bool:
    """Return whether a text is no number and no address: `30`, `ops@shop.example`."""
    return any(char.isalpha() for char in text) and ("@" not in text or " " in text)
