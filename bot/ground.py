"""What everything else of a process stands on: a part of the composition root (see bot/app.py)."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime

import aiohttp

from bot.commons import commons_of
from bot.installations.shelf import InstallationShelf
from bot.kept import KeptCommands
from bot.listeners.journal import Journal
from bot.logs import lines_counted
from bot.metrics.metrics import Metrics
from bot.parts import Pace, Parts, Role
from bot.pending import PendingAnswers
from bot.presence import OneProcess, Processes, SharedProcesses
from bot.settings import Settings
from bot.sharing.holds import ANSWERED_WITHIN_S, SharedHolds
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.slack.traced import traced_calls
from bot.storage import Stored, opened_store
from bot.store.base import Documents
from bot.tasks import Tasks
from bot.tracker.client import tracker_http
from bot.workspaces import SlackClients, Workspaces, open_workspaces

# The SDK 3.47 does not pass its `timeout` on to a session that it is given. With `connect` a
# Slack that cannot be reached is told apart from one that may have done what it was asked.
SLACK_TIMEOUT = aiohttp.ClientTimeout(total=15, connect=8)
IDLE_LINE_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What everything else of one process stands on; whoever made it closes it."""

    parts: Parts
    stored: Stored
    shelf: InstallationShelf
    clients: SlackClients
    workspaces: Workspaces
    processes: Processes
    answers: PendingAnswers


async def laid(
    stack: AsyncExitStack,
    settings: Settings,
    role: Role,
    clock: Callable[[], datetime],
    pace: Pace,
) -> Ground:
    """Make it.

    Raises:
        StoreError: see `opened_store`.
    """
    metrics = Metrics(role=role.value, store="postgresql" if settings.is_shared else "sqlite")
    stack.enter_context(lines_counted(metrics.lines.note_line))
    stored = await stack.enter_async_context(opened_store(settings, metrics.store.note_call))
    documents, ring = stored.documents, stored.ring
    commons = commons_of(stored, patience=pace.patience)
    http = await stack.enter_async_context(_slack_session(metrics))
    clients, tasks = SlackClients(settings, http), Tasks()
    shelf = InstallationShelf(documents, ring)
    workspaces = open_workspaces(
        settings,
        shelf,
        clients,
        tasks,
        clock=clock,
        recent_for_s=commons.installations_for_s,
        patience=pace.patience,
    )
    processes = _processes(stored, role, clock=clock)
    answers = PendingAnswers(documents, ring, clock=clock)
    parts = Parts(
        settings=settings,
        documents=documents,
        ring=ring,
        kept=KeptCommands(documents, ring, clock=clock),
        tasks=tasks,
        client_for=workspaces.client_for,
        posting=_posting(workspaces, documents, tasks, clock=clock, patience=pace.patience),
        replies=Replies(http),
        tracker_http=await stack.enter_async_context(tracker_http()),
        clock=clock,
        metrics=metrics,
        commons=commons,
        journal=Journal(answers, tasks, process_id=processes.process_id, clock=clock),
        pace=pace,
    )
    return Ground(
        parts=parts,
        stored=stored,
        shelf=shelf,
        clients=clients,
        workspaces=workspaces,
        processes=processes,
        answers=answers,
    )


def _slack_session(metrics: Metrics) -> aiohttp.ClientSession:
    # A line that the other side is about to close loses a post without a word, and nobody may
    # repeat it: idle lines are given up early.
    connector = aiohttp.TCPConnector(keepalive_timeout=IDLE_LINE_S)
    traces = [traced_calls(metrics.slack.note_call)]
    return aiohttp.ClientSession(connector=connector, timeout=SLACK_TIMEOUT, trace_configs=traces)


def _posting(
    workspaces: Workspaces,
    documents: Documents,
    tasks: Tasks,
    *,
    clock: Callable[[], datetime],
    patience: float,
) -> Posting:
    within_s = ANSWERED_WITHIN_S * patience
    holds = SharedHolds(documents, tasks, clock=clock, answered_within_s=within_s)
    return Posting(workspaces.client_for, on_refused=workspaces.doubt, holds=holds)


def _processes(stored: Stored, role: Role, *, clock: Callable[[], datetime]) -> Processes:
    if stored.shared is None:
        return OneProcess()
    names = stored.ring.names
    return SharedProcesses(stored.documents, role=role.value, clock=clock, keys=names)
