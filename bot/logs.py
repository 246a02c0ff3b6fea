"""Logs: one event per line, and no secret in any of them."""

import logging
import sys
from typing import Any, TextIO

import structlog

from bot.redaction import redact

# At DEBUG these write whole requests: headers, tokens, what people typed into forms.
_TALKATIVE = ("slack_sdk", "slack_bolt", "httpx", "httpcore", "aiohttp", "asyncio")


class _Redacting(structlog.stdlib.ProcessorFormatter):
    """Formats a line, traceback included, and hides every secret in the result."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def bolt_logger() -> logging.Logger:
    """Return the logger to hand to Bolt: on its own it would take the root's level, DEBUG too."""
    return logging.getLogger("slack_bolt")


def _is_needed(record: logging.LogRecord) -> bool:
    """Bolt 1.30 warns at each start that it ignores SLACK_BOT_TOKEN, which is as it should be."""
    said = record.getMessage()
    return not ("`token`" in said and ("will be ignored" in said or "will be unused" in said))


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
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)  # two lines at every start
    bolt_logger().addFilter(_is_needed)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.INFO, root.level))
