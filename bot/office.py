"""What admins and managers do, made and joined: a part of the composition root."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from slack_sdk.web.async_client import AsyncWebClient

from bot.admin.appointments import Appointments
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
from bot.listeners.key_managers import LISTED_WITHIN_S, ManagersListeners
from bot.listeners.key_rotation import RotationListeners
from bot.listeners.key_screen import KeyScreen
from bot.listeners.key_setting import KeySettingListeners
from bot.listeners.key_state import KeyState
from bot.listeners.key_taking import KeyTaking
from bot.listeners.rights import Rights
from bot.portfolio.portfolio import Portfolio
from bot.slack.groups import GroupPeople, UserGroups
from bot.slack.posting import Posting
from bot.store.base import Documents
from bot.store.sealed import KeyRing
from bot.tasks import Tasks
from bot.views.key_notices import key_notice
from bot.views.managers import appointed_message
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True)
class Office:
    """What the features share: the keys, who may do what, what was done, who is told."""

    keys: Keys
    managers: Managers
    rights: Rights
    audit: Audit
    notices: KeyNotices
    appointments: Appointments
    clock: Callable[[], datetime]


def open_office(
    documents: Documents,
    ring: KeyRing,
    posting: Posting,
    tasks: Tasks,
    *,
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
    on_act: Callable[[WorkspaceId], object],
    clock: Callable[[], datetime],
) -> Office:
    """Make what the features share; `on_act` learns of every act that is noted."""
    managers, groups = Managers(documents), UserGroups()
    claims = KeyClaims(documents, clock=clock)
    people = GroupPeople(client_for, groups)
    return Office(
        Keys(documents, ring, clock=clock),
        managers,
        Rights(managers, groups),
        Audit(documents, clock=clock, on_act=on_act),
        KeyNotices(posting, claims, managers, key_notice, tasks, clock=clock, groups=people),
        Appointments(posting, appointed_message, tasks),
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
    key: KeyState,
    patience: float,
) -> None:
    """Attach what admins and managers do to the workspace's key; for `patience` see `Pace`."""
    rights, keys, clock, screen = office.rights, office.keys, office.clock, KeyScreen(failures)
    custody = KeyCustody(keys, connection, portfolio, office.audit, clock=clock)
    KeyListeners(rights=rights, custody=custody, state=key, desk=desk).register(dispatcher)
    taking = KeyTaking(
        rights=rights,
        keys=keys,
        custody=custody,
        kept=kept,
        desk=desk,
        screen=screen,
        clock=clock,
    )
    KeySettingListeners(taking=taking).register(dispatcher)
    RotationListeners(taking=taking).register(dispatcher)
    ManagersListeners(
        rights=rights,
        managers=office.managers,
        audit=office.audit,
        appointments=office.appointments,
        screen=screen,
        listed_within_s=LISTED_WITHIN_S * patience,
    ).register(dispatcher)
    HistoryListeners(rights=rights, audit=office.audit, screen=screen).register(dispatcher)
