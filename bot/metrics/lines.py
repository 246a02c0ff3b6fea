"""How often something is logged that an operator should look at."""

from prometheus_client import CollectorRegistry, Counter

LEVELS = ("warning", "error", "critical")


class LineMetrics:
    """Lines of the log by level, those of libraries too."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._lines = Counter(
            "bot_log_lines",
            "Lines of the log, from warnings on. An error is a mistake of the bot.",
            ["level"],
            registry=registry,
        )
        for level in LEVELS:
            self._lines.labels(level)

    def note_line(self, level: str) -> None:
        """Count a line; `level` is one of `LEVELS`."""
        self._lines.labels(level).inc()
