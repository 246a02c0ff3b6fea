"""The base class of every error that the bot raises on purpose, and how to go on after one."""

from contextlib import suppress
from typing import Any

import structlog

logger = structlog.get_logger()


class BotError(Exception):
    """Something failed in a way that the bot foresaw and can explain to a person.

    `str(error)` is for the log and never for a person: `bot/dispatch/failure.py` holds the
    sentences. It must therefore hold no secret, and may hold what an operator needs.
    """


class NotAllowedError(BotError):
    """The person may not do this: only admins and owners of the workspace may."""


class StrangerError(BotError):
    """The person belongs to another workspace, met in a shared channel."""


class UnknownWorkspaceError(Exception):
    """The bot serves no such workspace; here `str(error)` is for the person who asked."""


class log_and_suppress(suppress):  # noqa: N801  # as `suppress` is
    """Logs an error of these kinds inside the block, and goes on behind it.

    One that was not foreseen is a mistake of ours, and logged as such, with its traceback.
    """

    def __init__(self, event: str, *errors: type[Exception], **facts: object) -> None:
        super().__init__(*errors)
        self._event, self._facts = event, facts

    def __exit__(self, *raised: Any) -> bool:
        if is_over := super().__exit__(*raised):
            error = raised[1]
            is_foreseen = isinstance(error, BotError | TimeoutError)
            cause = {"cause": repr(error.__cause__)} if error.__cause__ else {}
            log = logger.warning if is_foreseen else logger.error
            log(self._event, error=repr(error), exc_info=not is_foreseen, **cause, **self._facts)
        return is_over
