"""Recognize issues, and checks that passed, in a section of any shape. Pure.

By rules of shape and by the names of `names.toml`: none for a single tool. What is not recognized
is said as that, never guessed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.tracker.checks import read_check
from bot.tracker.failed_lookups import has_error_text, reports_failure
from bot.tracker.names import NAMES, humanized, normalized, without_prefix
from bot.tracker.neutral import is_bad_news, says_nothing
from bot.tracker.readings import (
    Reading,
    Verdict,
    boolean_of,
    fix_in,
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


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and its names from the section down; `word` names the severity of a list's items.

    `kind` is that of the list in which it stands: issue, failure, pass, unchecked. `is_judged`: a
    record above said how it came out, so that only issues count here.
    """

    path: tuple[str, ...]
    value: object
    kind: str = ""
    word: str = ""
    is_judged: bool = False

    def below(self, name: str, value: object, kind: str = "", word: str = "") -> "_Node":
        # Of a deep path only the last names count.
        path = (*self.path[-MAX_PATH_PARTS:], name)
        return _Node(path, value, kind, word, self.is_judged)


Found = tuple[list[Reading], list[_Node]]


def readings_in(section: str, value: object) -> Iterator[Reading]:
    """Yield what is recognized in a section, and in `security` what is not; in its order."""
    reader = _Reader(section)
    stack = [_Node((), value)]  # without recursion: a scan may be nested deeper than the stack
    while stack:
        node = stack.pop()
        if isinstance(node.value, Mapping):
            found, children = reader.record(node, node.value)
        elif isinstance(node.value, list):
            found, children = reader.items(node, node.value)
        else:
            found, children = reader.plain_item(node), []
        yield from found
        stack += reversed(children)


class _Reader:
    """Reads one section by the table of names."""

    def __init__(self, section: str) -> None:
        self._section = section

    def record(self, node: _Node, given: Given) -> Found:
        """Return what a record says, and what is to be read below it."""
        if whole := self._whole(node, given):
            if any(each.verdict is Verdict.ISSUE for each in whole):
                return whole, []
            return whole, self._children(node, given, is_judged=True)
        if node.is_judged:
            return [], self._children(node, given, is_judged=True)
        children = self._children(node, given)
        if reports_failure(given):
            return [Reading(Verdict.NOT_CHECKED, "failed lookup", node.path)], children
        found = [read_counts(self._section, node.path, given)]
        if self._section == "dns":
            found.append(read_response_code(node.path, given))
        is_counted = found[0] is not None
        if self._section == "security" and has_error_text(given):
            found.append(Reading(Verdict.NOT_CHECKED, "error", node.path))
        switches = self._are_switches(node, given)
        states = all_states(given) if self._section == "security" else set()
        for key, value in given.items():
            is_left_out = isinstance(value, dict | list) or normalized(str(key)) in (
                NAMES.ignored | (NAMES.counts["rated"] if is_counted else set())
            )
            if not is_left_out and not (switches and isinstance(value, bool)):
                below = node.below(str(key), value)
                reading = self._value(below, given)
                if states and (not reading or reading.verdict is Verdict.UNREAD):
                    reading = read_state(self._section, below.path, value, states)
                found.append(reading)
        read = [each for each in found if each]
        said = [
            without_prefix(each.path[-1]) for each in read if each.issue and each.rule == "boolean"
        ]
        return [each for each in read if not _sums_up(each, said)], children

    def _whole(self, node: _Node, given: Given) -> list[Reading]:
        """Read a record that is one issue or one check."""
        is_flat = not any(isinstance(value, dict | list) for value in given.values())
        if node.kind == "issue" and is_flat:
            return self._listed_issue(node, given)
        check = read_check(self._section, node.path, given)
        if node.is_judged and not any(each.verdict is Verdict.ISSUE for each in check):
            check = []
        return (
            self._rated(node, given)
            or check
            or (self._listed_issue(node, given) if node.kind == "issue" else [])
            or self._listed(node, given)
        )

    def _children(self, node: _Node, given: Given, *, is_judged: bool = False) -> list[_Node]:
        is_grouped = bool(node.path) and normalized(node.path[-1]) in NAMES.issue_lists
        children = []
        for key, value in given.items():
            if not isinstance(value, dict | list) or normalized(str(key)) in NAMES.ignored:
                continue
            # `{"issues": {"critical": [...]}}`, or a list in an issue's record
            is_listed = isinstance(value, list) and (is_grouped or node.kind == "issue")
            kind, word = ("issue", str(key)) if is_listed else ("", "")
            below = node.below(str(key), value, kind, word)
            path = below.path
            children.append(_Node(path, value, kind, word, is_judged or node.is_judged))
        return children

    def _value(self, node: _Node, given: Given) -> Reading | None:
        """Read a plain value; say of one that is not read, and may be bad, that it is not."""
        value = node.value
        if self._section == "whois":
            reading = read_registry_state(node.path, value)
        else:
            reading = read_value(self._section, node.path, value)
        # Elsewhere a check that was not made says nothing about issues; a bad word does.
        if reading is None or (self._section != "security" and not reading.issue):
            return self._unread(node.path, value, given) or reading
        return reading

    def _unread(self, path: tuple[str, ...], value: object, given: Given) -> Reading | None:
        if self._section != "security":
            may_be_bad = is_bad_news(path, value)
        else:
            may_be_bad = not says_nothing(path, value, given)
        return Reading(Verdict.UNREAD, "", path) if may_be_bad else None

    def _are_switches(self, node: _Node, given: Given) -> bool:
        """Return whether a record only says which checks are made."""
        name = normalized(node.path[-1]) if node.path else ""
        return name in NAMES.switches and all(isinstance(value, bool) for value in given.values())

    def _listed_issue(self, node: _Node, given: Given) -> list[Reading]:
        texts = texts_of(given)
        rated = severity_name(texts)
        word = texts[rated] if rated else node.word
        if self._is_closed(given, word):
            return [Reading(Verdict.PASSED, "closed issue", node.path)]
        if not texts or (self._is_notice(node) and not rated and not self._titled(texts)):
            return []
        title = self._title(texts, rated)
        if NAMES.is_no_issue(title):
            return [self._none(node.path)]
        return [self._issue("list of issues", node.path, title, word, texts)]

    def _is_notice(self, node: _Node) -> bool:
        """Return whether a list may be of settings: `alerts: [{"days": 30}]`."""
        names = [normalized(each) for each in node.path if not each.isdecimal()]
        return bool(names) and names[-1] not in NAMES.conclusive_lists

    def _rated(self, node: _Node, given: Given) -> list[Reading]:
        """Read a record with a severity and a title, in whatever list it stands."""
        texts = texts_of(given)
        rated = severity_name(texts)
        if rated is None:
            return []
        word, title = texts[rated], self._title(texts, rated)
        severity, in_list = NAMES.severity(word), bool(node.path) and node.path[-1].isdecimal()
        if self._is_closed(given, word) and title:
            return [Reading(Verdict.PASSED, "record with a severity", node.path)]
        is_rated = bool(severity) or rated == "severity"
        is_level = rated in {"level", "impact"} and not in_list and not node.kind
        if normalized(word) == "fatal" and NAMES.reports_failure(title):
            return [Reading(Verdict.NOT_CHECKED, "failed lookup", node.path)]
        is_titled = self._titled(texts) or (in_list and "type" in texts)
        if not title or not is_rated or is_level or not is_titled:
            return []
        is_small = severity == "info" or (severity == "low" and "risk" in rated)
        if is_small and node.kind != "issue":
            return [Reading(Verdict.INFO, "record with a severity", node.path)]
        return [self._issue("record with a severity", node.path, title, word, texts)]

    def _listed(self, node: _Node, given: Given) -> list[Reading]:
        """Read an item of a list of what failed, passed, or could not be checked."""
        if node.kind in {"pass", "unchecked"}:
            verdict = Verdict.PASSED if node.kind == "pass" else Verdict.NOT_CHECKED
            return [Reading(verdict, f"{node.kind} list", node.path)]
        texts = texts_of(given)
        title = self._title(texts, None)
        if node.kind != "failure" or not title:
            return []
        return [self._issue("list of failures", node.path, title, "", texts)]

    # Lists

    def items(self, node: _Node, items: list[object]) -> Found:
        """Return what a list says by itself, and its items."""
        if self._section == "whois" and items and all(map(is_plain, items)):
            given = (read_registry_state(node.path, each) for each in items)
            if found := [each for each in given if each]:
                return found, []
        kind = self._kind(node)
        old = old_protocol(node.path) if self._section == "ssl" else None
        if items and old:
            title, rule = f"{humanized(old)}: accepted", "list of failures"
            return [issue_reading("ssl", rule, node.path, title, is_named=True)], []
        if not items:
            return self._empty(node, kind), []
        if kind == "issue" and node.kind == "issue" and all(map(is_plain, items)):
            text = ", ".join(map(str, items))
            return self.plain_item(_Node(node.path, text, "issue", node.word)), []
        return [], [
            node.below(str(number), item, kind, node.word) for number, item in enumerate(items, 1)
        ]

    def _kind(self, node: _Node) -> str:
        name = normalized(node.path[-1]) if node.path else ""
        if name in NAMES.unchecked_lists:
            return "unchecked"
        if name in NAMES.issue_lists:
            return "issue"
        is_failure = name in NAMES.failure_lists or (
            name in NAMES.pass_lists and is_threat(node.path[:-1])
        )
        # In other sections `matches` are names that fit.
        if is_failure and self._section != "whois":
            is_match = name in {"matches", "detections"} and self._section != "security"
            return "" if is_match else "failure"
        return "pass" if name in NAMES.pass_lists else node.kind

    def _empty(self, node: _Node, kind: str) -> list[Reading]:
        """Read an empty list: `issues: []`, `issues: {"items": []}`, `missing: []`."""
        if self._section != "security" or node.is_judged:
            return []
        names = [normalized(each) for each in node.path[-2:]]
        if any(each in NAMES.conclusive_lists for each in names):
            return [Reading(Verdict.EMPTY, "empty list of issues", node.path)]
        if kind == "failure":
            return [Reading(Verdict.INFO, "empty list of failures", node.path)]
        return []

    def plain_item(self, node: _Node) -> list[Reading]:
        """Read a plain value that is an item of a list."""
        text = str(node.value).strip()
        if self._section == "whois" and not node.path:
            found = read_registry_state((), text)
            return [found] if found else []
        if not is_plain(node.value) or not text or not node.path:
            return []
        path = node.path
        match node.kind:
            case "issue" if NAMES.is_no_issue(text):
                return [self._none(path)]
            case "issue" if normalized(text) in NAMES.states["good"]:
                return []
            case "issue" if self._is_notice(node) and not _is_sentence(text):
                return []
            case "issue":
                return [self._issue("list of issues", path, text, node.word, {})]
            case "failure":
                listed = next((each for each in reversed(path) if not each.isdecimal()), "Failed")
                title = f"{humanized(listed)}: {text}"
                rule = "list of failures"
                return [issue_reading(self._section, rule, path, title, is_named=True)]
            case "pass" if "present" not in map(normalized, path[-2:-1]) or NAMES.protection(text):
                return [Reading(Verdict.PASSED, "pass list", path)]
            case "unchecked":
                read = read_value(self._section, path[:-1], text)
                return [read or Reading(Verdict.NOT_CHECKED, "unchecked list", path)]
        if self._section == "ssl" and is_old_protocol(path, text):
            title = f"{shown_path(path)}: {text}"
            return [issue_reading("ssl", "list of failures", path, title, is_named=True)]
        unread = None if node.is_judged else self._unread(path, text, {})
        return [unread] if unread else []

    def _none(self, path: tuple[str, ...]) -> Reading:
        """Read an item that stands for an empty list: `issues: ["No issues found"]`."""
        names = [normalized(each) for each in path[-2:]]
        is_conclusive = any(each in NAMES.conclusive_lists for each in names)
        return Reading(Verdict.EMPTY if is_conclusive else Verdict.INFO, "word for none", path)

    def _issue(
        self, rule: str, path: tuple[str, ...], title: str, word: str, texts: Mapping[str, str]
    ) -> Reading:
        fix = fix_in(texts)
        return issue_reading(self._section, rule, path, title, word=word, fix=fix)

    def _titled(self, texts: Mapping[str, str]) -> bool:
        return any(name in texts for name in NAMES.titles)

    def _title(self, texts: Mapping[str, str], rated: str | None) -> str:
        named = [name for name in NAMES.titles if name in texts]
        others = [n for n in texts if n != rated and n not in NAMES.texts["fix"]]
        # A number, an address or a method says nothing of what is bad.
        telling = (name for name in named + others if not _SAYS_NOTHING.fullmatch(texts[name]))
        title_key = next(telling, (named + others + [""])[0])
        title = texts.get(title_key, "")
        about = texts.get("id", "") or texts.get("check", "")
        is_alone = title_key in {"finding", "message", "text", "detail", "details"}
        return f"{about}: {title}" if is_alone and about and about != title else title

    def _is_closed(self, given: Given, word: str) -> bool:
        """Return whether an issue is none any more, or was looked for and not found."""
        closed, confirming = NAMES.states["closed"], NAMES.states["confirming"]
        by_name = {str(key): value for key, value in given.items()}
        # There is a version with a fix; it may not be installed.
        if {"fixedversion", "fixedin"} & {*map(normalized, by_name)}:
            closed = closed - {"fixed"}
        return normalized(word) in closed or any(
            (normalized(name) in NAMES.states["names"] and normalized(str(value)) in closed)
            or (without_prefix(name) in closed and boolean_of(value) is True)
            or (without_prefix(name) in confirming and boolean_of(value) is False)
            for name, value in by_name.items()
        )


def _sums_up(reading: Reading, said: list[str]) -> bool:
    """Return whether it is the number of what a boolean says: `list_count` of `listed`."""
    about = normalized(reading.path[-1]).removesuffix("count") if reading.path else ""
    return reading.rule == "count" and bool(about) and any(each.startswith(about) for each in said)


def _is_sentence(text: str) -> bool:
    """Return whether a text is no number and no address: `30`, `ops@shop.example`."""
    return any(char.isalpha() for char in text) and ("@" not in text or " " in text)
