"""A workspace's domains as they were listed."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from bot.portfolio.lookup import find, index_by_host
from bot.tracker.models import Domain


@dataclass(frozen=True)
class Snapshot:
    """The portfolio as the service listed it at `listed_at`; `skipped` entries had no name."""

    domains: tuple[Domain, ...]
    listed_at: datetime
    skipped: int = 0

    @cached_property
    def by_host(self) -> dict[str, Domain]:
        """The domains by host name."""
        return index_by_host(self.domains)

    @cached_property
    def tags(self) -> list[str]:
        """Every tag in use, in order."""
        return sorted({tag for domain in self.domains for tag in domain.tags})

    @cached_property
    def folders(self) -> list[str]:
        """Every folder in use, in order."""
        return sorted({domain.folder for domain in self.domains if domain.folder})

    @cached_property
    def domain_types(self) -> list[str]:
        """Every type in use, in order."""
        return sorted({domain.domain_type for domain in self.domains if domain.domain_type})

    def find(self, host: str) -> Domain:
        """Return the domain called `host`, or raise UnknownDomainError."""
        return find(self.by_host, host)
