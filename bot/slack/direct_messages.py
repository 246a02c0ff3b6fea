"""Send and edit direct messages in the background, and decide when to try again."""

from datetime import timedelta
from typing import Protocol

from bot.backoff import backoff
from bot.message import Message
from bot.slack import errors
from bot.slack.client import SentMessage
from bot.workspace import WorkspaceId

FIRST_RETRY = timedelta(minutes=1)
LONGEST_RETRY = timedelta(hours=1)
MAX_TRIES = 72


class DirectMessages(Protocol):
    """Sends and edits direct messages; see `bot.slack.posting.Posting`."""

    async def send_dm(self, workspace: WorkspaceId, user_id: str, message: Message) -> SentMessage:
        """Send one; raise SlackError."""

    async def edit_dm(self, workspace: WorkspaceId, sent: SentMessage, message: Message) -> None:
        """Replace the content of one; raise SlackError."""


def retry_after(
    error: errors.SlackError, tries: int, *, is_repeatable: bool = False
) -> timedelta | None:
    """Return how long to wait before sending a message again, `None`: never.

    A message that may have arrived is sent again once, unless the call `is_repeatable`.
    """
    if isinstance(error, errors.SlackRateLimitedError):
        return timedelta(seconds=max(1.0, error.retry_after_s))
    if tries >= MAX_TRIES:
        return None
    if isinstance(error, errors.TokenRefusedError | errors.WorkspaceHeldError):
        return LONGEST_RETRY
    is_lost = error.is_outcome_unknown and tries and not is_repeatable
    if isinstance(error, errors.SlackRefusedError) or is_lost:
        return None
    return backoff(FIRST_RETRY, tries, LONGEST_RETRY)
