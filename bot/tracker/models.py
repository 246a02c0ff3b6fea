"""What Domain Tracker tells. Plain data; fields that its document does not name are kept."""

import msgspec


class Domain(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One monitored domain (service document, section 2.2), in the service's own words.

    Only `domain` is sure to be there. `domain_id` is `None` when the service gave none: such a
    domain cannot be scanned. `health_score` is from 0 to 100, and `None` when it is unknown:
    missing, or nothing that can be read as a score. `other` holds the fields of other names.
    """

    domain: str
    domain_id: str | None = None
    health_score: float | None = None
    domain_type: str | None = None
    tags: tuple[str, ...] = ()
    folder: str | None = None
    other: dict[str, object] = {}


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Every domain of a key, in the service's own order.

    `skipped` counts the items that name no domain.
    """

    domains: tuple[Domain, ...] = ()
    skipped: int = 0


class ScanResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a full scan found (service document, section 2.3); inside it any JSON may be.

    `sections` holds those of whois, dns, ssl and security that the service gave, in this order:
    a section that is missing is not there, one that is null is `None`.
    """

    domain_id: str | None = None
    sections: dict[str, object] = {}
    other: dict[str, object] = {}


class Added(msgspec.Struct, frozen=True):
    """The answer to an added domain. Its shape is not documented: show nothing from it as a fact.

    `raw` is `None` when the answer was empty.
    """

    raw: object = None
