"""What may stand in a label: few and harmless values, whatever the bot is sent."""

import re

OTHER = "other"
_HARMLESS = re.compile(r"[/a-z][a-zA-Z0-9_./-]{0,47}")


class FewValues:
    """Lets the first `most` values of a label through; all others become "other".

    Each value of a label is a time series of its own, kept for as long as the process lives:
    https://prometheus.io/docs/practices/naming/#labels
    """

    def __init__(self, most: int = 60) -> None:
        self._most = most
        self._known: set[str] = set()

    def __call__(self, value: str) -> str:
        """Return `value`, or "other"."""
        if value in self._known:
            return value
        if len(self._known) >= self._most or not _HARMLESS.fullmatch(value):
            return OTHER
        self._known.add(value)
        return value
