"""Tell values of a scan that say nothing about health: names, times, addresses. Pure."""

import re
from collections.abc import Mapping

from bot.tracker.names import Names, normalized, without_prefix, words_of

# A record of DNS, a day, a moment, an address of the web.
_RECORD = re.compile(
    r"v=\w|\d{4}-\d\d-\d\d|\w{3}, \d|https?://|\d{1,2}-\w{3}-\d{4}", re.IGNORECASE
)


def says_nothing(
    path: tuple[str, ...], value: object, given: Mapping[object, object], names: Names
) -> bool:
    """Return whether a value that no rule reads may stand beside "no issues".

    `given` is its record. A value that is not known to say nothing may be bad news.
    """
    name = normalized(path[-1])
    if path[-1].isdecimal():  # an item of a list
        name = next((normalized(each) for each in reversed(path) if not each.isdecimal()), "")
    is_known = without_prefix(path[-1]) in names.bad_if_true | names.bad_if_false
    if value is None:
        return not is_known and names.protection(path[-1]) is None
    if value == "" or (isinstance(value, str) and _RECORD.match(value)):
        return True
    if name in names.states["names"]:
        return normalized(str(value)) in names.states["good"] | names.states["done"]
    if name in names.titles:  # of a thing that nothing else is said of, if it is one of many
        return len(path) < 2 or not path[-2].isdecimal()
    known = names.neutral | names.failures["lookup"] | names.failures["beside"]
    if name in known or any(normalized(each) in names.neutral_parts for each in path[:-1]):
        return True
    if name in {"score", "points"}:
        return any(normalized(str(key)) in names.grades["names"] for key in given)
    words = words_of(path[-1])
    return bool(words) and words[-1] in names.neutral_words
