"""JSON of awkward shapes, to be put into `Account.scan_results`."""


def deep_nesting(levels: int = 30) -> dict[str, object]:
    """Return a scan whose ssl section is objects in objects, so many levels deep."""
    nested: object = "the bottom"
    for level in range(levels, 0, -1):
        nested = {f"level{level}": nested}
    return {"domainId": "dom_deep", "whois": {}, "dns": {}, "ssl": nested, "security": {}}


def many_records(count: int = 5_000) -> dict[str, object]:
    """Return a scan whose dns section holds so many records."""
    records = [
        {"type": "A", "name": f"h{number}.example", "value": f"192.0.2.{number % 256}", "ttl": 300}
        for number in range(count)
    ]
    return {"domainId": "dom_many", "whois": {}, "dns": {"records": records}, "ssl": {}}


def bare_values(value: object) -> dict[str, object]:
    """Return a scan in which every section is this value instead of an object."""
    sections = dict.fromkeys(("whois", "dns", "ssl", "security"), value)
    return {"domainId": "dom_bare", **sections}
