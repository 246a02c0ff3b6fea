"""What admins and managers do, made and joined: a part of the composition root."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.admin.audit import Audit
from bot.admin.custody import KeyCustody
from bot.admin.managers import Managers
from bot.admin.notices import KeyNotices
from bot.connection import Connection
from bot.digests.desk import Desk
from bot.keys import KeyClaims, Keys
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.failures import Failures
from bot.listeners.kept import KeptRuns
from bot.listeners.key import KeyListeners
from bot.listeners.key_history import HistoryListeners
from bot.listeners.key_managers import ManagersListeners
from bot.listeners.key_rotation import RotationListeners
from bot.listeners.key_screen import KeyScreen
from bot.listeners.key_setting import KeySettingListeners
from bot.listeners.key_taking import KeyTaking
from bot.listeners.rights import Rights
from bot.portfolio.portfolio import Portfolio
from bot.slack.posting import Posting
from bot.store.base import Documents
from bot.store.sealed import KeyRing
from bot.tasks import Tasks
from bot.tracker.budget import Budget
from bot.views.key_notices import key_notice


@dataclass(frozen=True, slots=True)
class Office:
    """What the features share: the keys, who may do what, what was done, who is told."""

    keys: Keys
    managers: Managers
    rights: Rights
    audit: Audit
    notices: KeyNotices
    clock: Callable[[], datetime]


def open_office(
    documents: Documents,
    ring: KeyRing,
    posting: Posting,
    tasks: Tasks,
    *,
    clock: Callable[[], datetime],
) -> Office:
    """Make what the features share."""
    managers = Managers(documents)
    claims = KeyClaims(documents, clock=clock)
    return Office(
        Keys(documents, ring, clock=clock),
        managers,
        Rights(managers),
        Audit(documents, clock=clock),
        KeyNotices(posting, claims, managers, key_notice, tasks, clock=clock),
        clock,
    )


def register_office(
    dispatcher: Dispatcher,
    office: Office,
    *,
    connection: Connection,
    portfolio: Portfolio,
    kept: KeptRuns,
    desk: Desk,
    failures: Failures,
    budget: Budget,
) -> None:
    """Attach what admins and managers do to the workspace's key."""
    rights, keys, clock, screen = office.rights, office.keys, office.clock, KeyScreen(failures)
    custody = KeyCustody(keys, connection, portfolio, office.audit, clock=clock)
    KeyListeners(
        rights=rights,
        keys=keys,
        custody=custody,
        managers=office.managers,
        desk=desk,
        budget=budget,
        clock=clock,
    ).register(dispatcher)
    taking = KeyTaking(
        rights=rights, custody=custody, kept=kept, desk=desk, screen=screen, clock=clock
    )
    KeySettingListeners(keys=keys, taking=taking).register(dispatcher)
    RotationListeners(keys=keys, taking=taking).register(dispatcher)
    ManagersListeners(
        rights=rights, managers=office.managers, audit=office.audit, screen=screen
    ).register(dispatcher)
    HistoryListeners(rights=rights, audit=office.audit, screen=screen).register(dispatcher)
