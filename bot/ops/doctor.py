"""Run all checks of the doctor at once, and order their findings."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from bot.ops.doctor_slack import (
    API,
    APP_TOKEN,
    BOT_TOKEN,
    CLIENT_ID,
    INSTALLATIONS,
    PUBLIC,
    InstallQuery,
    check_bot_token,
    check_client,
    check_installations,
    check_public_url,
    check_slack_api,
    check_socket_token,
    signing_secret_finding,
)
from bot.ops.doctor_store import RING, STORE, check_database, check_disk, check_store, ring_finding
from bot.ops.output import Check, Finding, failure, found_within, ok, shown, warning
from bot.ops.stores import DatabaseStore
from bot.slack.auth import Answer, Grant
from bot.store.documents import StoreError
from bot.store.encryption import RingSource, ring_source
from bot.store.sqlite import Snapshot
from bot.tracker.client import Presence
from bot.tracker.models import TrackerError

SETTING = "DOMAIN_TRACKER_URL"
MEND = (
    "It must be the address in front of /api/tools/domain-tracker, reachable from here without a"
    " redirect."
)


async def check_tracker(look: Callable[[], Awaitable[Presence]], url: str) -> Sequence[Finding]:
    """Return whether the service answers at `url`, where `look` looks for it."""
    try:
        presence = await look()
    except TrackerError as error:
        return [failure(SETTING, f"no answer from {shown(url)} ({shown(str(error))})", MEND)]
    if not presence.is_tracker:
        said = f"something else answers at {shown(url)}, with status {presence.status}"
        return [failure(SETTING, said, MEND)]
    if _is_open_to_others(url):
        said = f"answers at {shown(url)}, to which API keys travel unencrypted"
        return [warning(SETTING, said, "Use https if the service has it.")]
    return [ok(SETTING, f"Domain Tracker answers at {shown(url)}")]


def _is_open_to_others(url: str) -> bool:
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname == "localhost":
        return False
    try:
        return not ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return True


LIMIT_S = 5.0
STORE_LIMIT_S = 30.0  # a large file on a slow disk is read as a whole
OneToken = Callable[[], Awaitable[Grant]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthApp:
    """What is to be checked of an app that any number of workspaces installs.

    `exchange` asks Slack for the tokens of a code, as the app.
    """

    exchange: Callable[[str], Awaitable[object]]
    public_url: str
    ask_api: Callable[[], Awaitable[None]]
    look_at_health: Callable[[], Awaitable[Answer]]
    enquiry: InstallQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorInput:
    """What is to be checked. `way` asks whose the one bot token is, or is OAuth.

    `ask_for_socket` is `None` in HTTP mode; `key_ring`: not set.
    """

    way: OneToken | OAuthApp
    ask_for_socket: Callable[[], Awaitable[None]] | None
    signing_secret: str
    look_for_service: Callable[[], Awaitable[Presence]]
    service_url: str
    database: Path | DatabaseStore
    key_ring: str | None
    environ: Mapping[str, str]


async def examine(patient: DoctorInput, limit_s: float = LIMIT_S) -> list[Finding]:
    """Return what every check has found, each after at most `limit_s` (the store's: 30 s)."""

    async def way_in() -> Sequence[Finding]:
        if patient.ask_for_socket:
            return await check_socket_token(patient.ask_for_socket)
        return [signing_secret_finding(patient.signing_secret)]

    checks: list[tuple[str, Check, float]] = [
        *((about, check, limit_s) for about, check in _ways(patient.way)),
        (APP_TOKEN, way_in, limit_s),
        (SETTING, lambda: check_tracker(patient.look_for_service, patient.service_url), limit_s),
        (STORE, lambda: _check_memory(patient, limit_s), STORE_LIMIT_S),
    ]
    found = await asyncio.gather(*(found_within(*each) for each in checks))
    # What is said of disks is said of files.
    disk = check_disk(patient.environ) if isinstance(patient.database, Path) else None
    return [*chain.from_iterable(found), *([disk] if disk else [])]


def _ways(way: OneToken | OAuthApp) -> Iterator[tuple[str, Check]]:
    """The checks of how the bot is authorized, and what each is about."""
    if not isinstance(way, OAuthApp):
        yield BOT_TOKEN, lambda: check_bot_token(way)
        return
    yield CLIENT_ID, lambda: check_client(way.exchange)
    yield API, lambda: check_slack_api(way.ask_api)
    yield PUBLIC, lambda: check_public_url(way.look_at_health, way.public_url)


async def _check_memory(patient: DoctorInput, limit_s: float) -> Sequence[Finding]:
    """The store, its keys, and the installations in it."""
    found, snapshot = await _check_place(patient)
    if snapshot is None:
        return found
    documents, ring = snapshot.documents, None
    try:
        source = _ring_source(patient)
        found, ring = [*found, ring_finding(source, documents)], source.ring
    except StoreError as error:
        found = [*found, failure(RING, str(error), "Put a copy of the file back.")]
    way = patient.way
    if isinstance(way, OAuthApp):
        found += await found_within(
            INSTALLATIONS, lambda: check_installations(documents, ring, way.enquiry), limit_s
        )
    return found


async def _check_place(patient: DoctorInput) -> tuple[list[Finding], Snapshot | None]:
    if isinstance(patient.database, Path):
        finding, snapshot = await check_store(patient.database)
        return [finding], snapshot
    return await check_database(patient.database)


def _ring_source(patient: DoctorInput) -> RingSource:
    if isinstance(patient.database, Path):
        return ring_source(patient.key_ring, patient.database)
    return patient.database.ring_source(patient.key_ring)
