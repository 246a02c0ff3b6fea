"""Configure logging: one event per line, secrets redacted."""

import logging
import sys
from collections.abc import Callable
from typing import Any, TextIO

import structlog

from bot.process.redaction import redact

# At DEBUG these write whole requests: headers, tokens, what people typed into forms.
_TALKATIVE = ("slack_sdk", "httpx", "httpcore", "aiohttp", "asyncio")
# Two lines at every start, and one for each turn that comes while the one before still hangs; Bolt
# 1.30 warns of a token and of stores that it is not to use, at every start.
_QUIET = ("apscheduler", "slack_bolt")


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
    # Where rich is installed it would print local variables, and break secrets up.
    plain = structlog.dev.plain_traceback
    console = structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=plain)
    json = structlog.processors.format_exc_info, structlog.processors.JSONRenderer()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        _Redacting(
            foreign_pre_chain=before,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *(json if is_json else [console]),
            ],
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
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.INFO, root.level))
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.ERROR)


class lines_counted(logging.Handler):  # noqa: N801  # used as a block
    """Tells `note` of each "warning", "error" and "critical" line that is logged in the block.

    Those that LOG_LEVEL leaves out are not logged, so they are not counted.
    """

    def __init__(self, note: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        self._note(record.levelname.lower())

    def __enter__(self) -> None:
        logging.getLogger().addHandler(self)

    def __exit__(self, *_raised: object) -> None:
        logging.getLogger().removeHandler(self)
