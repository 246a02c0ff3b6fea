"""Run all checks of the doctor at once, and order their findings."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import chain
from urllib.parse import urlsplit

from bot.ops.doctor_slack import (
    ANSWERS,
    API,
    APP_TOKEN,
    BOT_TOKEN,
    CLIENT_ID,
    INSTALLATIONS,
    MEND_API,
    MEND_APP,
    PUBLIC,
    InstallQuery,
    check_answers,
    check_bot_token,
    check_call,
    check_client,
    check_installations,
    check_public_url,
    signing_secret_finding,
)
from bot.ops.doctor_store import RING, STORE, check_database, check_disk, check_store, ring_finding
from bot.ops.output import Check, Finding, failure, found_within, ok, shown, warning
from bot.ops.stores import FileStore, Store
from bot.slack.auth import Answer, Grant
from bot.store.documents import StoreError
from bot.tracker.client import Presence
from bot.tracker.models import TrackerError

SETTING = "DOMAIN_TRACKER_URL"
MEND = (
    "It must be the address in front of /api/tools/domain-tracker, reachable from here without a"
    " redirect."
)


async def check_tracker(look: Callable[[], Awaitable[Presence]], url: str) -> Sequence[Finding]:
    """Return whether the service answers at `url`; `look` asks it."""
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
    """The checks of an app for many workspaces; `exchange` asks Slack for the tokens of a code."""

    exchange: Callable[[str], Awaitable[object]]
    public_url: str
    ask_api: Callable[[], Awaitable[None]]
    look_at_health: Callable[[], Awaitable[Answer]]
    query: InstallQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorInput:
    """What is to be checked. `way` asks for the grant of the one bot token, or is OAuth.

    `ask_for_socket` is `None` in HTTP mode, `key_ring` where it is not set, `hooks` (an address,
    and what asks it) where the Web API is not Slack's own.
    """

    way: OneToken | OAuthApp
    ask_for_socket: Callable[[], Awaitable[None]] | None
    signing_secret: str
    look_for_service: Callable[[], Awaitable[Presence]]
    service_url: str
    store: Store
    key_ring: str | None
    environ: Mapping[str, str]
    hooks: tuple[str, Callable[[], Awaitable[Answer]]] | None = None


async def examine(given: DoctorInput, limit_s: float = LIMIT_S) -> list[Finding]:
    """Return what every check has found, each after at most `limit_s` (the store's: 30 s)."""

    async def check_requests() -> Sequence[Finding]:
        if ask := given.ask_for_socket:
            # This asks for the address of a connection but opens none of the bot's ten:
            # https://docs.slack.dev/apis/events-api/using-socket-mode
            return await check_call(
                ask, APP_TOKEN, "Slack lets it connect by Socket Mode", MEND_APP
            )
        return [signing_secret_finding(given.signing_secret)]

    checks: list[tuple[str, Check, float]] = [
        *((about, check, limit_s) for about, check in _authorization_checks(given.way)),
        (APP_TOKEN, check_requests, limit_s),
        *_answer_checks(given, limit_s),
        (SETTING, lambda: check_tracker(given.look_for_service, given.service_url), limit_s),
        (STORE, lambda: _check_stored(given, limit_s), STORE_LIMIT_S),
    ]
    found = [*chain.from_iterable(await asyncio.gather(*(found_within(*each) for each in checks)))]
    disk = check_disk(given.environ) if isinstance(given.store, FileStore) else None
    return [*found, disk] if disk else found


def _authorization_checks(way: OneToken | OAuthApp) -> list[tuple[str, Check]]:
    if not isinstance(way, OAuthApp):
        return [(BOT_TOKEN, lambda: check_bot_token(way))]
    return [
        (CLIENT_ID, lambda: check_client(way.exchange)),
        (API, lambda: check_call(way.ask_api, API, "Slack answers", MEND_API)),
        (PUBLIC, lambda: check_public_url(way.look_at_health, way.public_url)),
    ]


def _answer_checks(given: DoctorInput, limit_s: float) -> list[tuple[str, Check, float]]:
    if given.hooks is None:
        return []
    url, look = given.hooks
    return [(ANSWERS, lambda: check_answers(look, url), limit_s)]


async def _check_stored(given: DoctorInput, limit_s: float) -> Sequence[Finding]:
    """Check the store, its keys, and the installations in it."""
    if isinstance(given.store, FileStore):
        found, snapshot = await check_store(given.store.path)
    else:
        found, snapshot = await check_database(given.store)
    if snapshot is None:
        return found
    documents, ring = snapshot.documents, None
    try:
        source = given.store.ring_source(given.key_ring)
        found, ring = [*found, ring_finding(source, documents)], source.ring
    except StoreError as error:
        found = [*found, failure(RING, str(error), "Put a copy of the file back.")]
    if isinstance(way := given.way, OAuthApp):
        found += await found_within(
            INSTALLATIONS, lambda: check_installations(documents, ring, way.query), limit_s
        )
    return found
