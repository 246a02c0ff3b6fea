"""How much text a payload shows."""

# The keys whose strings a person gets to read, in any block.
# fmt: off
_SHOWN = frozenset((
    "text", "alt_text", "title", "caption", "label", "name", "fallback", "categories",
    "x_label", "y_label",
))
# fmt: on


def text_chars(value: object) -> int:
    """Return the characters of shown text anywhere inside `value`.

    Any JSON value will do; it is walked without recursion, so its depth does not matter.
    """
    total = 0
    waiting: list[tuple[object, object]] = [("", value)]
    while waiting:
        key, part = waiting.pop()
        if isinstance(part, str) and key in _SHOWN:
            total += len(part)
        elif isinstance(part, list):
            waiting.extend((key, item) for item in part)
        elif isinstance(part, dict):
            waiting.extend(part.items())
    return total
