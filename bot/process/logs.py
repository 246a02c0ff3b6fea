"""Configure logging: one event per line, secrets redacted."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import structlog

from bot.process.redaction import redact

# At DEBUG these write whole requests: headers, tokens, what people typed into forms.
_TALKATIVE = ("slack_sdk", "slack_bolt", "httpx", "httpcore", "aiohttp", "asyncio")


class _Redacting(structlog.stdlib.ProcessorFormatter):
    """Formats a line, traceback included, and hides every secret in the result."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def set_up_logs(level: str, log_format: str | None, stream: TextIO = sys.stderr) -> None:
    """Send every log line, ours and the libraries', to `stream`.

    `log_format` is "console" or "json"; `None` chooses by whether somebody is watching.
    """
    is_json = log_format == "json" or (log_format is None and not stream.isatty())
    before: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    last: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if is_json
        else [
            structlog.dev.ConsoleRenderer(
                colors=stream.isatty(),
                # Where rich is installed it would print local variables, and break secrets up.
                exception_formatter=structlog.dev.plain_traceback,
            )
        ]
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        _Redacting(
            foreign_pre_chain=before,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    structlog.configure(
        processors=[*before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        # `log_and_suppress` logs for the module whose block it ends.
        logger_factory=structlog.stdlib.LoggerFactory(["bot.process.errors"]),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Two lines at every start, and one for each turn that comes while the one before still hangs.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.INFO, root.level))
    # Bolt 1.30 warns of a token and of stores that it is not to use, at every start.
    logging.getLogger("slack_bolt").setLevel(logging.ERROR)


class _Counting(logging.Handler):
    """Tells `note` the level of each line from warnings on, in lower case."""

    def __init__(self, note: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        self._note(record.levelname.lower())


@contextmanager
def lines_counted(note: Callable[[str], object]) -> Iterator[None]:
    """Tell `note` of each "warning", "error" and "critical" line that is logged in the block.

    Those that LOG_LEVEL leaves out are not logged, so they are not counted.
    """
    counting = _Counting(note)
    logging.getLogger().addHandler(counting)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(counting)
