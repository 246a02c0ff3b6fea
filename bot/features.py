"""The features, made and joined: a part of the composition root (see bot/app.py)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import httpx
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.adding import Adding
from bot.connection import Connection
from bot.kept import KeptCommands
from bot.keys import Keys
from bot.listeners.adding import AddingListeners
from bot.listeners.boundary import FIRST_WORD_AFTER_S, Boundary
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.domains import DomainsListeners
from bot.listeners.failures import Failures
from bot.listeners.kept import KeptRuns
from bot.listeners.key import KeyListeners
from bot.listeners.scan import STILL_WAITING_AFTER_S, ScanListeners
from bot.listeners.unread import register_unread
from bot.portfolio.portfolio import Portfolio
from bot.scans import Scans
from bot.settings import Settings
from bot.slack.notices import RefusalNotices
from bot.slack.replies import Replies
from bot.store.base import Documents
from bot.store.sealed import KeyRing
from bot.tasks import Tasks
from bot.tracker.budget import Budget
from bot.tracker.client import TrackerClient
from bot.views.key_trouble import refusal_notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long people wait for a word: the first one, and the second one of a scan."""

    first_word_after_s: float = FIRST_WORD_AFTER_S
    still_waiting_after_s: float = STILL_WAITING_AFTER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the features stand on; whoever made these closes them."""

    settings: Settings
    documents: Documents
    ring: KeyRing
    kept: KeptCommands
    tasks: Tasks
    slack: AsyncWebClient
    replies: Replies
    tracker_http: httpx.AsyncClient
    clock: Callable[[], datetime]
    pace: Pace


def register_features(app: AsyncApp, parts: Parts) -> Boundary:
    """Attach every feature to `app`; return the boundary that runs them."""
    keys = Keys(parts.documents, parts.ring, clock=parts.clock)
    budget = Budget()
    connection = _connection(parts, keys, budget)
    portfolio = Portfolio(connection, clock=parts.clock)
    failures = Failures(
        keys,
        parts.kept,
        budget,
        egress_addresses=parts.settings.egress_addresses,
        clock=parts.clock,
    )
    boundary = Boundary(parts.tasks, failures, first_word_after_s=parts.pace.first_word_after_s)
    dispatcher = Dispatcher(app, boundary, parts.replies)
    register_unread(app)
    _register_members(dispatcher, parts, connection, portfolio)
    KeyListeners(
        keys=keys,
        connection=connection,
        portfolio=portfolio,
        kept=KeptRuns(parts.kept, dispatcher, parts.replies),
        failures=failures,
        budget=budget,
        clock=parts.clock,
    ).register(dispatcher)
    return boundary


def _connection(parts: Parts, keys: Keys, budget: Budget) -> Connection:
    url = parts.settings.domain_tracker_url
    tracker = TrackerClient(parts.tracker_http, base_url=url, budget=budget)
    notices = RefusalNotices(parts.slack, keys, refusal_notice)
    return Connection(tracker, keys, on_refusal=notices)


def _register_members(
    dispatcher: Dispatcher, parts: Parts, connection: Connection, portfolio: Portfolio
) -> None:
    """What every member of the workspace may do."""
    DomainsListeners(portfolio).register(dispatcher)
    scans = Scans(connection, portfolio, parts.documents, clock=parts.clock)
    ScanListeners(
        connection, portfolio, scans, still_waiting_after_s=parts.pace.still_waiting_after_s
    ).register(dispatcher)
    adding = Adding(connection, portfolio)
    owned_type = parts.settings.domain_tracker_owned_type
    AddingListeners(connection, portfolio, adding, owned_type=owned_type).register(dispatcher)
