"""Build the features, the Home tab, key administration and gauges."""

from collections.abc import Awaitable, Callable, Mapping

from slack_bolt.async_app import AsyncApp

from bot.access.permissions import Permissions
from bot.access.repository import Audiences, Audit, Managers
from bot.app.failures import Failures
from bot.app.services import Services
from bot.digests.access import DigestAccess
from bot.digests.alert_cards import AlertCards
from bot.digests.alert_listeners import AlertListeners
from bot.digests.collector import Collector
from bot.digests.delivery import Delivery, DigestRenderer
from bot.digests.errors import owner_notice
from bot.digests.failure_policy import Owners
from bot.digests.form_listeners import DigestFormListeners
from bot.digests.joined_channel import JoinedChannelListeners
from bot.digests.line_listeners import DigestLineListeners
from bot.digests.listeners import DigestListeners
from bot.digests.repository import DigestRepository, overdue, steps_to
from bot.digests.screen import DigestScreen
from bot.digests.service import DigestService
from bot.digests.views.post import announcement_message, digest_message, heartbeat_message
from bot.digests.worker import DigestWorker
from bot.dispatch import deferred_commands
from bot.dispatch.error_boundary import ErrorBoundary
from bot.dispatch.incoming import answer_unread
from bot.dispatch.mentions import register_mentions
from bot.dispatch.request import OncePerMessage
from bot.dispatch.router import Dispatcher
from bot.domainkey.form_listeners import KeyFormListeners
from bot.domainkey.listeners import AdminListeners, KeyListeners, KeyState
from bot.domainkey.screen import KeyScreen
from bot.domainkey.service import KeyService
from bot.domains import add_many
from bot.domains.add_domain import DomainAdder
from bot.domains.add_listeners import AddingListeners
from bot.domains.add_many import DomainLists
from bot.domains.end_dates import KeptEndDates
from bot.domains.listeners import DomainsListeners
from bot.domains.service import Portfolio
from bot.home.listeners import HomeCollector, HomeListeners, HomeScreen
from bot.keys import budget
from bot.keys.budget import QuotaService
from bot.keys.errors import key_notice
from bot.keys.notifications import KeyClaims, KeyNotices
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.scans.bulk_listeners import BulkScanListeners
from bot.scans.bulk_runner import BulkScans
from bot.scans.bulk_views import progress_message, summary_message
from bot.scans.listeners import ScanListeners
from bot.scans.nightly import NightlyScans, NightlySetting
from bot.scans.service import Scans
from bot.scans.shortcut_listeners import ShortcutListeners
from bot.slack.usergroups import UserGroups
from bot.store.clean_up import forget_expired
from bot.tracker.client import TrackerClient
from bot.tracker.rate_limit import RateLimiter
from bot.web.gauges import DIGESTS

# The kinds of documents that only count for a time.
EXPIRING = (deferred_commands.KIND, budget.LIMITS_KIND, add_many.KIND)


class AdminServices:
    """What the features share about keys, permissions, the audit log and notices."""

    def __init__(self, parts: Services) -> None:
        documents, clock = parts.documents, parts.clock
        self.keys = Keys(documents, parts.ring, clock=clock)
        self.managers = Managers(documents)
        self.permissions = Permissions(self.managers, Audiences(documents))
        self.audit = Audit(documents, clock=clock)
        self.notices = KeyNotices(
            parts.posting,
            KeyClaims(self.keys),
            self.managers,
            key_notice,
            parts.tasks,
        )


class UseCases:
    """What the listeners call, beside `Services`."""

    def __init__(self, parts: Services) -> None:
        documents, clock = parts.documents, parts.clock
        self.admin = AdminServices(parts)
        self.budget = RateLimiter(clock=clock)
        self.allowances = QuotaService(documents, self.admin.keys, self.budget, parts.tasks)
        self.client, self.tracker = self._tracker(parts)
        self.portfolio = Portfolio(
            self.tracker.list_domains, clock=clock, versions=parts.commons.versions
        )
        self.ends = KeptEndDates(documents)
        self.scans = Scans(
            self.tracker.scan,
            self.portfolio,
            documents,
            self.ends,
            clock=clock,
            names=parts.settings.scan_names,
        )
        self.repository = DigestRepository(documents, on_step=steps_to(parts.metrics.digests))
        self.nights = NightlySetting(documents, self.repository.zones, clock=clock)
        self.cards = AlertCards(self.repository, parts.posting, clock=clock)
        self.digests, self.worker = self._digests(parts)
        self.bulk = BulkScans(
            documents,
            parts.tasks,
            self.scans,
            parts.posting,
            progress=progress_message,
            summary=summary_message,
            clock=clock,
        )
        self.failures = Failures(
            self.admin.keys,
            parts.deferred,
            self.allowances,
            egress_addresses=parts.settings.egress_addresses,
            clock=clock,
            permissions=self.admin.permissions,
        )
        self.key = KeyState(
            keys=self.admin.keys,
            managers=self.admin.managers,
            audiences=self.admin.permissions.audiences,
            allowances=self.allowances,
            nights=self.nights,
            portfolio=self.portfolio,
            clock=clock,
        )

    def _tracker(self, parts: Services) -> tuple[TrackerClient, WorkspaceTracker]:
        """Build the way to Domain Tracker: requests are counted, within the shared limits."""
        client = TrackerClient(
            parts.tracker_http,
            base_url=parts.settings.domain_tracker_url,
            budget=self.budget,
            quotas=self.allowances,
            note=parts.metrics.service.note_call,
        )
        return client, WorkspaceTracker(client, self.admin.keys, on_refusal=self.admin.notices)

    def _digests(self, parts: Services) -> tuple[DigestService, DigestWorker]:
        """Build what people do with digests, and what the clock does."""
        clock, repository = parts.clock, self.repository
        collector = Collector(
            self.portfolio,
            repository,
            self.ends,
            clock=clock,
            owned_type=parts.settings.domain_tracker_owned_type,
        )
        words = DigestRenderer(digest_message, heartbeat_message, announcement_message)
        delivery = Delivery(repository, collector, parts.posting, words, clock=clock)
        notes = self.admin.audit.note
        digests = DigestService(
            repository, collector, delivery, self.cards, clock=clock, notes=notes
        )
        owners = Owners(parts.posting, self.admin.keys, owner_notice)
        return digests, DigestWorker(repository, delivery, owners, parts.tasks, clock=clock)


class Features:
    """What the features do from now on: answer people, and what comes again and again.

    `digests` takes up those that are due; `periodic` is what one of all processes does every few
    seconds. Each of `forget` drops what this process has cached of a workspace's data.
    """

    def __init__(self, parts: Services, cases: UseCases, boundary: ErrorBoundary) -> None:
        documents = parts.documents
        nightly = NightlyScans(
            documents,
            parts.tasks,
            cases.nights,
            cases.portfolio,
            cases.scans,
            cases.ends,
            cases.allowances.of,
            clock=parts.clock,
        )
        self.boundary, self.admin, self.digests = boundary, cases.admin, cases.worker
        self.periodic: Mapping[str, Callable[[], Awaitable[object]]] = {
            "reminders": cases.admin.notices.run_due,
            "clean-up": lambda: forget_expired(documents, EXPIRING, parts.clock()),
            "alerts": cases.cards.run_due,
            "nightly": nightly.run_due,
            "bulk-scans": cases.bulk.run_due,
            **parts.commons.periodic,
        }
        self.cut_off = cases.client.cut_off
        self.forget = (cases.portfolio.forget,)
        self._stops = (
            cases.worker.stop,
            *(each.stop_all for each in (nightly, cases.bulk)),
        )

    def stop(self) -> None:
        """Begin nothing more that is due; after `cut_off` nothing is asked of the service."""
        for each in self._stops:
            each()


def register_features(app: AsyncApp, parts: Services) -> Features:
    """Attach every feature to `app`; return what runs them."""
    cases = UseCases(parts)
    boundary = ErrorBoundary(
        parts.tasks,
        cases.failures.explain,
        inflight=parts.inflight,
        note=parts.metrics.people.note_request,
        once=OncePerMessage(parts.commons.seen),
    )
    dispatcher = Dispatcher(app, boundary, parts.replies)
    app.error(answer_unread)
    _register_members(dispatcher, parts, cases)
    _register_digests(dispatcher, parts, cases)
    _register_key(dispatcher, parts, cases)
    _register_home(dispatcher, parts, cases)
    parts.metrics.looks.set_source(DIGESTS, lambda: overdue(cases.repository, parts.clock()))
    return Features(parts, cases, boundary)


def _register_members(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach what every member of the workspace may do."""
    permissions, tracker, portfolio = cases.admin.permissions, cases.tracker, cases.portfolio
    DomainsListeners(portfolio, cases.ends, parts.clock).register(dispatcher)
    bulk = BulkScanListeners(
        permissions=permissions,
        bulk=cases.bulk,
        portfolio=portfolio,
        ends=cases.ends,
        allowances=cases.allowances,
        clock=parts.clock,
    )
    bulk.register(dispatcher)
    ScanListeners(
        permissions=permissions,
        tracker=tracker,
        portfolio=portfolio,
        scans=cases.scans,
        bulk=bulk,
    ).register(dispatcher)
    adder = DomainAdder(tracker.add_domain, portfolio)
    AddingListeners(
        permissions=permissions,
        tracker=tracker,
        portfolio=portfolio,
        adder=adder,
        lists=DomainLists(parts.documents, adder, portfolio, clock=parts.clock),
        explain=cases.failures.explain,
        allowances=cases.allowances,
        owned_type=parts.settings.domain_tracker_owned_type,
    ).register(dispatcher)
    ShortcutListeners(portfolio, dispatcher.lines).register(dispatcher)
    register_mentions(dispatcher, parts.clock)


def _register_digests(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach what people do with digests: in the list, in its forms, in posts and notices."""
    digests, access = cases.digests, DigestAccess(cases.digests)
    screen = DigestScreen(
        digests=digests, access=access, explain=cases.failures.explain, clock=parts.clock
    )
    listed = DigestListeners(digests=digests, access=access, screen=screen)
    listed.register(dispatcher)
    AlertListeners(alerts=cases.repository, cards=cases.cards, screen=screen).register(dispatcher)
    form = DigestFormListeners(digests=digests, access=access, screen=screen, groups=UserGroups())
    form.register(dispatcher)
    DigestLineListeners(listed, form).register(dispatcher)
    JoinedChannelListeners(digests, parts.posting).register(dispatcher)


def _register_key(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach what managers do with the key, and what admins decide."""
    admin, screen = cases.admin, KeyScreen(cases.failures.explain, parts.clock)
    key_service = KeyService(admin.keys, cases.tracker, cases.portfolio, admin.audit)
    KeyListeners(
        permissions=admin.permissions,
        key_service=key_service,
        state=cases.key,
        digests=cases.digests,
        audit=admin.audit,
    ).register(dispatcher)
    KeyFormListeners(
        permissions=admin.permissions,
        keys=admin.keys,
        key_service=key_service,
        allowances=cases.allowances,
        nights=cases.nights,
        deferred=parts.deferred,
        lines=dispatcher.lines,
        digests=cases.digests,
        screen=screen,
        clock=parts.clock,
    ).register(dispatcher)

    AdminListeners(
        permissions=admin.permissions,
        audit=admin.audit,
        nights=cases.nights,
        screen=screen,
    ).register(dispatcher)


def _register_home(dispatcher: Dispatcher, parts: Services, cases: UseCases) -> None:
    """Attach the tab: everything that the other features know, in one place."""
    collector = HomeCollector(
        permissions=cases.admin.permissions,
        key=cases.key,
        portfolio=cases.portfolio,
        ends=cases.ends,
        digests=cases.repository.of_workspace,
        explain=cases.failures.explain,
        owned_type=parts.settings.domain_tracker_owned_type,
        reads_messages=parts.settings.slack_mentions,
    )
    screen = HomeScreen(collector=collector, replies=parts.replies)
    HomeListeners(screen=screen, documents=parts.documents).register(dispatcher)
