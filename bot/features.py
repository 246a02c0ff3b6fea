"""The features, made and joined: a part of the composition root (see bot/app.py)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from slack_bolt.async_app import AsyncApp

from bot.adding import Adding
from bot.allowance import Allowances
from bot.connection import Connection
from bot.digests.collection import Collector
from bot.digests.delivery import Delivery
from bot.digests.desk import Desk
from bot.digests.measured import steps_to
from bot.digests.owners import Owners
from bot.digests.places import Places
from bot.digests.posting import Words
from bot.digests.rounds import Rounds
from bot.digests.shelf import Shelf
from bot.home import register_home
from bot.homes import Homes
from bot.keys import StoredKey
from bot.listeners.adding import AddingListeners
from bot.listeners.boundary import Boundary
from bot.listeners.digests.access import DigestAccess
from bot.listeners.digests.form import DigestFormListeners
from bot.listeners.digests.listing import DigestListeners
from bot.listeners.digests.pausing import DigestPauseListeners
from bot.listeners.digests.saving import COUNT_WITHIN_S
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import OPTIONS_WITHIN_S, Dispatcher
from bot.listeners.domains import DomainsListeners
from bot.listeners.failures import Failures
from bot.listeners.kept import KeptRuns
from bot.listeners.key_state import KeyState
from bot.listeners.rights import Rights
from bot.listeners.scan import ScanListeners
from bot.listeners.unread import register_unread
from bot.measuring import look_at_work
from bot.meter import Meter
from bot.office import Office, open_office, register_office
from bot.parts import Parts
from bot.portfolio.portfolio import Portfolio
from bot.scans import Scans
from bot.sharing.allowances import SharedAllowances, share_allowances
from bot.sharing.budget import ANSWERED_WITHIN_S
from bot.sharing.expiry import forget_expired
from bot.tracker.budget import Budget
from bot.tracker.client import Tracker, TrackerClient
from bot.tracker.measured import MeasuredTracker
from bot.views.digests.notices import owner_notice
from bot.views.digests.post import announcement_message, digest_message, heartbeat_message
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What the features do from now on: answer people, and what comes again and again.

    `digests` takes up those that are due; `periodic` is what one of all processes does every few
    seconds, `own` what each of them does. After `stop` nothing that is due is begun any more,
    after `cut_off` nothing is asked of the service. `open_home` draws somebody's Home tab. Each of
    `forget` lets this process remember nothing of a workspace.
    """

    boundary: Boundary
    office: Office
    digests: Rounds
    periodic: Mapping[str, Callable[[], Awaitable[object]]]
    own: tuple[Callable[[], Awaitable[object]], ...]
    stop: Callable[[], None]
    cut_off: Callable[[], None]
    open_home: Callable[[WorkspaceId, str], Awaitable[None]]
    forget: tuple[Callable[[WorkspaceId], object], ...]


def register_features(app: AsyncApp, parts: Parts) -> Running:
    """Attach every feature to `app`; return what runs them."""
    homes = Homes(parts.documents, parts.tasks, clock=parts.clock)
    office = open_office(
        parts.documents,
        parts.ring,
        parts.posting,
        parts.tasks,
        client_for=parts.client_for,
        on_act=homes.changed,
        clock=parts.clock,
    )
    budget, meter = Budget(), Meter()
    patience = parts.pace.patience
    sharing = share_allowances(
        parts.documents,
        budget,
        meter,
        parts.tasks,
        clock=parts.clock,
        answered_within_s=ANSWERED_WITHIN_S * patience,
    )
    allowances = Allowances(office.keys, budget, meter, refresh=sharing.refresh)
    tracker = _tracker(parts, budget, sharing)
    connection = _connection(tracker, office, homes)
    portfolio = Portfolio(
        connection, clock=parts.clock, on_change=homes.changed, versions=parts.commons.versions
    )
    failures = Failures(
        office.keys,
        parts.kept,
        allowances,
        egress_addresses=parts.settings.egress_addresses,
        clock=parts.clock,
        may_configure=office.rights.may_configure,
    )
    boundary = Boundary(
        parts.tasks,
        failures,
        journal=parts.journal,
        note=parts.metrics.people.note_request,
        first_word_after_s=parts.pace.first_word_after_s,
        first_word_in_home_after_s=parts.pace.first_word_in_home_after_s,
    )
    dispatcher = Dispatcher(
        app,
        boundary,
        parts.replies,
        seen=parts.commons.seen,
        options_within_s=OPTIONS_WITHIN_S * patience,
    )
    register_unread(app)
    _register_members(dispatcher, parts, connection, portfolio)
    on_step = steps_to(parts.metrics.digests)
    shelf = Shelf(parts.documents, on_change=homes.changed, on_step=on_step)
    look_at_work(parts.metrics, shelf, budget, clock=parts.clock)
    desk, rounds = _digests(parts, office, shelf, portfolio)
    _register_digests(dispatcher, parts, desk, failures, office.rights)
    key = KeyState(
        keys=office.keys, managers=office.managers, allowances=allowances, clock=parts.clock
    )
    register_office(
        dispatcher,
        office,
        connection=connection,
        portfolio=portfolio,
        kept=KeptRuns(parts.kept, dispatcher.lines, parts.replies),
        desk=desk,
        failures=failures,
        key=key,
        patience=patience,
    )
    home = register_home(
        dispatcher,
        office,
        homes=homes,
        shelf=shelf,
        portfolio=portfolio,
        failures=failures,
        key=key,
        ready=connection.ready,
        replies=parts.replies,
        client_for=parts.client_for,
        clock=parts.clock,
    )

    def stop() -> None:
        rounds.stop()
        homes.stop()
        sharing.usage.stop()

    forget = (portfolio.forget, meter.forget, sharing.forget, home.forget)
    return Running(
        boundary=boundary,
        office=office,
        digests=rounds,
        periodic={
            "reminders": office.notices.go_round,
            "clean-up": parts.kept.forget_expired,
            "usage": lambda: forget_expired(parts.documents, parts.clock()),
            **parts.commons.periodic,
        },
        own=(sharing.usage.tick,),
        stop=stop,
        cut_off=tracker.cut_off,
        open_home=home.draw_for,
        forget=forget,
    )


def _digests(
    parts: Parts, office: Office, shelf: Shelf, portfolio: Portfolio
) -> tuple[Desk, Rounds]:
    """What people do with digests, and what the clock does."""
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
        places=Places(parts.documents, clock=parts.clock),
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
    DigestFormListeners(
        desk=desk,
        access=access,
        screen=screen,
        count_within_s=COUNT_WITHIN_S * parts.pace.patience,
    ).register(dispatcher)
    DigestPauseListeners(desk=desk, access=access, screen=screen).register(dispatcher)


def _tracker(parts: Parts, budget: Budget, sharing: SharedAllowances) -> MeasuredTracker:
    url, service = parts.settings.domain_tracker_url, parts.metrics.service

    def note_sent(fingerprint: str) -> None:
        sharing.usage.count_present(fingerprint)
        service.note_sent(fingerprint)

    client = TrackerClient(
        parts.tracker_http, base_url=url, budget=budget, on_sent=note_sent, peers=sharing.budget
    )
    return MeasuredTracker(client, service.note_call)


def _connection(tracker: Tracker, office: Office, homes: Homes) -> Connection:
    async def tell_of_refusal(workspace: WorkspaceId, key: StoredKey) -> None:
        homes.changed(workspace)
        await office.notices(workspace, key)

    return Connection(tracker, office.keys, on_refusal=tell_of_refusal)


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
