"""What the features stand on, and at what pace they speak: data of the composition root."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

import httpx
from slack_sdk.web.async_client import AsyncWebClient

from bot.commons import Commons
from bot.kept import KeptCommands
from bot.listeners.boundary import FIRST_WORD_AFTER_S, FIRST_WORD_IN_HOME_AFTER_S
from bot.listeners.journal import Journal
from bot.listeners.scan import STILL_WAITING_AFTER_S
from bot.metrics.metrics import Metrics
from bot.settings import Settings
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.store.base import Documents
from bot.store.sealed import KeyRing
from bot.tasks import Tasks
from bot.workspace import WorkspaceId


class Role(Enum):
    """What a process is for. `web` and `worker` share one PostgreSQL, any number of each."""

    ALL = "all"
    WEB = "web"  # answers Slack
    WORKER = "worker"  # delivers digests, and does what comes again and again

    @property
    def answers(self) -> bool:
        """Whether it takes what Slack sends."""
        return self is not Role.WORKER

    @property
    def delivers(self) -> bool:
        """Whether it does what falls due."""
        return self is not Role.WEB


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long people wait for a word: the first one, and the second one of a scan.

    `patience`: so many times longer than usual the bot waits for the store and for Slack, where
    it goes on without them. Slack is content with 1; on a machine that is busy with other things
    tests need more.
    """

    first_word_after_s: float = FIRST_WORD_AFTER_S
    first_word_in_home_after_s: float = FIRST_WORD_IN_HOME_AFTER_S
    still_waiting_after_s: float = STILL_WAITING_AFTER_S
    patience: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the features stand on; whoever made these closes them."""

    settings: Settings
    documents: Documents
    ring: KeyRing
    kept: KeptCommands
    tasks: Tasks
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]]
    posting: Posting
    replies: Replies
    tracker_http: httpx.AsyncClient
    clock: Callable[[], datetime]
    metrics: Metrics
    commons: Commons
    journal: Journal
    pace: Pace
