"""Check everything that the bot needs, all at once."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.ops import doctor_slack as slack
from bot.ops.doctor_store import (
    DISK_IS_WIPED,
    RING,
    STORE,
    check_database,
    check_store,
    ring_finding,
)
from bot.ops.output import (
    LIMIT_S,
    Finding,
    Named,
    failure,
    found_within,
    ok,
    shown,
    warning,
)
from bot.ops.stores import Store
from bot.settings import Settings, is_loopback, text_of
from bot.slack.auth import check_api, fetch_grant
from bot.slack.client import check_app_token
from bot.store.documents import StoreError
from bot.store.snapshot import FileStore
from bot.tracker.client import foreign_status
from bot.tracker.http import tracker_http
from bot.tracker.models import TrackerError

STORE_LIMIT_S = 30.0  # a large file on a slow disk is read as a whole


async def diagnose(settings: Settings, store: Store) -> list[Finding]:
    """Return the findings about everything that the bot needs, but for the settings."""
    url, ring = settings.domain_tracker_url, text_of(settings.bot_secret_keys) or None
    async with aiohttp.ClientSession() as http, tracker_http() as service:
        look = partial(foreign_status, service, url, LIMIT_S)
        found = await findings_of(
            [
                *_slack_checks(settings, http),
                (SETTING, partial(check_tracker, look, url)),
                (STORE, partial(check_stored, store, ring)),
            ]
        )
    is_wiped = isinstance(store, FileStore) and "DYNO" in os.environ
    return [*found, DISK_IS_WIPED] if is_wiped else found


async def findings_of(checks: Iterable[Named]) -> list[Finding]:
    """Return what the checks find, each after at most 5 s (the store's: 30 s)."""
    ran = (
        found_within(about, check, STORE_LIMIT_S if about == STORE else LIMIT_S)
        for about, check in checks
    )
    return [*chain.from_iterable(await asyncio.gather(*ran))]


def _slack_checks(settings: Settings, http: aiohttp.ClientSession) -> Iterator[Named]:
    """Yield how Slack takes the settings."""
    client = _client(settings, http, text_of(settings.slack_bot_token) or None)
    if settings.is_for_many:
        ask, said = partial(check_api, client), "Slack answers"
        yield slack.API, partial(slack.check_call, ask, slack.API, said, slack.MEND_API)
    else:
        fetch, reads = partial(fetch_grant, client), settings.slack_mentions
        yield slack.BOT_TOKEN, partial(slack.check_bot_token, fetch, reads_messages=reads)
    if token := text_of(settings.slack_app_token):
        # This asks for the address of a connection but opens none of the bot's ten:
        # https://docs.slack.dev/apis/events-api/using-socket-mode
        ask, said = partial(check_app_token, client, token), "Slack lets it connect by Socket Mode"
        about = slack.APP_TOKEN
        yield about, partial(slack.check_call, ask, about, said, slack.MEND_APP)


def _client(settings: Settings, http: aiohttp.ClientSession, token: str | None) -> AsyncWebClient:
    return AsyncWebClient(
        token, settings.slack_api_url, session=http, timeout=10, retry_handlers=[]
    )


SETTING = "DOMAIN_TRACKER_URL"
MEND = (
    "It must be the address in front of /api/tools/domain-tracker, reachable from here without a"
    " redirect."
)


async def check_tracker(look: Callable[[], Awaitable[int | None]], url: str) -> Sequence[Finding]:
    """Return whether the service answers at `url`; `look` asks it."""
    try:
        status = await look()
    except TrackerError as error:
        return [failure(SETTING, f"no answer from {shown(url)} ({shown(str(error))})", MEND)]
    if status is not None:
        said = f"something else answers at {shown(url)}, with status {status}"
        return [failure(SETTING, said, MEND)]
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        said = f"answers at {shown(url)}, to which API keys travel unencrypted"
        return [warning(SETTING, said, "Use https if the service has it.")]
    return [ok(SETTING, f"Domain Tracker answers at {shown(url)}")]


async def check_stored(store: Store, key_ring: str | None) -> Sequence[Finding]:
    """Check the store and its keys."""
    found, documents = await (
        check_store(store) if isinstance(store, FileStore) else check_database(store)
    )
    if documents is None:
        return [found]
    try:
        ring = ring_finding(store.ring_source(key_ring), documents)
    except StoreError as error:
        ring = failure(RING, str(error), "Put a copy of the file back.")
    return [found, ring]
