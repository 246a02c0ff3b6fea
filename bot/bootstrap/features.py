"""Build the features, the Home tab, key administration and gauges."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.admin import Audiences, Audit, Managers
from bot.api_keys.models import StoredKey
from bot.api_keys.notifications import KeyNotices, ManagerNotifier
from bot.api_keys.repository import KeyClaims, Keys
from bot.api_keys.service import KeyService, WorkspaceTracker
from bot.bootstrap.services import Services, Stored
from bot.bulk_scans import BulkScans
from bot.concurrency import Tasks
from bot.digests.collector import Collector, Due, steps_to
from bot.digests.delivery import Delivery, DigestRenderer
from bot.digests.failure_policy import Owners
from bot.digests.nightly import NightlyScans
from bot.digests.repository import DigestRepository
from bot.digests.service import DigestService
from bot.digests.worker import DigestWorker
from bot.home_viewers import HomeViewers
from bot.jobs.queue import depth
from bot.listeners.adddomain import AddingListeners
from bot.listeners.alerts import AlertListeners
from bot.listeners.bulk_scan import BulkScanListeners
from bot.listeners.domaindigest import DigestListeners
from bot.listeners.domaindigest_form import COUNT_WITHIN_S, DigestFormListeners
from bot.listeners.domainkey import (
    LISTED_WITHIN_S,
    AudiencesListeners,
    KeyListeners,
    KeyState,
    ManagersListeners,
)
from bot.listeners.domainkey_forms import KeyFormListeners
from bot.listeners.domains import DomainsListeners
from bot.listeners.error_boundary import ErrorBoundary, Failures, register_error_handler
from bot.listeners.home import HomeCollector, HomeListeners, HomeScreen
from bot.listeners.mentions import register_mentions
from bot.listeners.modals import DigestScreen, KeyScreen
from bot.listeners.permissions import CommandAccess, DigestAccess, Permissions
from bot.listeners.router import OPTIONS_WITHIN_S, DeferredRuns, Dispatcher
from bot.listeners.scan import ScanListeners
from bot.listeners.shortcuts import ShortcutListeners
from bot.listeners.steps import StepListeners
from bot.metrics import gauges
from bot.metrics.definitions import Metrics
from bot.portfolio.add_domain import DomainAdder
from bot.portfolio.add_many import DomainLists
from bot.portfolio.end_dates import ANSWERED_WITHIN_S as DATED_WITHIN_S
from bot.portfolio.end_dates import KeptEndDates
from bot.portfolio.service import Portfolio
from bot.process_heartbeat import PREFIX
from bot.scans import Scans
from bot.shared_limits import (
    ANSWERED_WITHIN_S,
    QuotaService,
    SharedLimits,
    forget_expired,
)
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.slack.usergroups import GroupPeople, UserGroups
from bot.store.documents import Documents
from bot.store.encryption import KeyRing
from bot.tracker.client import Tracker, TrackerClient
from bot.tracker.rate_limit import RateLimiter, counted
from bot.tracker.usage import UsageCounter
from bot.views.admin import appointed_message
from bot.views.bulk_scan import progress_message, summary_message
from bot.views.digests.alert import alert_message
from bot.views.digests.errors import owner_notices
from bot.views.digests.post import announcement_message, digest_message, heartbeat_message
from bot.views.errors_api_key import key_notice
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class AdminServices:
    """What the features share about keys, permissions, the audit log and notices."""

    keys: Keys
    managers: Managers
    permissions: Permissions
    access: CommandAccess
    audit: Audit
    notices: KeyNotices
    notifier: ManagerNotifier
    clock: Callable[[], datetime]


def build_admin(
    documents: Documents,
    ring: KeyRing,
    posting: Posting,
    tasks: Tasks,
    *,
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
    on_act: Callable[[WorkspaceId], object],
    clock: Callable[[], datetime],
    keys_url: str | None,
) -> AdminServices:
    """Build the shared services; `on_act` is called after every act in the audit log."""
    words = partial(key_notice, keys_url=keys_url)
    managers, groups = Managers(documents), UserGroups()
    permissions = Permissions(managers, groups)
    claims = KeyClaims(documents, clock=clock)
    people = GroupPeople(client_for, groups)
    return AdminServices(
        Keys(documents, ring, clock=clock),
        managers,
        permissions,
        CommandAccess(Audiences(documents), permissions),
        Audit(documents, clock=clock, on_act=on_act),
        KeyNotices(posting, claims, managers, words, tasks, clock=clock, groups=people),
        ManagerNotifier(posting, appointed_message, tasks),
        clock,
    )


def register_admin(
    dispatcher: Dispatcher,
    admin: AdminServices,
    *,
    connection: WorkspaceTracker,
    portfolio: Portfolio,
    deferred: DeferredRuns,
    digests: DigestService,
    failures: Failures,
    key: KeyState,
    patience: float,
) -> None:
    """Attach what admins and managers do with the key; for `patience` see `Pace`."""
    keys, clock, screen = admin.keys, admin.clock, KeyScreen(failures)
    key_service = KeyService(keys, connection, portfolio, admin.audit, clock=clock)
    KeyListeners(
        permissions=admin.permissions,
        key_service=key_service,
        state=key,
        digests=digests,
        audit=admin.audit,
        screen=screen,
    ).register(dispatcher)
    KeyFormListeners(
        permissions=admin.permissions,
        keys=keys,
        key_service=key_service,
        deferred=deferred,
        digests=digests,
        screen=screen,
        clock=clock,
    ).register(dispatcher)
    ManagersListeners(
        permissions=admin.permissions,
        managers=admin.managers,
        audit=admin.audit,
        notifier=admin.notifier,
        screen=screen,
        listed_within_s=LISTED_WITHIN_S * patience,
    ).register(dispatcher)
    AudiencesListeners(
        permissions=admin.permissions,
        audiences=admin.access.audiences,
        audit=admin.audit,
        screen=screen,
    ).register(dispatcher)


def register_home(
    dispatcher: Dispatcher,
    admin: AdminServices,
    *,
    homes: HomeViewers,
    repository: DigestRepository,
    portfolio: Portfolio,
    ends: KeptEndDates,
    failures: Failures,
    key: KeyState,
    ready: Callable[[WorkspaceId], Awaitable[None]],
    replies: Replies,
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
    clock: Callable[[], datetime],
) -> HomeScreen:
    """Attach the tab: everything that the other features know, in one place."""
    collector = HomeCollector(
        permissions=admin.permissions,
        managers=admin.managers,
        key=key,
        audit=admin.audit,
        portfolio=portfolio,
        ends=ends,
        ready=ready,
        digests=repository.of_workspace,
        failures=failures,
        clock=clock,
    )
    screen = HomeScreen(collector=collector, replies=replies, client_for=client_for)
    HomeListeners(screen=screen, homes=homes).register(dispatcher)
    return screen


def look_at_work(
    metrics: Metrics,
    repository: DigestRepository,
    budget: RateLimiter,
    *,
    clock: Callable[[], datetime],
) -> None:
    """Let the metrics tell what is due, and how the API keys stand."""
    metrics.looks.set_source("digests", gauges.due(Due(repository, clock=clock)))
    metrics.looks.set_source("budget", gauges.budget(lambda: counted(budget.states())))


def look_at_processes(metrics: Metrics, stored: Stored) -> None:
    """Let the metrics tell which processes live, what the queue holds, and how the pool is."""
    if (shared := stored.shared) is None:
        metrics.looks.set_source("processes", gauges.processes(_alone))
        return

    async def roles() -> Mapping[str, int]:
        shown = await stored.documents.list_prefix(PREFIX)
        return Counter(str(each.value.get("role")) for each in shown)

    metrics.looks.set_source("processes", gauges.processes(roles))
    metrics.looks.set_source("queue", gauges.queue(lambda: depth(shared.pool)))
    metrics.looks.set_source("pool", gauges.pool(shared.pool.get_stats))


async def _alone() -> Mapping[str, int]:
    return {"all": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What the features do from now on: answer people, and what comes again and again.

    `digests` takes up those that are due; `periodic` is what one of all processes does every few
    seconds, `own` what each of them does. After `stop` nothing that is due is begun any more,
    after `cut_off` nothing is asked of the service. `open_home` draws somebody's Home tab. Each of
    `forget` lets this process remember nothing of a workspace.
    """

    boundary: ErrorBoundary
    admin: AdminServices
    digests: DigestWorker
    periodic: Mapping[str, Callable[[], Awaitable[object]]]
    own: tuple[Callable[[], Awaitable[object]], ...]
    stop: Callable[[], None]
    cut_off: Callable[[], None]
    open_home: Callable[[WorkspaceId, str], Awaitable[None]]
    forget: tuple[Callable[[WorkspaceId], object], ...]


def register_features(app: AsyncApp, parts: Services) -> Features:
    """Attach every feature to `app`; return what runs them."""
    homes = HomeViewers(parts.documents, parts.tasks, clock=parts.clock)
    admin = build_admin(
        parts.documents,
        parts.ring,
        parts.posting,
        parts.tasks,
        client_for=parts.client_for,
        on_act=homes.schedule_refresh,
        clock=parts.clock,
        keys_url=parts.settings.domain_tracker_keys_url,
    )

    def seconds() -> float:
        return parts.clock().timestamp()

    budget, meter = RateLimiter(clock=seconds), UsageCounter(clock=seconds)
    patience = parts.pace.patience
    sharing = SharedLimits(
        parts.documents,
        budget,
        meter,
        parts.tasks,
        answered_within_s=ANSWERED_WITHIN_S * patience,
    )
    allowances = QuotaService(admin.keys, budget, meter, refresh=sharing.refresh)
    tracker = _tracker(parts, budget, meter, sharing)
    connection = _connection(tracker, admin, homes)
    portfolio = Portfolio(
        connection,
        clock=parts.clock,
        on_change=homes.schedule_refresh,
        versions=parts.commons.versions,
    )
    failures = Failures(
        admin.keys,
        parts.deferred,
        allowances,
        egress_addresses=parts.settings.egress_addresses,
        keys_url=parts.settings.domain_tracker_keys_url,
        clock=parts.clock,
        may_configure=admin.permissions.may_configure,
    )
    boundary = ErrorBoundary(
        parts.tasks,
        failures,
        inflight=parts.inflight,
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
    register_error_handler(app)
    ends = KeptEndDates(parts.documents, answered_within_s=DATED_WITHIN_S * patience)
    scans = Scans(
        connection,
        portfolio,
        parts.documents,
        ends,
        clock=parts.clock,
        claims=parts.commons.claims,
        on_kept=homes.schedule_refresh,
    )
    bulk = BulkScans(
        parts.documents,
        scans,
        parts.posting,
        parts.tasks,
        progress=progress_message,
        summary=summary_message,
        clock=parts.clock,
    )
    bulk_listeners = BulkScanListeners(
        access=admin.access,
        bulk=bulk,
        portfolio=portfolio,
        ends=ends,
        allowances=allowances,
        clock=parts.clock,
    )
    bulk_listeners.register(dispatcher)
    _register_members(
        dispatcher,
        parts,
        admin.access,
        connection,
        portfolio,
        ends,
        scans,
        bulk_listeners,
        failures,
    )
    on_step = steps_to(parts.metrics.digests)
    repository = DigestRepository(
        parts.documents, on_change=homes.schedule_refresh, on_step=on_step
    )
    look_at_work(parts.metrics, repository, budget, clock=parts.clock)
    digests, worker = _digests(parts, admin, repository, portfolio, ends)
    _register_digests(dispatcher, parts, digests, failures, admin)
    key = KeyState(
        keys=admin.keys,
        managers=admin.managers,
        audiences=admin.access.audiences,
        allowances=allowances,
        clock=parts.clock,
        keys_url=parts.settings.domain_tracker_keys_url,
    )
    register_admin(
        dispatcher,
        admin,
        connection=connection,
        portfolio=portfolio,
        deferred=DeferredRuns(parts.deferred, dispatcher.lines, parts.replies),
        digests=digests,
        failures=failures,
        key=key,
        patience=patience,
    )
    home = register_home(
        dispatcher,
        admin,
        homes=homes,
        repository=repository,
        portfolio=portfolio,
        ends=ends,
        failures=failures,
        key=key,
        ready=connection.ready,
        replies=parts.replies,
        client_for=parts.client_for,
        clock=parts.clock,
    )

    nightly = NightlyScans(
        parts.documents, repository, portfolio, scans, parts.tasks, clock=parts.clock
    )

    def stop() -> None:
        worker.stop()
        nightly.stop()
        bulk.stop_all()
        homes.stop()
        sharing.stop()

    forget = (portfolio.forget, meter.forget, home.forget)
    return Features(
        boundary=boundary,
        admin=admin,
        digests=worker,
        periodic={
            "reminders": admin.notices.run_due,
            "clean-up": parts.deferred.forget_expired,
            "nightly": nightly.run_due,
            "bulk-scans": bulk.run_due,
            "usage": lambda: forget_expired(parts.documents, parts.clock()),
            **parts.commons.periodic,
        },
        own=(sharing.tick,),
        stop=stop,
        cut_off=tracker.cut_off,
        open_home=home.draw_for,
        forget=forget,
    )


def _digests(
    parts: Services,
    admin: AdminServices,
    repository: DigestRepository,
    portfolio: Portfolio,
    ends: KeptEndDates,
) -> tuple[DigestService, DigestWorker]:
    """What people do with digests, and what the clock does."""
    collector = Collector(portfolio, repository, ends, clock=parts.clock)
    words = DigestRenderer(digest_message, heartbeat_message, announcement_message, alert_message)
    delivery = Delivery(repository, collector, parts.posting, words, clock=parts.clock)
    digests = DigestService(
        repository,
        collector,
        delivery,
        clock=parts.clock,
        notes=admin.audit.note_digest,
    )
    owners = Owners(parts.posting, admin.keys, owner_notices)
    return digests, DigestWorker(repository, delivery, owners, parts.tasks, clock=parts.clock)


def _register_digests(
    dispatcher: Dispatcher,
    parts: Services,
    digests: DigestService,
    failures: Failures,
    admin: AdminServices,
) -> None:
    """What people do with digests: in the list, in its forms, in posts and notices."""
    access = DigestAccess(digests, admin.permissions)
    screen = DigestScreen(digests=digests, access=access, failures=failures, clock=parts.clock)
    DigestListeners(digests=digests, access=access, screen=screen).register(dispatcher)
    AlertListeners(digests=digests, access=access, screen=screen).register(dispatcher)
    DigestFormListeners(
        digests=digests,
        access=access,
        commands=admin.access,
        screen=screen,
        count_within_s=COUNT_WITHIN_S * parts.pace.patience,
    ).register(dispatcher)


def _tracker(
    parts: Services, budget: RateLimiter, meter: UsageCounter, sharing: SharedLimits
) -> TrackerClient:
    url, service = parts.settings.domain_tracker_url, parts.metrics.service

    def note_sent(fingerprint: str) -> None:
        meter.count_present(fingerprint)
        service.note_sent(fingerprint)

    return TrackerClient(
        parts.tracker_http,
        base_url=url,
        budget=budget,
        on_sent=note_sent,
        before=sharing.before_request,
        after=sharing.after_request,
        note=service.note_call,
    )


def _connection(tracker: Tracker, admin: AdminServices, homes: HomeViewers) -> WorkspaceTracker:
    async def tell_of_refusal(workspace: WorkspaceId, key: StoredKey) -> None:
        homes.schedule_refresh(workspace)
        await admin.notices(workspace, key)

    return WorkspaceTracker(tracker, admin.keys, on_refusal=tell_of_refusal)


def _register_members(
    dispatcher: Dispatcher,
    parts: Services,
    access: CommandAccess,
    connection: WorkspaceTracker,
    portfolio: Portfolio,
    ends: KeptEndDates,
    scans: Scans,
    bulk: BulkScanListeners,
    failures: Failures,
) -> None:
    """What every member of the workspace may do."""
    DomainsListeners(portfolio, ends, parts.clock).register(dispatcher)
    ScanListeners(
        access=access,
        tracker=connection,
        portfolio=portfolio,
        scans=scans,
        bulk=bulk,
        still_waiting_after_s=parts.pace.still_waiting_after_s,
    ).register(dispatcher)
    StepListeners(portfolio, scans, ends, parts.clock).register(dispatcher)
    adder = DomainAdder(connection.add_domain, portfolio, claims=parts.commons.claims)
    AddingListeners(
        access=access,
        tracker=connection,
        portfolio=portfolio,
        adder=adder,
        lists=DomainLists(parts.documents, adder, portfolio, clock=parts.clock),
        failures=failures,
        owned_type=parts.settings.domain_tracker_owned_type,
    ).register(dispatcher)
    ShortcutListeners(portfolio, dispatcher.lines).register(dispatcher)
    register_mentions(dispatcher)
