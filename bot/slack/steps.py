"""End the steps of workflows: https://docs.slack.dev/tools/bolt-python/concepts/custom-steps.

Bolt's `complete` and `fail` (1.30) do the same once: a step whose end is lost holds its workflow.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.client import in_three_tries, slack_errors
from bot.slack.errors import SlackRefusedError

logger = structlog.get_logger()
# The step has ended, most often by a try whose answer was lost; its token ends with it:
# https://docs.slack.dev/reference/methods/functions.completeSuccess#errors
_STEP_OVER = frozenset(
    {"execution_not_in_running_state", "function_execution_not_found", "token_revoked"}
)


async def complete_step(client: AsyncWebClient, step_id: str, outputs: Mapping[str, Any]) -> None:
    """Complete a step of a workflow, in at most three tries; raise SlackError."""
    await _end_step(
        lambda: client.functions_completeSuccess(
            function_execution_id=step_id, outputs=dict(outputs)
        )
    )


async def fail_step(client: AsyncWebClient, step_id: str, sentence: str) -> None:
    """Fail a step of a workflow, in at most three tries; raise SlackError."""
    await _end_step(
        lambda: client.functions_completeError(function_execution_id=step_id, error=sentence)
    )


async def _end_step(call: Callable[[], Awaitable[object]]) -> None:
    async def end() -> None:
        async with slack_errors():
            await call()

    try:
        await in_three_tries(end)
    except SlackRefusedError as error:
        if error.code not in _STEP_OVER:
            raise
        logger.info("the step is over already", error=repr(error))
