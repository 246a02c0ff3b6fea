"""Load the table of names by which scans are read: `names.toml`, and an operator's additions.

The table is one of the process: every rule would carry it along otherwise.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
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
    """The table: sets of normalized names and words. `protections` are by the names they have."""

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
    old_protocols: frozenset[str]
    results: frozenset[str]
    present: frozenset[str]
    threats: frozenset[str]
    attacks: frozenset[str]
    protections: Mapping[str, str]
    protection_words: frozenset[str]
    states: Mapping[str, frozenset[str]]
    severity_names: frozenset[str]
    severities: Mapping[str, str]
    grades: Mapping[str, frozenset[str]]
    counts: Mapping[str, frozenset[str]]
    titles: tuple[str, ...]
    fixes: tuple[str, ...]
    subjects: tuple[str, ...]
    ends: Mapping[str, frozenset[str]]
    signs: Mapping[str, frozenset[str]]
    host_keys: tuple[str, ...]
    failures: Mapping[str, frozenset[str]]
    failure_text: re.Pattern[str]
    certificate_text: re.Pattern[str]
    distrust_text: re.Pattern[str]
    no_issue_text: re.Pattern[str]
    absent_text: re.Pattern[str]
    security_text: re.Pattern[str]

    def protection(self, name: str) -> str | None:
        """Return the protection that a name is about: `SPF` for `emailSpf` and `spf_record`.

        `None` for `csp_report_only`: its words say something else of it.
        """
        if (known := self.protections.get(normalized(name))) is not None:
            return known
        given = words_of(name)
        found = [each for each in given if each in self.protections]
        others = {*given} - {*found}
        return self.protections[found[-1]] if found and others <= self.protection_words else None

    def severity(self, word: str) -> str | None:
        """Return `critical` to `info` for a scan's word, `High (Medium)` included."""
        if known := self.severities.get(normalized(word)):
            return known
        first = words_of(word)[:1]
        return self.severities.get(first[0]) if first and "(" in word else None

    def reports_failure(self, text: str) -> bool:
        """Return whether a text tells of a lookup that failed."""
        return bool(self.failure_text.search(text))

    def is_no_issue(self, text: str) -> bool:
        """Return whether a text stands for an empty list: `No issues found`."""
        return bool(self.no_issue_text.fullmatch(text.strip()))

    def is_placeholder(self, text: str) -> bool:
        """Return whether a text stands for nothing: `N/A`."""
        return normalized(text) in self.failures["placeholders"]


_LISTS = (
    *("issue_lists", "conclusive_lists", "failure_lists", "pass_lists", "unchecked_lists"),
    *("ignored", "neutral", "neutral_words", "neutral_parts", "switches", "bad_scores"),
    *("threats", "attacks", "old_protocols", "protection_words"),
)
# Compared without `is` and `has`.
_FLAGS = ("bad_if_false", "results", "present")
_TABLES = ("states", "grades", "counts", "ends")


def load_names(path: Path | None) -> Names:
    """Return the bot's table with the names of a file added; raise OSError or ValueError."""
    own = tomllib.loads(files("bot.tracker").joinpath("names.toml").read_text(encoding="utf-8"))
    if path is None:
        return _parsed(own)
    added = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return _parsed(_merged(own, added, str(path)))
    except (KeyError, TypeError, re.error) as error:
        raise ValueError(f"{path}: {error}") from error


def _parsed(data: Mapping[str, Any]) -> Names:
    severities, texts, failures = data["severities"], data["texts"], data["failures"]
    signs = data["signs"]
    ranks = ("critical", "high", "medium", "low", "info")
    plain: dict[str, Any] = {name: frozenset(map(normalized, data[name])) for name in _LISTS}
    plain |= {name: frozenset(map(without_prefix, data[name])) for name in _FLAGS}
    plain |= {name: _sets(data[name]) for name in _TABLES}
    return Names(
        **plain,
        bad_if_true=frozenset(
            map(without_prefix, [*data["bad_if_true"], *data["attacks"], *data["old_protocols"]])
        ),
        protections={
            normalized(name): shown
            for shown, names in data["protections"].items()
            for name in names
        },
        severity_names=frozenset(map(normalized, severities["names"])),
        severities={normalized(word): rank for rank in ranks for word in severities[rank]},
        titles=tuple(map(normalized, texts["title"])),
        fixes=tuple(map(normalized, texts["fix"])),
        subjects=tuple(map(normalized, texts["subject"])),
        signs=_sets({name: words for name, words in signs.items() if name != "hosts"}),
        host_keys=tuple(map(normalized, signs["hosts"])),
        failures=_sets({name: words for name, words in failures.items() if name != "texts"}),
        failure_text=_pattern(failures["texts"]),
        certificate_text=_pattern([*texts["certificate"], *texts["distrust"]]),
        distrust_text=_pattern(texts["distrust"]),
        no_issue_text=_pattern(texts["no_issue"]),
        absent_text=_pattern(texts["absent"]),
        security_text=_pattern(texts["security"]),
    )


def _pattern(texts: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(texts) or "(?!)", re.IGNORECASE)


def _sets(data: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(map(normalized, values)) for name, values in data.items()}


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


def use_names(path: Path | None) -> None:
    """Read scans in this process by the names of a file too; raise OSError or ValueError."""
    names = load_names(path)
    for each in fields(Names):
        setattr(NAMES, each.name, getattr(names, each.name))
