"""The features, made and joined: a part of the composition root (see bot/app.py)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import httpx
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.adding import Adding
from bot.connection import Connection
from bot.digests.collection import Collector
from bot.digests.delivery import Delivery, Words
from bot.digests.desk import Desk
from bot.digests.owners import Owners
from bot.digests.rounds import Rounds
from bot.digests.shelf import Shelf
from bot.kept import KeptCommands
from bot.listeners.adding import AddingListeners
from bot.listeners.boundary import FIRST_WORD_AFTER_S, Boundary
from bot.listeners.digests.access import DigestAccess
from bot.listeners.digests.form import DigestFormListeners
from bot.listeners.digests.listing import DigestListeners
from bot.listeners.digests.pausing import DigestPauseListeners
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.domains import DomainsListeners
from bot.listeners.failures import Failures
from bot.listeners.kept import KeptRuns
from bot.listeners.rights import Rights
from bot.listeners.scan import STILL_WAITING_AFTER_S, ScanListeners
from bot.listeners.unread import register_unread
from bot.office import Office, open_office, register_office
from bot.portfolio.portfolio import Portfolio
from bot.scans import Scans
from bot.settings import Settings
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.store.base import Documents
from bot.store.sealed import KeyRing
from bot.tasks import Tasks
from bot.tracker.budget import Budget
from bot.tracker.client import TrackerClient
from bot.views.digests.notices import owner_notice
from bot.views.digests.post import announcement_message, digest_message, heartbeat_message


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
    posting: Posting
    replies: Replies
    tracker_http: httpx.AsyncClient
    clock: Callable[[], datetime]
    pace: Pace


@dataclass(frozen=True, slots=True)
class Running:
    """What the features do from now on: answer people, and whatever `tick` finds due.

    After `stop` nothing that is due is begun any more.
    """

    boundary: Boundary
    tick: Callable[[], Awaitable[None]]
    stop: Callable[[], None]


def register_features(app: AsyncApp, parts: Parts) -> Running:
    """Attach every feature to `app`; return what runs them."""
    office = open_office(
        parts.documents, parts.ring, parts.posting, parts.tasks, clock=parts.clock
    )
    keys, budget = office.keys, Budget()
    connection = _connection(parts, office, budget)
    portfolio = Portfolio(connection, clock=parts.clock)
    failures = Failures(
        keys,
        parts.kept,
        budget,
        egress_addresses=parts.settings.egress_addresses,
        clock=parts.clock,
        may_configure=office.rights.may_configure,
    )
    boundary = Boundary(parts.tasks, failures, first_word_after_s=parts.pace.first_word_after_s)
    dispatcher = Dispatcher(app, boundary, parts.replies)
    register_unread(app)
    _register_members(dispatcher, parts, connection, portfolio)
    desk, rounds = _digests(parts, office, portfolio)
    _register_digests(dispatcher, parts, desk, failures, office.rights)
    register_office(
        dispatcher,
        office,
        connection=connection,
        portfolio=portfolio,
        kept=KeptRuns(parts.kept, dispatcher, parts.replies),
        desk=desk,
        failures=failures,
        budget=budget,
    )

    async def tick() -> None:
        await _all_of(rounds.go_round(), office.notices.go_round(), parts.kept.forget_expired())

    return Running(boundary, tick, rounds.stop)


async def _all_of(*work: Awaitable[object]) -> None:
    """Do all of it, also when a part of it fails; then raise the first failure."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result


def _digests(parts: Parts, office: Office, portfolio: Portfolio) -> tuple[Desk, Rounds]:
    """What people do with digests, and what the clock does."""
    shelf = Shelf(parts.documents)
    collector = Collector(portfolio, shelf, clock=parts.clock)
    words = Words(digest_message, heartbeat_message)
    delivery = Delivery(shelf, collector, parts.posting, words, clock=parts.clock)
    desk = Desk(
        shelf,
        collector,
        delivery,
        parts.posting,
        announcement_message,
        clock=parts.clock,
        notes=office.audit.note_digest,
    )
    owners = Owners(parts.posting, office.keys, owner_notice)
    return desk, Rounds(shelf, delivery, owners, parts.tasks, clock=parts.clock)


def _register_digests(
    dispatcher: Dispatcher, parts: Parts, desk: Desk, failures: Failures, rights: Rights
) -> None:
    """What people do with digests: in the list, in its forms, in posts and notices."""
    access = DigestAccess(desk, rights)
    screen = DigestScreen(desk=desk, access=access, failures=failures, clock=parts.clock)
    DigestListeners(desk, access, screen).register(dispatcher)
    DigestFormListeners(desk=desk, access=access, screen=screen).register(dispatcher)
    DigestPauseListeners(desk=desk, access=access, screen=screen).register(dispatcher)


def _connection(parts: Parts, office: Office, budget: Budget) -> Connection:
    url = parts.settings.domain_tracker_url
    tracker = TrackerClient(parts.tracker_http, base_url=url, budget=budget)
    return Connection(tracker, office.keys, on_refusal=office.notices)


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
