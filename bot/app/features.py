"""Build the objects of all features, and register their listeners."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from slack_bolt.async_app import AsyncApp

from bot.access.permissions import Permissions
from bot.access.repository import Audit
from bot.app.failures import Failures
from bot.app.services import Services
from bot.digests.access import DigestAccess
from bot.digests.alert_cards import AlertCards
from bot.digests.alert_listeners import AlertListeners
from bot.digests.collector import Collector
from bot.digests.delivery import Delivery
from bot.digests.form_listeners import DigestFormListeners
from bot.digests.line_listeners import DigestLineListeners
from bot.digests.listeners import DigestListeners
from bot.digests.repository import DigestRepository, overdue, steps_to
from bot.digests.screen import DigestScreen
from bot.digests.service import DigestService
from bot.digests.worker import DigestWorker
from bot.dispatch.error_boundary import ErrorBoundary
from bot.dispatch.incoming import answer_unread
from bot.dispatch.kept_commands import KeptCommands
from bot.dispatch.mentions import register_mentions
from bot.dispatch.router import Dispatcher
from bot.domainkey.form_listeners import KeyFormListeners
from bot.domainkey.listeners import KeyListeners
from bot.domainkey.service import KeyService
from bot.domains.add_listeners import AddingListeners
from bot.domains.adding import DomainAdder
from bot.domains.kept_facts import FactsRepository
from bot.domains.listeners import DomainsListeners
from bot.domains.service import Portfolio, SeenDomains, ShownScores, StoredVersions
from bot.home.listeners import HomeListeners
from bot.keys.notifications import KeyNotices
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.workspace import WorkspaceId
from bot.scans.bulk_listeners import BulkScanListeners
from bot.scans.bulk_runner import BulkScans
from bot.scans.listeners import ScanListeners
from bot.scans.nightly import NightlyScans, NightlySetting
from bot.scans.service import Scans
from bot.scans.shortcut_listeners import ShortcutListeners
from bot.slack.channels import UserGroups
from bot.slack.errors import TokenRefusedError
from bot.store.kinds import forget_expired
from bot.tracker.client import TrackerClient
from bot.tracker.rate_limit import Allowance, RateLimiter
from bot.tracker.shared_limits import SharedLimits
from bot.web.metrics import DIGESTS


class Features:
    """The objects of all features: what the listeners call, and what comes again and again."""

    def __init__(self, services: Services) -> None:
        self._build_access(services)
        self._build_scans(services)
        self._build_digests(services)
        documents, clock = services.documents, services.clock
        self.kept_commands = KeptCommands(documents, services.ring, clock=clock)
        self.failures = Failures(
            self.tracker,
            self.kept_commands,
            self.permissions,
            egress_addresses=services.settings.egress_addresses,
        )
        self.boundary = ErrorBoundary(
            services.tasks,
            self.failures.explain,
            note=services.metrics.requests.note_call,
            seen=services.seen,
        )

        async def clean_up() -> None:
            await forget_expired(documents, clock())
            await services.seen.drop_old()

        # What every worker asks every few seconds. Due work is claimed: one worker does it.
        self.periodic: Sequence[Callable[[], Awaitable[object]]] = (
            self.notices.run_due,
            self.cards.run_due,
            self.nightly.run_due,
            self.bulk.run_due,
            clean_up,
        )

    def _build_access(self, services: Services) -> None:
        """Build the key, who may do what, and the way to Domain Tracker."""
        documents, clock, tasks = services.documents, services.clock, services.tasks
        self.keys = Keys(documents, services.ring, clock=clock)
        self.permissions = Permissions(documents)
        self.audit = Audit(documents, clock=clock)
        self.notices = KeyNotices(
            documents, tasks, services.posting, self.keys, self.permissions, clock=clock
        )
        limits = SharedLimits(documents, RateLimiter(clock=clock), tasks)
        self.client = TrackerClient(
            services.tracker_http,
            base_url=services.settings.domain_tracker_url,
            limits=limits,
            on_call=services.metrics.service.note_call,
        )
        self.tracker = WorkspaceTracker(self.client, self.keys, on_refusal=self.notices)

    def _build_scans(self, services: Services) -> None:
        """Build the list of domains, and scans of one, many and at night."""

        async def allowance(workspace: WorkspaceId) -> Allowance | None:
            """Return what is left of a workspace's requests, `None` without a key or the app."""
            with suppress(TokenRefusedError):
                await services.posting.require_token(workspace)
                return await self.tracker.allowance(workspace)
            return None

        documents, clock, tasks = services.documents, services.clock, services.tasks
        versions = StoredVersions(documents) if services.shared else None
        self.seen = SeenDomains(documents)
        self.portfolio = Portfolio(
            self.tracker.list_domains,
            clock=clock,
            versions=versions,
            seen=self.seen,
            owned_type=services.settings.domain_tracker_owned_type,
        )
        self.kept_facts = FactsRepository(documents)
        self.scans = Scans(
            self.tracker.scan, self.portfolio, documents, self.kept_facts, clock=clock
        )
        self.bulk = BulkScans(documents, tasks, self.scans, services.posting, clock=clock)
        self.repository = DigestRepository(documents, on_step=steps_to(services.metrics.digests))
        self.nightly_setting = NightlySetting(documents, self.repository.zones, clock=clock)
        self.nightly = NightlyScans(
            documents, tasks, self.nightly_setting, self.scans, allowance, clock=clock
        )
        self.key_service = KeyService(
            self.keys,
            self.tracker,
            self.portfolio,
            self.audit,
            self.seen,
            self.permissions,
            self.nightly_setting,
        )

    def _build_digests(self, services: Services) -> None:
        """Build what people do with digests, and what the clock does."""
        clock, repository = services.clock, self.repository
        collector = Collector(self.portfolio, repository, self.kept_facts, clock=clock)
        delivery = Delivery(repository, collector, services.posting, clock=clock)
        self.cards = AlertCards(repository, services.posting, clock=clock)
        self.digests = DigestService(
            repository, collector, delivery, self.cards, clock=clock, notes=self.audit.note
        )
        self.worker = DigestWorker(repository, delivery, self.keys, services.tasks, clock=clock)


def register_features(app: AsyncApp, services: Services) -> Features:
    """Attach every feature to `app`; return their objects."""
    features = Features(services)
    dispatcher = Dispatcher(app, features.boundary, services.replies)
    app.error(answer_unread)
    _register_members(dispatcher, services, features)
    _register_digests(dispatcher, services, features)
    _register_key(dispatcher, features)
    _register_home(dispatcher, services, features)
    sources = services.metrics.gauges.sources
    sources[DIGESTS] = lambda: overdue(features.repository, services.clock())
    return features


def _register_members(dispatcher: Dispatcher, services: Services, features: Features) -> None:
    permissions, tracker, portfolio = features.permissions, features.tracker, features.portfolio
    shown = ShownScores()
    DomainsListeners(portfolio, features.kept_facts, shown).register(dispatcher)
    bulk = BulkScanListeners(
        permissions=permissions,
        bulk=features.bulk,
        portfolio=portfolio,
        kept_facts=features.kept_facts,
        tracker=tracker,
    )
    bulk.register(dispatcher)
    ScanListeners(
        permissions=permissions,
        tracker=tracker,
        portfolio=portfolio,
        scans=features.scans,
        bulk=bulk,
        shown=shown,
    ).register(dispatcher)
    AddingListeners(
        permissions=permissions,
        tracker=tracker,
        portfolio=portfolio,
        adder=DomainAdder(tracker.add_domain, portfolio, services.documents),
        explain=features.failures.explain,
    ).register(dispatcher)
    ShortcutListeners(portfolio, dispatcher.lines).register(dispatcher)
    register_mentions(dispatcher, services.clock)


def _register_digests(dispatcher: Dispatcher, services: Services, features: Features) -> None:
    digests, access = features.digests, DigestAccess(features.digests)
    screen = DigestScreen(
        digests=digests,
        access=access,
        explain=features.failures.explain,
        clock=services.clock,
        latest=dispatcher.latest,
    )
    listed = DigestListeners(digests=digests, access=access, screen=screen)
    listed.register(dispatcher)
    AlertListeners(
        repository=features.repository,
        cards=features.cards,
        screen=screen,
        kept_facts=features.kept_facts,
    ).register(dispatcher)
    form = DigestFormListeners(digests=digests, access=access, screen=screen, groups=UserGroups())
    form.register(dispatcher)
    DigestLineListeners(listed, form).register(dispatcher)


def _register_key(dispatcher: Dispatcher, features: Features) -> None:
    KeyListeners(
        permissions=features.permissions,
        key_service=features.key_service,
        digests=features.digests,
        audit=features.audit,
        nightly_setting=features.nightly_setting,
        explain=features.failures.explain,
    ).register(dispatcher)
    KeyFormListeners(
        permissions=features.permissions,
        key_service=features.key_service,
        tracker=features.tracker,
        nightly_setting=features.nightly_setting,
        kept_commands=features.kept_commands,
        lines=dispatcher.lines,
        digests=features.digests,
        explain=features.failures.explain,
    ).register(dispatcher)


def _register_home(dispatcher: Dispatcher, services: Services, features: Features) -> None:
    HomeListeners(
        permissions=features.permissions,
        key_service=features.key_service,
        portfolio=features.portfolio,
        kept_facts=features.kept_facts,
        digests=features.repository,
        documents=services.documents,
        explain=features.failures.explain,
        replies=services.replies,
        latest=dispatcher.latest,
        reads_messages=services.settings.slack_mentions,
    ).register(dispatcher)
