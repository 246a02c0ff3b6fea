"""Every check of the doctor, at the same time, and its findings in a fixed order."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bot.operating.finding import Check, Finding, failure, found_within
from bot.operating.slack_checks import (
    APP_TOKEN,
    BOT_TOKEN,
    check_bot_token,
    check_socket_token,
    signing_secret_finding,
)
from bot.operating.store_checks import RING, STORE, check_disk, check_store, ring_finding
from bot.operating.tracker_check import SETTING, check_tracker
from bot.slack.grants import Grant
from bot.store.errors import StoreError
from bot.store.key_file import ring_source
from bot.tracker.presence import Presence

LIMIT_S = 5.0
STORE_LIMIT_S = 30.0  # a large file on a slow disk is read as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is to be checked. `ask_for_socket` is `None` in HTTP mode; `key_ring`: not set."""

    fetch_grant: Callable[[], Awaitable[Grant]]
    ask_for_socket: Callable[[], Awaitable[None]] | None
    signing_secret: str
    look_for_service: Callable[[], Awaitable[Presence]]
    service_url: str
    database: Path
    key_ring: str | None
    environ: Mapping[str, str]


async def examine(patient: Patient, limit_s: float = LIMIT_S) -> list[Finding]:
    """Return what every check has found, each after at most `limit_s` (the store's: 30 s)."""

    async def way_in() -> Sequence[Finding]:
        if patient.ask_for_socket:
            return await check_socket_token(patient.ask_for_socket)
        return [signing_secret_finding(patient.signing_secret)]

    checks: list[tuple[str, Check, float]] = [
        (BOT_TOKEN, lambda: check_bot_token(patient.fetch_grant), limit_s),
        (APP_TOKEN, way_in, limit_s),
        (SETTING, lambda: check_tracker(patient.look_for_service, patient.service_url), limit_s),
        (STORE, lambda: _check_memory(patient), STORE_LIMIT_S),
    ]
    found = await asyncio.gather(*(found_within(*each) for each in checks))
    disk = check_disk(patient.environ)
    return [*chain.from_iterable(found), *([disk] if disk else [])]


async def _check_memory(patient: Patient) -> Sequence[Finding]:
    """The store and its keys."""
    store, snapshot = await check_store(patient.database)
    if snapshot is None:
        return [store]
    try:
        source = ring_source(patient.key_ring, patient.database)
    except StoreError as error:
        mend = "Put a copy of the file back."
        return [store, failure(RING, str(error), mend)]
    return [store, ring_finding(source, snapshot.documents)]
