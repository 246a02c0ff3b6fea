"""Recognize issues, and checks that passed, in a section of any shape. Pure.

By rules of shape and by the names of `names.toml`: none for a single tool. What is not recognized
is left out, never guessed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.tracker.failures import failing_text, leaves_of
from bot.tracker.findings import MAX_TEXT_CHARS, MAX_WORD_CHARS, Issue, Severity
from bot.tracker.names import Names, bare, humanized, without_prefix, words_of

MAX_PATH_CHARS = 80
MAX_PATH_PARTS = 12
MAX_COUNT_CHARS = 12
# The rules by which an issue has a title of its own.
LISTED = frozenset({"list of issues", "record with a severity"})
_GRADE = re.compile(r"[A-Z][+-]?")
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
# Response codes of DNS that mean that a domain does not work (RFC 1035, section 4.1.1).
_RCODES = {2: "SERVFAIL", 3: "NXDOMAIN", 5: "REFUSED"}


class Outcome(StrEnum):
    """What a recognized value says. `EMPTY`: a list of issues with none in it."""

    ISSUE = "issue"
    PASSED = "passed"
    NOT_CHECKED = "not checked"
    EMPTY = "no issues"
    NOTE = "note"  # said to be for information only


@dataclass(frozen=True, slots=True)
class Reading:
    """A value that was recognized, and by which rule. `issue` is given with `Outcome.ISSUE`."""

    outcome: Outcome
    rule: str
    path: tuple[str, ...]
    issue: Issue | None = None


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and its names from the section down; `word` names the severity of a list's items."""

    path: tuple[str, ...]
    value: object
    kind: str = ""  # of the list that it is an item of: issue, failure, pass, unable
    word: str = ""


def readings_in(section: str, value: object, names: Names) -> Iterator[Reading]:
    """Yield what is recognized in a section, in its order; without recursion."""
    reader = _Reader(section, names)
    stack = [_Node((), value)]
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


Found = tuple[list[Reading], list[_Node]]


class _Reader:
    """Reads one section by the table of names."""

    def __init__(self, section: str, names: Names) -> None:
        self._section = section
        self._names = names

    # Records

    def record(self, node: _Node, given: Mapping[object, object]) -> Found:
        """Return what a record says, and what is to be read below it."""
        if node.kind == "issue" and not any(isinstance(v, dict | list) for v in given.values()):
            return self._listed_issue(node, given), []
        if (
            whole := self._rated(node, given)
            or self._check(node, given)
            or (self._listed_issue(node, given) if node.kind == "issue" else [])
            or self._listed(node, given)
        ):
            return whole, []
        if node.path and failing_text(leaves_of(given), self._names):
            return [self._reading(Outcome.NOT_CHECKED, "failed probe", node.path)], []
        found = self._rated_counts(node.path, given)
        children: list[_Node] = []
        switches = self._are_switches(node, given)
        is_grouped = bool(node.path) and bare(node.path[-1]) in self._names.issue_lists
        for key, value in given.items():
            path = _below(node.path, str(key))
            if bare(str(key)) in self._names.ignored:
                continue
            if isinstance(value, dict | list):
                # `{"issues": {"critical": [...]}}`, or a list in an issue's record
                is_listed = isinstance(value, list) and (is_grouped or node.kind == "issue")
                kind, word = ("issue", str(key)) if is_listed else ("", "")
                children.append(_Node(path, value, kind, word))
            else:
                found += self._plain(path, given, value, are_switches=switches)
        return found, children

    def _are_switches(self, node: _Node, given: Mapping[object, object]) -> bool:
        """Return whether a record only says which checks are made."""
        name = bare(node.path[-1]) if node.path else ""
        return name in {"checks", "enabledchecks", "features"} and all(
            isinstance(value, bool) for value in given.values()
        )

    def _listed_issue(self, node: _Node, given: Mapping[object, object]) -> list[Reading]:
        texts = self._texts(given)
        rated = next((name for name in texts if name in self._names.severity_names), None)
        word = texts[rated] if rated else node.word
        if self._is_fine(given, word):
            return [self._reading(Outcome.PASSED, "closed issue", node.path)]
        if not texts:
            return []
        title = self._title(texts, rated)
        return [self._issue("list of issues", node.path, title, word, self._fix(texts))]

    def _rated(self, node: _Node, given: Mapping[object, object]) -> list[Reading]:
        """Read a record with a severity and a title, in whatever list it stands."""
        texts = self._texts(given)
        rated = next((name for name in texts if name in self._names.severity_names), None)
        if rated is None:
            return []
        word = texts[rated]
        title = self._title(texts, rated)
        is_rated = self._names.severity(word) or rated == "severity"
        if self._is_fine(given, word) and title:
            return [self._reading(Outcome.PASSED, "record with a severity", node.path)]
        if not title or not is_rated or not _names_itself(texts, self._names):
            return []
        if self._names.severity(word) == "info" and node.kind != "issue":
            return [self._reading(Outcome.NOTE, "record with a severity", node.path)]
        fix = self._fix(texts)
        return [self._issue("record with a severity", node.path, title, word, fix)]

    def _check(self, node: _Node, given: Mapping[object, object]) -> list[Reading]:
        """Read a record of one check: a name or a protection, and how it came out."""
        topic = self._names.topic(node.path[-1]) if node.path else None
        subject = topic or (self._subject(given) if node.path else None)
        if subject is None or self._section == "whois":
            return []
        path = node.path if topic else (*node.path[:-1], subject)
        outcomes: list[tuple[Outcome, str, str]] = []
        for key, value in given.items():
            if isinstance(value, dict | list):
                continue
            if outcome := self._outcome(str(key), value, of_topic=topic is not None):
                outcomes.append((outcome, str(key), str(value)))
        if not outcomes:
            return []
        rule = "check"
        texts = self._texts(given)
        failed = [each for each in outcomes if each[0] is Outcome.ISSUE]
        is_failed_probe = failing_text(leaves_of(given), self._names) is not None
        if failed and not (is_failed_probe and not _is_state_of(failed, self._names)):
            _outcome, key, value = failed[0]
            detail = next(
                (
                    texts[each]
                    for each in ("error", "details", "detail", "info")
                    if texts.get(each)
                ),
                "",
            )
            name = humanized(node.path[-1] if topic else subject)
            shown = f"{name}: {_of_check(key, value, self._names)}"
            title = f"{shown} ({detail})" if detail else shown
            word = next((texts[n] for n in texts if n in self._names.severity_names), value)
            return [self._issue(rule, path, title, word, self._fix(texts), is_named=True)]
        unable = is_failed_probe or any(o is Outcome.NOT_CHECKED for o, _key, _value in outcomes)
        return [self._reading(Outcome.NOT_CHECKED if unable else Outcome.PASSED, rule, path)]

    def _outcome(self, key: str, value: object, *, of_topic: bool) -> Outcome | None:
        """Return what one value of a check's record says of the check."""
        names, name = self._names, without_prefix(key)
        if isinstance(value, str) and bare(key) in names.states["names"]:
            return self._state(value, of_topic=of_topic)
        if (truth := _truth(value)) is None:
            return None
        if name in names.bad_if_true:
            return Outcome.ISSUE if truth else Outcome.PASSED
        if name in names.bad_if_false or (name in names.present and of_topic):
            return Outcome.PASSED if truth else Outcome.ISSUE
        return None

    def _state(self, text: str, *, of_topic: bool) -> Outcome | None:
        word, states = bare(text), self._names.states
        if word in states["unable"] and not (of_topic and word == "error"):
            return Outcome.NOT_CHECKED
        if word in states["bad"] or (of_topic and word in {"error", "none", "notfound"}):
            return Outcome.ISSUE
        return Outcome.PASSED if word in states["good"] else None

    def _listed(self, node: _Node, given: Mapping[object, object]) -> list[Reading]:
        """Read an item of a list of what failed, passed, or could not be checked."""
        if node.kind in {"pass", "unable"}:
            outcome = Outcome.PASSED if node.kind == "pass" else Outcome.NOT_CHECKED
            return [self._reading(outcome, f"{node.kind} list", node.path)]
        if node.kind != "failure":
            return []
        texts = self._texts(given)
        title = self._title(texts, None)
        if not title:
            return []
        fix = self._fix(texts)
        return [self._issue("list of failures", node.path, title, "", fix, is_named=False)]

    # Lists

    def items(self, node: _Node, items: list[object]) -> Found:
        """Return what a list says by itself, and its items."""
        names, name = self._names, bare(node.path[-1]) if node.path else ""
        kind = node.kind
        if name in names.unable_lists:
            kind = "unable"
        elif name in names.issue_lists:
            kind = "issue"
        elif name in names.failure_lists and self._section != "whois":
            kind = "failure"
        elif name in names.pass_lists:
            kind = "pass"
        found: list[Reading] = []
        if not items and name in names.proof and self._section == "security":
            found = [self._reading(Outcome.EMPTY, "empty list of issues", node.path)]
        if self._section == "whois" and name in names.states["names"]:
            return found + [r for each in items for r in self._registry_state(node.path, each)], []
        if kind == "issue" and node.kind == "issue" and items and all(map(_is_plain, items)):
            texts = ", ".join(map(str, items))
            return self.plain_item(_Node(node.path, texts, "issue", node.word)), []
        return found, [
            _Node(_below(node.path, str(number)), item, kind, node.word)
            for number, item in enumerate(items, 1)
        ]

    def plain_item(self, node: _Node) -> list[Reading]:
        """Read a plain value that is an item of a list."""
        if not node.kind or not _is_plain(node.value) or not str(node.value).strip():
            return []
        text = str(node.value)
        match node.kind:
            case "issue" if bare(text) not in self._names.states["good"]:
                return [self._issue("list of issues", node.path, text, node.word)]
            case "failure":
                title = f"{_list_name(node.path)}: {text}"
                return [self._issue("list of failures", node.path, title, "", is_named=True)]
            case "pass":
                return [self._reading(Outcome.PASSED, "pass list", node.path)]
            case "unable":
                return [self._reading(Outcome.NOT_CHECKED, "unable list", node.path)]
        return []

    # Plain values by their name

    def _plain(
        self,
        path: tuple[str, ...],
        given: Mapping[object, object],
        value: object,
        *,
        are_switches: bool,
    ) -> list[Reading]:
        for rule, read in (
            ("boolean", self._boolean),
            ("protection", self._protection),
            ("state", self._named_state),
            ("grade", self._grade),
            ("count", self._count),
            ("risk", self._risk),
            ("threat", self._threat),
            ("certificate error", self._certificate_error),
        ):
            if are_switches and rule == "boolean":
                continue
            if outcome := read(path, given, value):
                if outcome is not Outcome.ISSUE:
                    return [self._reading(outcome, rule, path)]
                is_plain = bare(path[-1]) in self._names.states["names"]
                about = path[:-1] if rule == "state" and is_plain else path
                said = (
                    _RCODES[value]
                    if rule == "state" and isinstance(value, int)
                    else (_said(path[-1], value, self._names))
                )
                title = f"{self._about(about or path)}: {said}"
                word = str(value) if rule in {"state", "risk", "protection"} else ""
                if rule == "count":
                    word = next((w for w in words_of(path[-1]) if self._names.severity(w)), "")
                return [self._issue(rule, path, title, word, is_named=True)]
        return []

    def _boolean(
        self, path: tuple[str, ...], _given: Mapping[object, object], value: object
    ) -> Outcome | None:
        name, truth, words = without_prefix(path[-1]), _truth(value), words_of(path[-1])
        if truth is None or words[:1] in (("no",), ("not",)):
            return None
        if "vulnerable" in words[:2] and isinstance(value, bool):  # `is_vulnerable_to_heartbleed`
            name = "vulnerable"
        elif {"match", "matches"} & {*words} and isinstance(value, bool):
            name = "matches"
        if name in self._names.bad_if_true:
            is_count = not isinstance(value, bool) and name in self._names.counts["bad"]
            return None if is_count else Outcome.ISSUE if truth else Outcome.PASSED
        if name in self._names.bad_if_false and self._section != "whois":
            return Outcome.PASSED if truth else Outcome.ISSUE
        return None

    def _protection(
        self, path: tuple[str, ...], _given: Mapping[object, object], value: object
    ) -> Outcome | None:
        if self._section == "whois" or self._names.topic(path[-1]) is None:
            return None
        if isinstance(value, str) and (state := self._state(value, of_topic=True)):
            return state
        truth = _truth(value)
        return None if truth is None else Outcome.PASSED if truth else Outcome.ISSUE

    def _named_state(
        self, path: tuple[str, ...], given: Mapping[object, object], value: object
    ) -> Outcome | None:
        name, words = bare(path[-1]), words_of(path[-1])
        parent = bare(path[-2]) if len(path) > 1 else ""
        is_state = bool(words) and (
            words[-1] in self._names.states["names"] or parent in self._names.states["parents"]
        )
        if self._section == "dns" and isinstance(value, int) and not isinstance(value, bool):
            is_response = name in {"status", "rcode"} and any(
                bare(str(key)) == "question" for key in given
            )
            return Outcome.ISSUE if is_response and value in _RCODES else None
        is_dns_code = self._section == "dns" and name in {"statuscode", "rcode", "responsecode"}
        if not isinstance(value, str) or not (is_state or is_dns_code):
            return None
        if self._section == "whois":
            return Outcome.ISSUE if self._registry_state(path, value) else None
        text = value.removeprefix("CERT_").removeprefix("cert_")
        state = self._state(text, of_topic=False)
        # `status: "ok"` alone says that the look-up was.
        is_of_look_up = len(words) < 2 and parent not in self._names.states["parents"]
        return None if state is Outcome.PASSED and is_of_look_up else state

    def _registry_state(self, path: tuple[str, ...], value: object) -> list[Reading]:
        """Read a status of a registration (RFC 8056) that is the beginning of its end."""
        word = bare(str(value).split(" http")[0])
        if not isinstance(value, str) or word not in self._names.states["registry"]:
            return []
        return [
            self._issue("registry state", path, f"{self._about(path)}: {value}", "", is_named=True)
        ]

    def _grade(
        self, path: tuple[str, ...], _given: Mapping[object, object], value: object
    ) -> Outcome | None:
        is_named = any(bare(name) in self._names.grades["names"] for name in path[-2:])
        if not is_named or not isinstance(value, str) or not _GRADE.fullmatch(value.strip()):
            return None
        return Outcome.ISSUE if value.strip()[0] in self._names.grades["bad"] else None

    def _count(
        self, path: tuple[str, ...], _given: Mapping[object, object], value: object
    ) -> Outcome | None:
        is_count = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        is_bad = is_count and bare(path[-1]) in self._names.counts["bad"]
        return Outcome.ISSUE if is_bad and self._section != "whois" else None

    def _rated_counts(
        self, path: tuple[str, ...], given: Mapping[object, object]
    ) -> list[Reading]:
        """Read the numbers of issues by severity, of which two stand side by side."""
        counts = {
            str(key): value
            for key, value in given.items()
            if bare(str(key)) in self._names.counts["rated"]
            and isinstance(value, int)
            and not isinstance(value, bool)
        }
        bad = {key: count for key, count in counts.items() if count > 0 and bare(key) != "info"}
        if len(counts) < 2 or not bad or self._section == "whois":
            return []
        title = ", ".join(f"{count:,} {bare(key)}" for key, count in bad.items())
        where = f"{self._about(path)}: {title}" if path else title
        return [self._issue("count", path, where, next(iter(bad)), is_named=True)]

    def _risk(
        self, path: tuple[str, ...], _given: Mapping[object, object], value: object
    ) -> Outcome | None:
        if bare(path[-1]) not in self._names.severity_names or not isinstance(value, str):
            return None
        severity = self._names.severity(value)
        return Outcome.ISSUE if severity in {"critical", "high", "medium"} else None

    def _threat(
        self, path: tuple[str, ...], _given: Mapping[object, object], value: object
    ) -> Outcome | None:
        is_named = bare(path[-1]) in self._names.threats and isinstance(value, str)
        word = bare(str(value))
        is_none = word in self._names.states["good"] | self._names.failures["placeholders"]
        return Outcome.ISSUE if is_named and not is_none else None

    def _certificate_error(
        self, path: tuple[str, ...], _given: Mapping[object, object], value: object
    ) -> Outcome | None:
        words = words_of(path[-1])
        is_error = bool(words) and (words[-1] in {"error", "reason"} or "verify" in words)
        if self._section != "ssl" or not is_error or not isinstance(value, str):
            return None
        return Outcome.ISSUE if self._names.certificate_text.search(value) else None

    # Texts

    def _texts(self, given: Mapping[object, object]) -> dict[str, str]:
        return {bare(str(key)): text for key, item in given.items() if (text := _text(item))}

    def _title(self, texts: Mapping[str, str], rated: str | None) -> str:
        title_key = next((name for name in self._names.titles if name in texts), None)
        if title_key is None:
            others = (t for n, t in texts.items() if n != rated and n not in self._names.fixes)
            return next(others, "")
        title = texts[title_key]
        about = texts.get("id", "") or texts.get("check", "")
        is_alone = title_key in {"finding", "message", "text", "detail", "details"}
        return f"{about}: {title}" if is_alone and about and about != title else title

    def _fix(self, texts: Mapping[str, str]) -> str:
        return next((texts[name] for name in self._names.fixes if name in texts), "")

    def _subject(self, given: Mapping[object, object]) -> str | None:
        texts = self._texts(given)
        return next((texts[name] for name in self._names.subjects if name in texts), None)

    def _is_fine(self, given: Mapping[object, object], word: str) -> bool:
        good = self._names.states["good"]
        return bare(word) in good or any(
            (bare(str(key)) in self._names.states["names"] and bare(str(value)) in good)
            or (bare(str(key)) in good and value is True)
            for key, value in given.items()
        )

    def _about(self, path: tuple[str, ...]) -> str:
        """Return `Blacklisted`, or `Headers › HSTS`, for a path: its last two names."""
        shown = [humanized(name) for name in path if not name.isdecimal()][-2:]
        return " › ".join(filter(None, shown))[:MAX_PATH_CHARS]

    def _reading(self, outcome: Outcome, rule: str, path: tuple[str, ...]) -> Reading:
        return Reading(outcome, rule, path)

    def _issue(
        self,
        rule: str,
        path: tuple[str, ...],
        title: str,
        word: str,
        fix: str = "",
        *,
        is_named: bool = False,
    ) -> Reading:
        rank = self._names.severity(word)
        if is_named:  # its word is a state, not a severity, unless the table says so
            word = word if rank else ""
            title = f"{section_name(self._section)} › {title}"
        severity = Severity(rank) if rank else Severity.UNKNOWN
        issue = Issue(self._section, severity, word[:MAX_WORD_CHARS], title[:MAX_TEXT_CHARS], fix)
        return Reading(Outcome.ISSUE, rule, path, issue)


def _below(path: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Return the path of what stands below; of a deep one only the last names count."""
    return (*path[-MAX_PATH_PARTS:], name)


def section_name(name: str) -> str:
    return {"whois": "WHOIS", "dns": "DNS", "ssl": "SSL"}.get(name, name.capitalize())


def _names_itself(texts: Mapping[str, str], names: Names) -> bool:
    return any(name in texts for name in names.titles)


def _is_state_of(failed: list[tuple[Outcome, str, str]], names: Names) -> bool:
    return any(bare(key) in names.states["names"] for _outcome, key, _value in failed)


def _list_name(path: tuple[str, ...]) -> str:
    return humanized(next((name for name in reversed(path) if not name.isdecimal()), "Failed"))


def _said(key: str, value: object, names: Names) -> str:
    """Return a value as people say it: `yes` and `no` for booleans."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    name = without_prefix(key)
    if is_number and (value not in (0, 1) or name in names.counts["bad"]):
        return f"{value:,}"[:MAX_COUNT_CHARS]
    if (truth := _truth(value)) is not None:
        return "yes" if truth else "no"
    return str(value)[:MAX_WORD_CHARS]


def _of_check(key: str, value: str, names: Names) -> str:
    """Return how a check came out: `fail`, `listed`, `not valid`."""
    truth = _truth(value)
    if truth is None or bare(key) in names.states["names"]:
        return value[:MAX_WORD_CHARS]
    said = " ".join(w for w in words_of(key) if w not in {"is", "has"})
    return said if truth else f"not {said}"


def _truth(value: object) -> bool | None:
    """Return the boolean that a value is, as text or 0 and 1 too; else `None`."""
    if isinstance(value, bool):
        return value
    word = bare(str(value)) if isinstance(value, str | int) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _text(value: object) -> str:
    values = value if isinstance(value, list) else [value]
    return ", ".join(str(item).strip() for item in values if _is_plain(item))[:MAX_TEXT_CHARS]
