"""Parse and apply a filter of domains: `shop tag:prod below:70 sort:name page:2`. Pure."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any

from bot.dispatch.command_text import (
    NotUnderstood,
    NotUnderstoodError,
    Word,
    quoted,
    require_understood,
    split_words,
    unknown_key,
)
from bot.domains.kept_facts import KeptFacts, KnownFacts
from bot.domains.lookup import host_of
from bot.tracker.hostnames import HostNameError, host_name, unicode_name
from bot.tracker.models import Domain
from bot.tracker.scan_facts import SEVERITIES, Severity

# The limit of a button's value, which holds the query of the next page.
MAX_QUERY_CHARS = 2000
_LEAST_SEVERITIES = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW)
TWICE = "is given twice"
# What may be meant by a key whose value cannot be read.
_EXAMPLES = {
    "below": "below:70",
    "above": "above:90",
    "expires": "expires:30",
    "issues": "issues:high",
}
# Of any other part only one value may be given.
_LAST_COUNTS = {"scanned", "sort", "page"}


class Sort(StrEnum):
    """The order of a list of domains."""

    SCORE = "score"
    NAME = "name"
    EXPIRY = "expiry"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a score; an unknown score lies within no bound."""

    below: float | None = None
    above: float | None = None

    def hold(self, score: float | None) -> bool:
        return (self.below is None or (score is not None and score < self.below)) and (
            self.above is None or (score is not None and score > self.above)
        )


ALL_SCORES = Bounds()


@dataclass(frozen=True, slots=True)
class Query:
    """Every part given must hold. `below` and `above` leave unknown scores out.

    `expires` is days: what ends within them, or has ended, holds. `issues` is the least severity.
    Both leave domains out that were never scanned, and `is_unscanned` leaves out all others.
    """

    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str | None = None
    domain_type: str | None = None
    below: float | None = None
    above: float | None = None
    expires: int | None = None
    issues: Severity | None = None
    is_unscanned: bool = False
    sort: Sort | None = None
    page: int = 1

    @property
    def is_filter(self) -> bool:
        """Whether the query may leave domains out."""
        return replace(self, sort=None, page=1) != EVERYTHING

    @property
    def order(self) -> Sort:
        """The order asked for; else the first end with a filter by ends, or the worst score."""
        return self.sort or (Sort.SCORE if self.expires is None else Sort.EXPIRY)

    @property
    def filters_by_result(self) -> bool:
        """Whether domains are left out by what their last scan said."""
        return self.issues is not None or self.expires is not None

    @property
    def needs_ends(self) -> bool:
        """Whether domains are chosen or sorted by what their last scan said."""
        return self.is_unscanned or self.filters_by_result or self.order is Sort.EXPIRY

    @property
    def bounds(self) -> Bounds:
        return Bounds(self.below, self.above)

    @property
    def scope(self) -> "Query":
        """The query without the bounds of the score."""
        return replace(self, below=None, above=None)


EVERYTHING = Query()


def parse_query(text: str) -> Query:
    """Return the query that `text` spells.

    Raises:
        NotUnderstoodError: parts mean nothing or contradict each other; all of them are named.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise NotUnderstoodError(
            [NotUnderstood(text, f"is longer than {MAX_QUERY_CHARS} characters")], []
        )
    query, words = EVERYTHING, list[Word | NotUnderstood]()
    for word in split_words(text):
        if word.key and word.key not in KEYS:
            words.append(_unknown(word))
            continue
        try:
            query = _with(query, word)
            words.append(word)
        except ValueError as error:
            example = "" if str(error) == TWICE else _EXAMPLES.get(word.key or "", "")
            why = f"{error}, such as `{example}`" if example else str(error)
            words.append(NotUnderstood(word.typed, why, f"{word.key}:", fix=example))
    words += _contradictions(query)
    require_understood(words)
    return query


def _unknown(word: Word) -> NotUnderstood:
    """Return the problem of an unknown filter, with the one that is meant in a form that works."""
    problem = unknown_key(word, KEYS)
    for meant in split_words(problem.fix or ""):
        try:
            _with(EVERYTHING, meant)
        except ValueError:
            return replace(problem, fix=_EXAMPLES.get(meant.key or "", ""))
    return problem


def query_text(query: Query) -> str:
    """Return a text that `parse_query` reads as `query`."""
    filters = [quoted(word) for word in query.words]
    filters += [f"tag:{quoted(tag)}" for tag in query.tags]
    for key, (name, _read, text_of) in _FILTERS.items():
        value = getattr(query, name)
        filters += [f"{key}:{text_of(value)}"] if value != getattr(EVERYTHING, name) else []
    return " ".join(filters)


def select(
    domains: Iterable[Domain], query: Query, facts: KnownFacts | None = None
) -> list[Domain]:
    """Return the domains of all pages of `query`, in its order; for `facts` see `needs_ends`."""
    kept = list(domains)
    if query.is_filter:
        bounds = query.bounds
        kept = [each for each in kept if bounds.hold(each.health_score) and _holds(each, query)]
    if query.is_unscanned or query.filters_by_result:
        kept = [each for each in kept if facts and _scan_holds(each, query, facts)]
    if query.order is Sort.EXPIRY and facts:
        return sorted(kept, key=lambda domain: _first_to_end(domain, facts))
    kept.sort(key=lambda domain: domain.domain.casefold())
    if query.order is not Sort.NAME:  # two sorts are quicker than one by both
        kept.sort(key=worst_first)
    return kept


def _with(query: Query, word: Word) -> Query:
    """Return the query with one more word; raise ValueError with the problem."""
    if word.key is None:
        return replace(query, words=(*query.words, _searchable(word.value)))
    if not word.value:
        raise ValueError("needs a value")
    if word.key == "tag":
        return replace(query, tags=(*query.tags, word.value))
    name, read, _text_of = _FILTERS[word.key]
    value = _chosen(word.value, read) if isinstance(read, Mapping) else read(word.value)
    if word.key not in _LAST_COUNTS and getattr(query, name) not in {None, value}:
        raise ValueError(TWICE)
    return replace(query, **{name: value})


def _chosen(value: str, choices: Mapping[str, Any]) -> Any:
    if value.lower() not in choices:
        *others, last = choices
        raise ValueError(f"needs {', '.join(others)} or {last}" if others else f"needs {last}")
    return choices[value.lower()]


def _score(value: str) -> float:
    try:
        score = float(value.removesuffix("%"))
    except ValueError:
        score = -1
    if not 0 <= score <= 100:  # also refuses nan
        raise ValueError("needs a number from 0 to 100")
    return score


def _whole(value: str) -> int:
    if not (value.isascii() and value.isdecimal()):
        raise ValueError("needs a whole number")
    return int(value)


def _number_text(score: float) -> str:
    return repr(score).removesuffix(".0")


_Reader = Callable[[str], Any] | Mapping[str, Any]
# The field of each part, what reads it (or its words), and what writes it.
_FILTERS: dict[str, tuple[str, _Reader, Callable[[Any], str]]] = {
    "folder": ("folder", str, quoted),
    "type": ("domain_type", str, quoted),
    "below": ("below", _score, _number_text),
    "above": ("above", _score, _number_text),
    "expires": ("expires", _whole, str),
    "issues": ("issues", {each.value: each for each in _LEAST_SEVERITIES}, str),
    "scanned": ("is_unscanned", {"never": True}, lambda _: "never"),
    "sort": ("sort", {each.value: each for each in Sort}, str),
    "page": ("page", _whole, str),
}
KEYS = ("tag", *_FILTERS)


def _contradictions(query: Query) -> list[NotUnderstood]:
    found = []
    if query.below is not None and query.above is not None and query.above >= query.below:
        both = f"below:{_number_text(query.below)} above:{_number_text(query.above)}"
        found.append(NotUnderstood(both, "can't both hold"))
    if query.is_unscanned and query.filters_by_result:
        why = "leaves out all that has dates and issues"
        found.append(NotUnderstood("scanned:never", why))
    return found


def _searchable(word: str) -> str:
    try:
        return host_name(word)
    except HostNameError:
        return word.casefold()


def _holds(domain: Domain, query: Query) -> bool:
    return (
        (query.folder is None or _same(domain.folder, query.folder))
        and (query.domain_type is None or _same(domain.domain_type, query.domain_type))
        and all(any(_same(tag, wanted) for tag in domain.tags) for wanted in query.tags)
        and (not query.words or _is_named(domain, query.words))
    )


def _scan_holds(domain: Domain, query: Query, known: KnownFacts) -> bool:
    facts = facts_of_host(domain, known)
    if query.is_unscanned or facts is None:
        return query.is_unscanned and facts is None
    days_left = facts.first.days_left(known.now) if facts.first else math.inf
    if query.expires is not None and days_left > query.expires:
        return False
    # An unrated issue may be as bad as any.
    least = SEVERITIES.index(query.issues) + 1 if query.issues else 0
    counted = {*SEVERITIES[:least], Severity.UNKNOWN}
    return query.issues is None or any(facts.issues.get(severity) for severity in counted)


def facts_of_host(domain: Domain, known: KnownFacts) -> KeptFacts | None:
    """Return what the last scan of a domain said, `None` if it was never scanned."""
    return known.by_host.get(host_of(domain)) if known.by_host else None


def _first_to_end(domain: Domain, known: KnownFacts) -> tuple[bool, date, str]:
    facts = facts_of_host(domain, known)
    first = facts.first if facts else None
    return first is None, first.day if first else date.max, domain.domain.casefold()


def _is_named(domain: Domain, words: tuple[str, ...]) -> bool:
    written = domain.domain.casefold()
    names = f"{written} {unicode_name(written)} {_searchable(written)}"
    return all(word in names for word in words)


def _same(one: str | None, other: str) -> bool:
    return one is not None and one.casefold() == other.casefold()


def worst_first(domain: Domain) -> float:
    """Return what sorts domains by their scores, the unknown ones last."""
    return math.inf if domain.health_score is None else domain.health_score
