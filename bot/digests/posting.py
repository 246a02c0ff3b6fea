"""What a run is posted with, whether it is to be, and what becomes of it after Slack's answer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from bot.digests import ledger
from bot.digests.digest import Digest, Mode, Outcome, Trouble
from bot.digests.post import Post
from bot.digests.report import got_worse, has_changed
from bot.digests.troubles import channel_trouble, slack_trouble
from bot.message import Message
from bot.slack.errors import (
    ChannelClosedError,
    MissingScopeError,
    SlackError,
    SlackRefusedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

Step = Callable[[Digest, datetime], Digest]

# Refusals that say nothing of this post: it is tried again in an hour.
LASTING = (TokenRefusedError, WorkspaceHeldError, MissingScopeError)


class Posts(Protocol):
    """Whoever puts messages into channels. Both methods raise SlackError."""

    async def turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        """Wait until the channel may be posted to; nothing was posted when this raises."""
        ...

    async def post(self, workspace: WorkspaceId, channel_id: str, message: Message) -> str:
        """Post once; return the message's timestamp."""
        ...


@dataclass(frozen=True, slots=True)
class Words:
    """How a digest is put into words, and its sign of life."""

    digest: Callable[[Post], Message]
    heartbeat: Callable[[Post], Message]


def after(error: SlackError, token: str) -> Step:
    """What becomes of the run after Slack's answer: waits, pauses, is uncertain or has failed."""
    if isinstance(error, ChannelClosedError):
        closed = channel_trouble(error)
        return lambda each, now: ledger.closed(each, token, now, closed)
    if error.is_outcome_unknown:
        uncertain = Outcome.UNCERTAIN
        return lambda each, now: ledger.ended(each, token, now, uncertain, Trouble.SLACK)
    if isinstance(error, SlackRefusedError) and not isinstance(error, LASTING):
        logger.error("Slack refuses a digest", code=error.code)
        return lambda each, now: ledger.ended(each, token, now, Outcome.FAILED, Trouble.OURS)
    trouble, wait = slack_trouble(error)
    return lambda each, now: ledger.waiting(each, token, now, trouble, wait=wait)


def has_news(post: Post) -> bool:
    """Whether the digest's mode wants this post."""
    report, mode = post.report, post.digest.plan.mode
    if mode is Mode.ALWAYS:
        return True
    if not report.totals.count and not (report.before and report.before.count):
        return False  # nothing there, as before
    return has_changed(report) if mode is Mode.CHANGES else got_worse(report)


def owes_heartbeat(digest: Digest) -> bool:
    """Whether so many silent runs have passed that a sign of life is due."""
    every = digest.plan.heartbeat_every
    return every is not None and digest.silent_runs >= every
