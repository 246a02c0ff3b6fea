"""Parse and apply a filter of domains: `shop tag:prod below:70 sort:name page:2`. Pure."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from rapidfuzz import fuzz, process

from bot.command_text import NotUnderstood, NotUnderstoodError, Word, quoted, split_words
from bot.errors import BotError
from bot.hostnames import HostNameError, host_name, unicode_name
from bot.tracker.models import Domain

# Found by trying: below it, names share little more than their top-level domain.
MIN_LIKENESS = 72
MAX_NEAR = 3
MAX_SUGGESTIONS = 100


class UnknownDomainError(BotError):
    """The portfolio does not hold `host`; `near` are the names most like it, best first."""

    def __init__(self, host: str, near: list[str]) -> None:
        self.host = host
        self.near = near
        super().__init__("a domain that the portfolio does not hold")


def index_by_host(domains: Iterable[Domain]) -> dict[str, Domain]:
    """Return the domains by host name; of two entries for one host, one with an id wins."""
    index: dict[str, Domain] = {}
    for domain in domains:
        host = host_of(domain)
        if host not in index or index[host].domain_id is None:
            index[host] = domain
    return index


def host_of(domain: Domain) -> str:
    """Return the domain's host name, or its name as listed if that is none."""
    try:
        return host_name(domain.domain)
    except HostNameError:
        return domain.domain.casefold()


def find(index: Mapping[str, Domain], host: str) -> Domain:
    """Return the domain called `host`.

    Raises:
        UnknownDomainError: there is none; the error names those that come near.
    """
    if host not in index:
        raise UnknownDomainError(host, nearest(index, host))
    return index[host]


def nearest(index: Iterable[str], host: str) -> list[str]:
    """Return at most three hosts that resemble `host`, best first."""
    matches = process.extract(
        host, list(index), scorer=fuzz.ratio, limit=MAX_NEAR, score_cutoff=MIN_LIKENESS
    )
    return [match[0] for match in matches]


def suggestions(index: Mapping[str, Domain], typed: str) -> list[str]:
    """Return at most 100 hosts that begin with or contain `typed`, else the most similar ones.

    Nothing typed gives the first hundred in the index's order.
    """
    typed = typed.strip().casefold()
    if "/" in typed:  # a web address, pasted
        with suppress(HostNameError):
            typed = host_name(typed)
    if not typed:
        return list(index)[:MAX_SUGGESTIONS]
    hits = [host for host in index if typed in host or typed in unicode_name(host)]
    hits.sort(key=lambda host: (not host.startswith(typed), host))
    return (hits or nearest(index, typed))[:MAX_SUGGESTIONS]


T = TypeVar("T")
# The limit of a button's value, which holds the query of the next page.
MAX_QUERY_CHARS = 2000
MAX_PAGE = 100_000


class Sort(Enum):
    """The order of a list of domains."""

    SCORE = "score"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a score; an unknown score lies within no bound."""

    below: float | None = None
    above: float | None = None

    def hold(self, score: float | None) -> bool:
        """Return whether a score lies within both."""
        return (self.below is None or (score is not None and score < self.below)) and (
            self.above is None or (score is not None and score > self.above)
        )


ALL_SCORES = Bounds()


@dataclass(frozen=True, slots=True)
class Query:
    """Every part given must hold. `below` and `above` leave unknown scores out."""

    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str | None = None
    domain_type: str | None = None
    below: float | None = None
    above: float | None = None
    sort: Sort = Sort.SCORE
    page: int = 1

    @property
    def is_filter(self) -> bool:
        """True when the query may leave domains out."""
        return replace(self, sort=Sort.SCORE, page=1) != Query()

    @property
    def bounds(self) -> Bounds:
        """The bounds of the score."""
        return Bounds(self.below, self.above)

    @property
    def scope(self) -> "Query":
        """The query without the bounds of the score."""
        return replace(self, below=None, above=None)

    def on_page(self, page: int) -> "Query":
        """Return the same query for another page, counted from 1."""
        return replace(self, page=page)


def parse_query(text: str) -> Query:
    """Return the query that `text` spells.

    Raises:
        NotUnderstoodError: parts mean nothing or contradict each other; all of them are named.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise NotUnderstoodError(
            [NotUnderstood(text, f"longer than {MAX_QUERY_CHARS} characters")], []
        )
    query, problems, understood = Query(), [], []
    for word in split_words(text):
        try:
            query = _with(query, word)
            understood.append(word.typed)
        except ValueError as error:
            problems.append(NotUnderstood(word.typed, str(error)))
    problems += _contradictions(query)
    if problems:
        raise NotUnderstoodError(problems, understood)
    return query


def query_text(query: Query) -> str:
    """Return a text that `parse_query` reads as `query`."""
    parts = [quoted(word) for word in query.words]
    parts += [f"tag:{quoted(tag)}" for tag in query.tags]
    for key, value in (("folder", query.folder), ("type", query.domain_type)):
        parts += [f"{key}:{quoted(value)}"] if value is not None else []
    for key, score in (("below", query.below), ("above", query.above)):
        parts += [f"{key}:{_number_text(score)}"] if score is not None else []
    parts += [f"sort:{query.sort.value}"] if query.sort is not Sort.SCORE else []
    parts += [f"page:{query.page}"] if query.page > 1 else []
    return " ".join(parts)


def select(domains: Iterable[Domain], query: Query) -> list[Domain]:
    """Return the domains of all pages of `query`, in its order."""
    kept = [domain for domain in domains if _holds(domain, query)]
    if query.sort is Sort.NAME:
        return sorted(kept, key=lambda domain: domain.domain.casefold())
    return sorted(kept, key=_worst_first)


def _with(query: Query, word: Word) -> Query:
    if word.key is None:
        return replace(query, words=(*query.words, _searchable(word.value)))
    if word.key not in _PARTS:
        raise ValueError(f"there is no filter “{word.key}:”")
    if not word.value:
        raise ValueError("has no value")
    return _PARTS[word.key](query, word.value)


def _with_sort(query: Query, value: str) -> Query:
    names = {sort.value: sort for sort in Sort}
    if value.lower() not in names:
        raise ValueError("sort takes score or name")
    return replace(query, sort=names[value.lower()])


def _with_page(query: Query, value: str) -> Query:
    if not (value.isascii() and value.isdecimal() and 1 <= int(value) <= MAX_PAGE):
        raise ValueError("page takes a whole number from 1")
    return replace(query, page=int(value))


_PARTS: dict[str, Callable[[Query, str], Query]] = {
    "tag": lambda query, value: replace(query, tags=(*query.tags, value)),
    "folder": lambda query, value: replace(query, folder=_once(query.folder, value)),
    "type": lambda query, value: replace(query, domain_type=_once(query.domain_type, value)),
    "below": lambda query, value: replace(query, below=_once(query.below, _score(value))),
    "above": lambda query, value: replace(query, above=_once(query.above, _score(value))),
    "sort": _with_sort,
    "page": _with_page,
}


def _once(before: T | None, value: T) -> T:
    if before is not None and before != value:
        raise ValueError("is given twice")
    return value


def _score(value: str) -> float:
    try:
        score = float(value.removesuffix("%"))
    except ValueError:
        score = -1
    if not 0 <= score <= 100:  # also refuses nan
        raise ValueError("takes a number from 0 to 100")
    return score


def _number_text(score: float) -> str:
    return repr(score).removesuffix(".0")


def _contradictions(query: Query) -> list[NotUnderstood]:
    if query.below is None or query.above is None or query.above < query.below:
        return []
    both = f"below:{_number_text(query.below)} above:{_number_text(query.above)}"
    return [NotUnderstood(both, "no score is both")]


def _searchable(word: str) -> str:
    try:
        return host_name(word)
    except HostNameError:
        return word.casefold()


def _holds(domain: Domain, query: Query) -> bool:
    return (
        query.bounds.hold(domain.health_score)
        and (query.folder is None or _same(domain.folder, query.folder))
        and (query.domain_type is None or _same(domain.domain_type, query.domain_type))
        and all(any(_same(tag, wanted) for tag in domain.tags) for wanted in query.tags)
        and (not query.words or _is_named(domain, query.words))
    )


def _is_named(domain: Domain, words: tuple[str, ...]) -> bool:
    written = domain.domain.casefold()
    names = f"{written} {unicode_name(written)} {_searchable(written)}"
    return all(word in names for word in words)


def _same(one: str | None, other: str) -> bool:
    return one is not None and one.casefold() == other.casefold()


def _worst_first(domain: Domain) -> tuple[bool, float, str]:
    score = domain.health_score
    return score is None, score or 0, domain.domain.casefold()
