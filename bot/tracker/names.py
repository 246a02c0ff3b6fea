"""Load the table of names by which scans are read: `names.toml`, and an operator's additions.

The table is one of the process: every rule would carry it along otherwise.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

_ABBREVIATIONS = re.compile(
    r"a|aaaa|asn|ca|caa|cn|cname|csp|dkim|dmarc|dns|dnssec|hsts|https?|iana|icann|id|ip|ipv[46]"
    r"|mx|ns|ocsp|ptr|rdap|sans?|sha1|sha256|soa|spf|srv|ssl|sts|tls|ttl|txt|uri|url|www|xss"
)
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_PREFIXES = frozenset({"is", "has", "was", "have", "are"})


@lru_cache(maxsize=4_096)
def normalized(name: str) -> str:
    """Return a name without case and punctuation: `notafter` for `Not_After`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache(maxsize=4_096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name: `("malware", "detected")` for `malwareDetected`."""
    return tuple(word.lower() for word in _BETWEEN_WORDS.split(name) if word)


@lru_cache(maxsize=4_096)
def without_prefix(name: str) -> str:
    """Return a normalized name without `is`, `has` and the like: `expired` for `is_expired`."""
    words = words_of(name)
    return "".join(words[1:] if len(words) > 1 and words[0] in _PREFIXES else words)


def humanized(name: str) -> str:
    """Return a name as words: `Days remaining` for `daysRemaining`, `MX` for `mx`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+", " ", name)
    words = re.sub(r"[*~`|<>&]", "", spaced).split()
    shown = [word if word.isupper() else word.lower() for word in words]
    shown = [word.upper() if _ABBREVIATIONS.fullmatch(word) else word for word in shown]
    text = " ".join(shown)
    return text[:1].upper() + text[1:]


@dataclass
class Names:
    """The table in the form of `names.toml`: sets of names and words, all normalized.

    `texts` are regular expressions, and names in their order.
    """

    ignored: frozenset[str]
    neutral: frozenset[str]
    neutral_words: frozenset[str]
    neutral_parts: frozenset[str]
    bad_scores: frozenset[str]
    switches: frozenset[str]
    issue_lists: frozenset[str]
    conclusive_lists: frozenset[str]
    failure_lists: frozenset[str]
    pass_lists: frozenset[str]
    unchecked_lists: frozenset[str]
    bad_if_true: frozenset[str]
    bad_if_false: frozenset[str]
    attacks: frozenset[str]
    old_protocols: frozenset[str]
    results: frozenset[str]
    present: frozenset[str]
    threats: frozenset[str]
    protection_words: frozenset[str]
    protections: Mapping[str, frozenset[str]]
    states: Mapping[str, frozenset[str]]
    severities: Mapping[str, frozenset[str]]
    grades: Mapping[str, frozenset[str]]
    counts: Mapping[str, frozenset[str]]
    ends: Mapping[str, frozenset[str]]
    failures: Mapping[str, frozenset[str]]
    signs: Mapping[str, frozenset[str]]
    texts: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        self.bad_if_true |= self.attacks | self.old_protocols
        self._protected = _inverted(self.protections)
        self._ranks = _inverted(self.severities)
        self.severity_names, self.titles = self.severities["names"], self.texts["title"]
        self.failure_text = _pattern(self.texts["failure"])
        self.certificate_text = _pattern([*self.texts["certificate"], *self.texts["distrust"]])
        self.distrust_text = _pattern(self.texts["distrust"])
        self.no_issue_text = _pattern(self.texts["no_issue"])
        self.absent_text = _pattern(self.texts["absent"])
        self.security_text = _pattern(self.texts["security"])

    def protection(self, name: str) -> str | None:
        """Return `SPF` for `emailSpf` and `spf_record`, but `None` for `csp_report_only`."""
        if (known := self._protected.get(normalized(name))) is not None:
            return known
        given = words_of(name)
        found = [each for each in given if each in self._protected]
        others = {*given} - {*found}
        return self._protected[found[-1]] if found and others <= self.protection_words else None

    def severity(self, word: str) -> str | None:
        """Return `critical` to `info` for a scan's word, `High (Medium)` included."""
        if known := self._ranks.get(normalized(word)):
            return known
        first = words_of(word)[:1]
        return self._ranks.get(first[0]) if first and "(" in word else None

    def reports_failure(self, text: str) -> bool:
        """Return whether a text tells of a lookup that failed."""
        return bool(self.failure_text.search(text))

    def is_no_issue(self, text: str) -> bool:
        """Return whether a text stands for an empty list: `No issues found`."""
        return bool(self.no_issue_text.fullmatch(text.strip()))

    def is_placeholder(self, text: str) -> bool:
        """Return whether a text stands for nothing: `N/A`."""
        return normalized(text) in self.failures["placeholders"]


# Compared without `is` and `has`.
_FLAGS = {"bad_if_true", "bad_if_false", "results", "present"}
# Names among the texts.
_ORDERED = {"title", "fix", "subject", "host"}


def load_names(path: Path | None) -> Names:
    """Return the bot's table with the names of a file added; raise OSError or ValueError."""
    table = tomllib.loads(files("bot.tracker").joinpath("names.toml").read_text(encoding="utf-8"))
    if path:
        added = tomllib.loads(path.read_text(encoding="utf-8"))
        table = _merged(table, added, str(path))
    try:
        return Names(**{name: _read(name, value) for name, value in table.items()})
    except re.error as error:
        raise ValueError(f"{path}: {error}") from error


def _read(name: str, given: Any) -> Any:
    if name == "texts":
        return {
            key: tuple(map(normalized, texts) if key in _ORDERED else texts)
            for key, texts in given.items()
        }
    if isinstance(given, Mapping):
        return {key: _read(key, names) for key, names in given.items()}
    return frozenset(map(without_prefix if name in _FLAGS else normalized, given))


def _inverted(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the key of each name but those under `names`, which are of fields."""
    return {each: key for key, some in names.items() if key != "names" for each in some}


def _pattern(texts: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(texts) or "(?!)", re.IGNORECASE)


def _merged(
    own: dict[str, Any], added: Mapping[str, Any], where: str, *, may_add: bool = False
) -> dict[str, Any]:
    for key, value in added.items():
        if key not in own and not may_add:
            raise ValueError(f"{where}: {key} is not a name of the table")
        is_table = isinstance(value, Mapping)
        if key in own and is_table != isinstance(own[key], Mapping):
            raise ValueError(f"{where}: {key} is {'no' if is_table else 'a'} table")
        if is_table:
            _merged(own[key], value, f"{where}: {key}", may_add=key == "protections")
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            own[key] = [*own.get(key, []), *value]
        else:
            raise ValueError(f"{where}: {key} is not a list of texts")
    return own


NAMES = load_names(None)


def use_names(path: Path) -> None:
    """Read scans in this process by the names of a file too; raise OSError or ValueError."""
    vars(NAMES).update(vars(load_names(path)))
