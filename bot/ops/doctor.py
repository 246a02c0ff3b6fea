"""Check everything that the bot needs, all at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from urllib.parse import urlsplit

import aiohttp

from bot.ops.doctor_slack import (
    INSTALLATIONS,
    InstallQuery,
    check_installations,
    install_query,
    slack_checks,
)
from bot.ops.doctor_store import RING, STORE, check_database, check_disk, check_store, ring_finding
from bot.ops.output import LIMIT_S, Finding, Named, failure, found_within, ok, shown, warning
from bot.ops.stores import FileStore, Store
from bot.settings import Settings, is_loopback, text_of
from bot.store.documents import StoreError
from bot.tracker.client import Presence, look_for_service
from bot.tracker.http import tracker_http
from bot.tracker.models import TrackerError

STORE_LIMIT_S = 30.0  # a large file on a slow disk is read as a whole


async def diagnose(settings: Settings, store: Store, environ: Mapping[str, str]) -> list[Finding]:
    """Return the findings about everything that the bot needs, but for the settings."""
    url, ring = settings.domain_tracker_url, text_of(settings.bot_secret_keys) or None
    async with aiohttp.ClientSession() as http, tracker_http() as service:
        look = partial(look_for_service, service, url, LIMIT_S)
        query = install_query(settings, http) if settings.is_for_many else None
        found = await findings_of(
            [
                *slack_checks(settings, http),
                (SETTING, partial(check_tracker, look, url)),
                (STORE, partial(check_stored, store, ring, query)),
            ]
        )
    disk = check_disk(environ) if isinstance(store, FileStore) else None
    return [*found, disk] if disk else found


async def findings_of(checks: Iterable[Named], limit_s: float = LIMIT_S) -> list[Finding]:
    """Return what the checks find, each after at most `limit_s` (the store's: 30 s)."""
    ran = (
        found_within(about, check, STORE_LIMIT_S if about == STORE else limit_s)
        for about, check in checks
    )
    return [*chain.from_iterable(await asyncio.gather(*ran))]


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
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        said = f"answers at {shown(url)}, to which API keys travel unencrypted"
        return [warning(SETTING, said, "Use https if the service has it.")]
    return [ok(SETTING, f"Domain Tracker answers at {shown(url)}")]


async def check_stored(
    store: Store, key_ring: str | None, query: InstallQuery | None, limit_s: float = LIMIT_S
) -> Sequence[Finding]:
    """Check the store, its keys, and with OAuth (`query`) the installations in it."""
    found, snapshot = await (
        check_store(store) if isinstance(store, FileStore) else check_database(store)
    )
    if snapshot is None:
        return found
    documents, ring = snapshot.documents, None
    try:
        source = store.ring_source(key_ring)
        found, ring = [*found, ring_finding(source, documents)], source.ring
    except StoreError as error:
        found = [*found, failure(RING, str(error), "Put a copy of the file back.")]
    if query:
        check = partial(check_installations, documents, ring, query)
        found += await found_within(INSTALLATIONS, check, limit_s)
    return found
