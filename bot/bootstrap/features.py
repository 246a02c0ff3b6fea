"""Build the features, the Home tab, key administration and gauges."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from slack_bolt.async_app import AsyncApp

from bot.admin import Audiences, Audit, Managers
from bot.api_keys.models import StoredKey
from bot.api_keys.notifications import KeyNotices, ManagerNotifier
from bot.api_keys.repository import KeyClaims, Keys
from bot.api_keys.service import KeyService, WorkspaceTracker
from bot.bootstrap.services import Services, Stored
from bot.bulk_scans import BulkScans
from bot.digests.collector import Collector, overdue, steps_to
from bot.digests.delivery import Delivery, DigestRenderer
from bot.digests.failure_policy import Owners
from bot.digests.nightly import NightlyScans
from bot.digests.repository import DigestRepository
from bot.digests.service import DigestService
from bot.digests.worker import DigestWorker
from bot.home_viewers import HomeViewers
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
from bot.slack.usergroups import GroupPeople, UserGroups
from bot.tracker.client import TrackerClient
from bot.tracker.rate_limit import RateLimiter, counted
from bot.tracker.usage import UsageCounter
from bot.views.admin import appointed_message
from bot.views.bulk_scan import progress_message, summary_message
from bot.views.digests.alert import alert_message
from bot.views.digests.errors import owner_notices
from bot.views.digests.post import announcement_message, digest_message, heartbeat_message
from bot.views.errors_api_key import key_notice
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminServices:
    """What the features share about keys, permissions, the audit log and notices."""

    keys: Keys
    managers: Managers
    permissions: Permissions
    access: CommandAccess
    audit: Audit
    notices: KeyNotices


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackerAccess:
    """The way to Domain Tracker: `tracker` for workspaces, over `client`, within the limits."""

    client: TrackerClient
    tracker: WorkspaceTracker
    budget: RateLimiter
    meter: UsageCounter
    sharing: SharedLimits
    allowances: QuotaService


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCases:
    """What the listeners call, beside `Services`."""

    homes: HomeViewers
    admin: AdminServices
    service: TrackerAccess
    portfolio: Portfolio
    ends: KeptEndDates
    scans: Scans
    bulk: BulkScans
    repository: DigestRepository
    digests: DigestService
    worker: DigestWorker
    failures: Failures
    key: KeyState


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
    cases = build_use_cases(parts)
    boundary = ErrorBoundary(
        parts.tasks,
        cases.failures,
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
        options_within_s=OPTIONS_WITHIN_S * parts.pace.patience,
    )
    register_error_handler(app)
    _register_members(dispatcher, parts, cases)
    _register_digests(dispatcher, parts, cases)
    _register_key(dispatcher, parts, cases)
    _register_permissions(dispatcher, parts, cases)
    home = _register_home(dispatcher, parts, cases)
    look_at_work(parts.metrics, cases.repository, cases.service.budget, clock=parts.clock)
    return _running(parts, cases, boundary, home)


def build_use_cases(parts: Services) -> UseCases:
    """Build what the listeners call."""
    documents, clock, patience = parts.documents, parts.clock, parts.pace.patience
    homes = HomeViewers(documents, parts.tasks, clock=clock)
    admin = _admin(parts, homes)
    service = _service(parts, admin, homes)
    portfolio = Portfolio(
        service.tracker,
        clock=clock,
        on_change=homes.schedule_refresh,
        versions=parts.commons.versions,
    )
    ends = KeptEndDates(documents, answered_within_s=DATED_WITHIN_S * patience)
    scans = Scans(
        service.tracker,
        portfolio,
        documents,
        ends,
        clock=clock,
        claims=parts.commons.claims,
        on_kept=homes.schedule_refresh,
    )
    repository = DigestRepository(
        documents, on_change=homes.schedule_refresh, on_step=steps_to(parts.metrics.digests)
    )
    digests, worker = _digests(parts, admin, repository, portfolio, ends)
    return UseCases(
        homes=homes,
        admin=admin,
        service=service,
        portfolio=portfolio,
        ends=ends,
        scans=scans,
        bulk=BulkScans(
            documents,
            scans,
            parts.posting,
            parts.tasks,
            progress=progress_message,
            summary=summary_message,
            clock=clock,
        ),
        repository=repository,
        digests=digests,
        worker=worker,
        failures=_failures(parts, admin, service.allowances),
        key=KeyState(
            keys=admin.keys,
            managers=admin.managers,
            audiences=admin.access.audiences,
            allowances=service.allowances,
            clock=clock,
            keys_url=parts.settings.domain_tracker_keys_url,
        ),
    )


def _admin(parts: Services, homes: HomeViewers) -> AdminServices:
    """Build who may do what, the keys, and the notices about them."""
    documents, clock = parts.documents, parts.clock
    managers, groups = Managers(documents), UserGroups()
    permissions = Permissions(managers, groups)
    return AdminServices(
        keys=Keys(documents, parts.ring, clock=clock),
        managers=managers,
        permissions=permissions,
        access=CommandAccess(Audiences(documents), permissions),
        audit=Audit(documents, clock=clock, on_act=homes.schedule_refresh),
        notices=KeyNotices(
            parts.posting,
            KeyClaims(documents, clock=clock),
            managers,
            partial(key_notice, keys_url=parts.settings.domain_tracker_keys_url),
            parts.tasks,
            clock=clock,
            groups=GroupPeople(parts.client_for, groups),
        ),
    )


def _service(parts: Services, admin: AdminServices, homes: HomeViewers) -> TrackerAccess:
    """Build the way to Domain Tracker: every request is counted, within the shared limits."""

    def seconds() -> float:
        return parts.clock().timestamp()

    def note_sent(fingerprint: str) -> None:
        meter.count_present(fingerprint)
        parts.metrics.service.note_sent(fingerprint)

    async def tell_of_refusal(workspace: WorkspaceId, key: StoredKey) -> None:
        homes.schedule_refresh(workspace)
        await admin.notices(workspace, key)

    budget, meter = RateLimiter(clock=seconds), UsageCounter(clock=seconds)
    within_s = ANSWERED_WITHIN_S * parts.pace.patience
    sharing = SharedLimits(parts.documents, budget, meter, parts.tasks, answered_within_s=within_s)
    client = TrackerClient(
        parts.tracker_http,
        base_url=parts.settings.domain_tracker_url,
        budget=budget,
        on_sent=note_sent,
        before=sharing.before_request,
        after=sharing.after_request,
        note=parts.metrics.service.note_call,
    )
    return TrackerAccess(
        client=client,
        tracker=WorkspaceTracker(client, admin.keys, on_refusal=tell_of_refusal),
        budget=budget,
        meter=meter,
        sharing=sharing,
        allowances=QuotaService(admin.keys, budget, meter, refresh=sharing.refresh),
    )


def _failures(parts: Services, admin: AdminServices, allowances: QuotaService) -> Failures:
    return Failures(
        admin.keys,
        parts.deferred,
        allowances,
        egress_addresses=parts.settings.egress_addresses,
        keys_url=parts.settings.domain_tracker_keys_url,
        clock=parts.clock,
        may_configure=admin.permissions.may_configure,
    )


def _digests(
    parts: Services,
    admin: AdminServices,
    repository: DigestRepository,
    portfolio: Portfolio,
    ends: KeptEndDates,
) -> tuple[DigestService, DigestWorker]:
    """Build what people do with digests, and what the clock does."""
    clock = parts.clock
    collector = Collector(portfolio, repository, ends, clock=clock)
    words = DigestRenderer(digest_message, heartbeat_message, announcement_message, alert_message)
    delivery = Delivery(repository, collector, parts.posting, words, clock=clock)
    notes = admin.audit.note_digest
    digests = DigestService(repository, collector, delivery, clock=clock, notes=notes)
    owners = Owners(parts.posting, admin.keys, owner_notices)
    return digests, DigestWorker(repository, delivery, owners, parts.tasks, clock=clock)


def _register_members(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach what every member of the workspace may do."""
    access, tracker, portfolio = cases.admin.access, cases.service.tracker, cases.portfolio
    DomainsListeners(portfolio, cases.ends, parts.clock).register(dispatcher)
    bulk = BulkScanListeners(
        access=access,
        bulk=cases.bulk,
        portfolio=portfolio,
        ends=cases.ends,
        allowances=cases.service.allowances,
        clock=parts.clock,
    )
    bulk.register(dispatcher)
    ScanListeners(
        access=access,
        tracker=tracker,
        portfolio=portfolio,
        scans=cases.scans,
        bulk=bulk,
        still_waiting_after_s=parts.pace.still_waiting_after_s,
    ).register(dispatcher)
    StepListeners(portfolio, cases.scans, cases.ends, parts.clock).register(dispatcher)
    adder = DomainAdder(tracker.add_domain, portfolio, claims=parts.commons.claims)
    AddingListeners(
        access=access,
        tracker=tracker,
        portfolio=portfolio,
        adder=adder,
        lists=DomainLists(parts.documents, adder, portfolio, clock=parts.clock),
        failures=cases.failures,
        owned_type=parts.settings.domain_tracker_owned_type,
    ).register(dispatcher)
    ShortcutListeners(portfolio, dispatcher.lines).register(dispatcher)
    register_mentions(dispatcher)


def _register_digests(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach what people do with digests: in the list, in its forms, in posts and notices."""
    digests, access = cases.digests, DigestAccess(cases.digests, cases.admin.permissions)
    screen = DigestScreen(
        digests=digests, access=access, failures=cases.failures, clock=parts.clock
    )
    DigestListeners(digests=digests, access=access, screen=screen).register(dispatcher)
    AlertListeners(alerts=cases.repository, access=access, screen=screen).register(dispatcher)
    within_s = COUNT_WITHIN_S * parts.pace.patience
    DigestFormListeners(
        digests=digests,
        access=access,
        commands=cases.admin.access,
        screen=screen,
        count_within_s=within_s,
    ).register(dispatcher)


def _register_key(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach what managers do with the key."""
    admin, screen = cases.admin, KeyScreen(cases.failures)
    key_service = KeyService(
        admin.keys, cases.service.tracker, cases.portfolio, admin.audit, clock=parts.clock
    )
    KeyListeners(
        permissions=admin.permissions,
        key_service=key_service,
        state=cases.key,
        digests=cases.digests,
        audit=admin.audit,
        screen=screen,
    ).register(dispatcher)
    KeyFormListeners(
        permissions=admin.permissions,
        keys=admin.keys,
        key_service=key_service,
        deferred=DeferredRuns(parts.deferred, dispatcher.lines, parts.replies),
        digests=cases.digests,
        screen=screen,
        clock=parts.clock,
    ).register(dispatcher)


def _register_permissions(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach what admins decide: who the managers are, and who may add and scan."""
    admin, screen = cases.admin, KeyScreen(cases.failures)
    ManagersListeners(
        permissions=admin.permissions,
        managers=admin.managers,
        audit=admin.audit,
        notifier=ManagerNotifier(parts.posting, appointed_message, parts.tasks),
        screen=screen,
        listed_within_s=LISTED_WITHIN_S * parts.pace.patience,
    ).register(dispatcher)
    AudiencesListeners(
        permissions=admin.permissions,
        audiences=admin.access.audiences,
        audit=admin.audit,
        screen=screen,
    ).register(dispatcher)


def _register_home(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> HomeScreen:
    """Attach the tab: everything that the other features know, in one place."""
    collector = HomeCollector(
        permissions=cases.admin.permissions,
        managers=cases.admin.managers,
        key=cases.key,
        audit=cases.admin.audit,
        portfolio=cases.portfolio,
        ends=cases.ends,
        ready=cases.service.tracker.ready,
        digests=cases.repository.of_workspace,
        failures=cases.failures,
        clock=parts.clock,
        reads_messages=parts.settings.slack_mentions,
    )
    screen = HomeScreen(collector=collector, replies=parts.replies, client_for=parts.client_for)
    HomeListeners(screen=screen, homes=cases.homes).register(dispatcher)
    return screen


def _running(
    parts: Services, cases: UseCases, boundary: ErrorBoundary, home: HomeScreen
) -> Features:
    service = cases.service
    nightly = NightlyScans(
        parts.documents,
        cases.repository,
        cases.portfolio,
        cases.scans,
        parts.tasks,
        clock=parts.clock,
    )

    def stop() -> None:
        for each in (cases.worker, nightly, cases.homes, service.sharing):
            each.stop()
        cases.bulk.stop_all()

    return Features(
        boundary=boundary,
        admin=cases.admin,
        digests=cases.worker,
        periodic={
            "reminders": cases.admin.notices.run_due,
            "clean-up": parts.deferred.forget_expired,
            "nightly": nightly.run_due,
            "bulk-scans": cases.bulk.run_due,
            "usage": lambda: forget_expired(parts.documents, parts.clock()),
            **parts.commons.periodic,
        },
        own=(service.sharing.tick,),
        stop=stop,
        cut_off=service.client.cut_off,
        open_home=home.draw_for,
        forget=(cases.portfolio.forget, service.meter.forget, home.forget),
    )


def look_at_work(
    metrics: Metrics,
    repository: DigestRepository,
    budget: RateLimiter,
    *,
    clock: Callable[[], datetime],
) -> None:
    """Let the metrics tell what is due, and how the API keys stand."""
    metrics.looks.set_source("digests", gauges.due(lambda: overdue(repository, clock())))
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
    from bot.jobs.queue import depth  # slow to import, and a file has no queue

    metrics.looks.set_source("queue", gauges.queue(lambda: depth(shared.pool)))
    metrics.looks.set_source("pool", gauges.pool(shared.pool.get_stats))


async def _alone() -> Mapping[str, int]:
    return {"all": 1}
