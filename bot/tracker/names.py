"""Know what names in a scan mean: the table `names.toml`, and an operator's additions to it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
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
def bare(name: str) -> str:
    """Return a name without case and punctuation: `notafter` for `Not_After`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache(maxsize=4_096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name: `("malware", "detected")` for `malwareDetected`."""
    return tuple(word.lower() for word in _BETWEEN_WORDS.split(name) if word)


@lru_cache(maxsize=4_096)
def without_prefix(name: str) -> str:
    """Return a bare name without `is`, `has` and the like: `expired` for `is_expired`."""
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


@dataclass(frozen=True)
class Names:
    """The table: sets of bare names and words. `topics` are protections by their bare name."""

    ignored: frozenset[str]
    issue_lists: frozenset[str]
    proof: frozenset[str]
    failure_lists: frozenset[str]
    pass_lists: frozenset[str]
    unable_lists: frozenset[str]
    bad_if_true: frozenset[str]
    bad_if_false: frozenset[str]
    present: frozenset[str]
    threats: frozenset[str]
    topics: Mapping[str, str]
    states: Mapping[str, frozenset[str]]
    severity_names: frozenset[str]
    severities: Mapping[str, str]
    grades: Mapping[str, frozenset[str]]
    counts: Mapping[str, frozenset[str]]
    titles: tuple[str, ...]
    fixes: tuple[str, ...]
    subjects: tuple[str, ...]
    ends: Mapping[str, frozenset[str]]
    failures: Mapping[str, frozenset[str]]
    failure_text: re.Pattern[str]
    certificate_text: re.Pattern[str]

    def topic(self, name: str) -> str | None:
        """Return the protection that a name is about: `SPF` for `emailSpf` and `spf_record`."""
        if (known := self.topics.get(bare(name))) is not None:
            return known
        words = reversed(words_of(name))
        return next((self.topics[word] for word in words if word in self.topics), None)

    def severity(self, word: str) -> str | None:
        """Return `critical` to `info` for a scan's word, `High (Medium)` included."""
        if known := self.severities.get(bare(word)):
            return known
        first = words_of(word)[:1]
        return self.severities.get(first[0]) if first and "(" in word else None

    def fails(self, text: str) -> bool:
        """Return whether a text tells of a look-up that failed."""
        return bool(self.failure_text.search(text))


def table_of(data: Mapping[str, Any]) -> Names:
    """Return the table that TOML holds; raise KeyError or TypeError for another one."""
    states, severities, texts = data["states"], data["severities"], data["texts"]
    ranks = ("critical", "high", "medium", "low", "info")
    return Names(
        **{name: frozenset(data[name]) for name in _LISTS},
        topics={name: topic for topic, names in data["topics"].items() for name in names},
        states=_sets(states),
        severity_names=frozenset(severities["names"]),
        severities={word: rank for rank in ranks for word in severities[rank]},
        grades=_sets(data["grades"]),
        counts=_sets(data["counts"]),
        titles=tuple(texts["title"]),
        fixes=tuple(texts["fix"]),
        subjects=tuple(texts["subject"]),
        ends=_sets(data["ends"]),
        failures=_sets({k: v for k, v in data["failures"].items() if k != "texts"}),
        failure_text=_pattern(data["failures"]["texts"]),
        certificate_text=_pattern(texts["certificate"]),
    )


_LISTS = (
    *("ignored", "issue_lists", "proof", "failure_lists", "pass_lists", "unable_lists"),
    *("bad_if_true", "bad_if_false", "present", "threats"),
)


def _pattern(texts: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(texts) or "(?!)", re.IGNORECASE)


def _sets(data: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(values) for name, values in data.items()}


@cache
def own_table() -> Names:
    """Return the table that comes with the bot."""
    return table_of(_own_data())


def extended_table(path: Path) -> Names:
    """Return the bot's table with the names of a file added; raise OSError or ValueError."""
    added = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return table_of(_merged(_own_data(), added, str(path)))
    except (KeyError, TypeError, re.error) as error:
        raise ValueError(f"{path}: {error}") from error


def _own_data() -> dict[str, Any]:
    return tomllib.loads(files("bot.tracker").joinpath("names.toml").read_text(encoding="utf-8"))


def _merged(own: dict[str, Any], added: Mapping[str, Any], where: str) -> dict[str, Any]:
    for key, value in added.items():
        if key not in own and not where.endswith("topics"):
            raise ValueError(f"{where}: {key} is not a name of the table")
        if isinstance(value, Mapping):
            _merged(own[key], value, f"{where}: {key}")
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            own[key] = [*own.get(key, []), *value]
        else:
            raise ValueError(f"{where}: {key} is not a list of texts")
    return own
