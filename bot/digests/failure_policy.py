"""Decide how a failure changes a run, and who is notified of it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import structlog

from bot.blocks.message import Message
from bot.digests import run_state
from bot.digests.models import Digest, Notice, Outcome
from bot.keys.failures import FailureReason
from bot.keys.repository import Keys
from bot.process.workspace import WorkspaceId
from bot.slack import errors as slack
from bot.slack.posting import Posting, retry_after

HOLD = timedelta(hours=1)
_OF_CHANNEL = {
    "is_archived": FailureReason.ARCHIVED,
    "not_in_channel": FailureReason.NOT_IN_CHANNEL,
    "channel_not_found": FailureReason.NOT_FOUND,
}
# Refusals that are not about this post: it is tried again in an hour.
_OF_WORKSPACE: dict[type[slack.SlackError], FailureReason] = {
    slack.TokenRefusedError: FailureReason.UNINSTALLED,
    slack.MissingScopeError: FailureReason.PERMISSION,
}
logger = structlog.get_logger()


def after_refusal(error: slack.SlackError) -> Callable[..., Digest]:
    """Return the step that records Slack's error: the run waits, ends, or pauses its digest."""
    if isinstance(error, slack.ChannelClosedError):
        trouble = _OF_CHANNEL.get(error.code, FailureReason.RESTRICTED)
        return partial(run_state.pause_for_channel, trouble=trouble)
    if error.is_outcome_unknown:
        outcome, trouble = Outcome.UNCERTAIN, FailureReason.SLACK
        return partial(run_state.mark_ended, outcome=outcome, trouble=trouble)
    if isinstance(error, slack.SlackRateLimitedError):
        wait = timedelta(seconds=max(1.0, error.retry_after_s))
        return partial(run_state.postpone, trouble=FailureReason.SLACK, wait=wait)
    if type(error) in _OF_WORKSPACE:
        return partial(run_state.postpone, trouble=_OF_WORKSPACE[type(error)], wait=HOLD)
    if isinstance(error, slack.SlackRefusedError):
        logger.error("Slack refuses a digest", code=error.code)
        outcome, trouble = Outcome.FAILED, FailureReason.INTERNAL
        return partial(run_state.mark_ended, outcome=outcome, trouble=trouble)
    return partial(run_state.postpone, trouble=FailureReason.SLACK)


@dataclass(frozen=True, slots=True)
class Owners:
    """Notifies a digest's maker; if they have left, its last editor, or who set the key.

    A notice with `to` goes to that person alone.
    """

    messages: Posting
    keys: Keys
    words: Callable[[Digest, Notice], Message]

    async def __call__(
        self, workspace: WorkspaceId, digest: Digest, notice: Notice
    ) -> timedelta | None:
        """Send a notice; return when to try again, `None`: it was sent, or cannot be.

        A message that may not have arrived is sent again, once.
        """
        message = self.words(digest, notice)
        try:
            record = await self.keys.record(workspace)
            others = (digest.changed_by, record and record.set_by)
            owners = (digest.made_by, *(() if digest.plan.is_own else others))
            people = (notice.to,) if notice.to else owners
            for user_id in dict.fromkeys(each for each in people if each):
                with suppress(slack.PersonUnreachableError):  # they have left
                    await self.messages.send_dm(workspace, user_id, message)
                    return None
        except slack.SlackError as error:
            logger.warning("could not notify the owner", error=repr(error), tries=notice.tries)
            return retry_after(error, notice.tries)
        logger.error("no owner left to notify", notice=repr(notice))
        return None
