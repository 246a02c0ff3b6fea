"""A monitored domain, as a portfolio keeps it."""

from dataclasses import dataclass, field
from typing import Final

from bot.playground.tracker.hostnames import canonical_name

OWNED: Final = "owned"
FROM_NAME: Final = object()  # a health score made from the domain's name
NO_SCORE: Final = object()  # the field healthScore is left out


@dataclass(eq=False)
class DomainRecord:
    """One monitored domain. `health` is any JSON value, or NO_SCORE; `extra` goes on top."""

    domain_id: str
    domain: str
    domain_type: str = OWNED
    tags: tuple[str, ...] = ()
    folder: str | None = None
    health: object = NO_SCORE
    extra: dict[str, object] = field(default_factory=dict)
    scans: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the domain object of section 2.2 of the service document."""
        fields: dict[str, object] = {
            "domainId": self.domain_id,
            "domain": self.domain,
            "domainType": self.domain_type,
            "tags": list(self.tags),
            "folder": self.folder,
        }
        if self.health is not NO_SCORE:
            fields["healthScore"] = self.health
        return fields | self.extra


def sameness(domain: str) -> str:
    """Return what two spellings of one name have in common; a strange name stands for itself."""
    try:
        return canonical_name(domain)
    except ValueError:
        return domain
