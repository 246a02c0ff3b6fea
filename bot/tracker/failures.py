"""Tell a section that could not be looked up from one that says something. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from bot.tracker.names import Names, bare

MAX_REASON_CHARS = 120
NOTHING = "the scan says nothing about it"
# HTTP: from here on a status means that the look-up failed (RFC 9110, section 15.5).
FAILED_STATUS = 400
Leaf = tuple[str, object]


def failure_of(name: str, section: object, names: Names, *, is_known: bool) -> str | None:
    """Return why a section tells nothing: a text of the scan or `NOTHING`; `None` if it does.

    `is_known`: something in it was recognized, so that an error beside it is not the whole.
    """
    if isinstance(section, str):
        return section[:MAX_REASON_CHARS] or NOTHING
    if is_known:
        return None
    leaves = list(_leaves(section, names))
    if (reason := probe_failure(leaves, names)) is not None:
        ignored = names.failures["lookup"] | names.failures["beside"] | names.failures["names"]
        says_more = any(
            leaf not in ignored and not _is_default(value) and _is_something(value, names)
            for leaf, value in leaves
        )
        return None if says_more else reason
    return None if any(_says(name, *leaf, names) for leaf in leaves) else NOTHING


def probe_failure(leaves: Iterable[Leaf], names: Names) -> str | None:
    """Return the text or sign by which values, each with its bare name, tell of a failure."""
    given = list(leaves)
    if failed := failing_text(given, names):
        return failed
    if any(_is_sign(*leaf, names) for leaf in given):
        return next(_texts(given, names), "it failed")[:MAX_REASON_CHARS]
    return None


def failing_text(leaves: Iterable[Leaf], names: Names) -> str | None:
    """Return the text by which values, each with its bare name, tell of a look-up that failed."""
    failed = next(filter(names.fails, _texts(leaves, names)), None)
    return failed[:MAX_REASON_CHARS] if failed else None


def _texts(leaves: Iterable[Leaf], names: Names) -> Iterator[str]:
    for name, value in leaves:
        if name in names.failures["names"] and isinstance(value, str) and value.strip():
            yield value


def is_failed_probe(record: Mapping[object, object], names: Names) -> bool:
    """Return whether a record says by a boolean that its look-up failed."""
    return any(
        name in names.failures["false"] and (value is False or value == 0)
        for name, value in leaves_of(record)
    )


def leaves_of(record: Mapping[object, object]) -> list[Leaf]:
    """Return the plain values of a record by their bare names."""
    given = ((bare(str(key)), value) for key, value in record.items())
    return [(name, value) for name, value in given if not isinstance(value, dict | list)]


def _leaves(section: object, names: Names) -> Iterator[Leaf]:
    """Yield the plain values and empty lists of any JSON by the name that stands nearest."""
    stack: list[Leaf] = [("", section)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            is_error = name in names.failures["names"]
            given = ((bare(str(key)), item) for key, item in value.items())
            kept = [(name if is_error else k, v) for k, v in given if k not in names.ignored]
            stack += reversed(kept)
        elif isinstance(value, list) and value:
            stack += [(name, item) for item in reversed(value)]
        else:
            yield name, value


def _is_default(value: object) -> bool:
    """Return whether a tool may have put a value where it found none."""
    return isinstance(value, bool) or value == 0


def _is_sign(name: str, value: object, names: Names) -> bool:
    words = names.failures
    match value:
        case bool():
            return name in words["true" if value else "false"]
        case int():
            return (name in words["codes"] and value >= FAILED_STATUS) or (
                name in words["false"] and value == 0
            )
        case str():
            is_failed = bare(value) in words["words"]
            return (name in words["states"] and is_failed) or (
                name in words["errors"] and bool(value.strip())
            )
    return False


def _says(section: str, name: str, value: object, names: Names) -> bool:
    if value == []:
        return section == "security" or name in names.unable_lists
    return name not in names.failures["lookup"] and _is_something(value, names)


def _is_something(value: object, names: Names) -> bool:
    if isinstance(value, str):
        return bare(value) not in names.failures["placeholders"]
    return value is not None and value != []
