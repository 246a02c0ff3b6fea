"""Find domains by host name, and the names most like one that is unknown. Pure."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from bot.process.errors import BotError
from bot.tracker.hostnames import HostNameError, host_name, unicode_name
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
    """Return the domain's host name, or its name in lower case if that is none."""
    try:
        return host_name(domain.domain)
    except HostNameError:
        return domain.domain.casefold()


def nearest(index: Iterable[str], host: str) -> list[str]:
    """Return at most three hosts that resemble `host`, best first."""
    # Imported here: at the start it would cost 3 MB of memory and 20 ms.
    from rapidfuzz import fuzz, process

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
