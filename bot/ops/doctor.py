"""Check everything that the bot needs, all at once."""

import asyncio
import os
from collections.abc import Awaitable, Iterator, Sequence
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
    failure,
    found_within,
    ok,
    printable,
    warning,
)
from bot.ops.sealed_texts import Store
from bot.settings import Settings, is_loopback, text_of
from bot.slack.auth import check_api, fetch_grant
from bot.slack.client import check_app_token
from bot.store.documents import StoreError
from bot.store.snapshot import FileStore
from bot.tracker.client import foreign_status
from bot.tracker.http import tracker_http
from bot.tracker.models import TrackerError

SETTING = "DOMAIN_TRACKER_URL"
HINT = (
    "It must be the address in front of /api/tools/domain-tracker, reachable from here without a"
    " redirect."
)
STORE_LIMIT_S = 30.0  # a large file on a slow disk is read as a whole


async def diagnose(settings: Settings, store: Store) -> list[Finding]:
    """Return the findings about everything that the bot needs, but for the settings."""
    url, ring = settings.domain_tracker_url, text_of(settings.bot_secret_keys) or None
    async with aiohttp.ClientSession() as http, tracker_http() as service:
        checks = [
            *_slack_checks(settings, http),
            found_within(SETTING, check_tracker(foreign_status(service, url, LIMIT_S), url)),
            found_within(STORE, check_stored(store, ring), STORE_LIMIT_S),
        ]
        found = [*chain.from_iterable(await asyncio.gather(*checks))]
    is_wiped = isinstance(store, FileStore) and "DYNO" in os.environ
    return [*found, DISK_IS_WIPED] if is_wiped else found


def _slack_checks(
    settings: Settings, http: aiohttp.ClientSession
) -> Iterator[Awaitable[Sequence[Finding]]]:
    token = text_of(settings.slack_bot_token) or None
    client = AsyncWebClient(
        token, settings.slack_api_url, session=http, timeout=10, retry_handlers=[]
    )
    if settings.is_for_many:
        asked = slack.check_call(check_api(client), slack.API, "Slack answers", slack.HINT_API)
        yield found_within(slack.API, asked)
    else:
        reads = settings.slack_mentions
        asked = slack.check_bot_token(fetch_grant(client), reads_messages=reads)
        yield found_within(slack.BOT_TOKEN, asked)
    if app_token := text_of(settings.slack_app_token):
        # This asks for the address of a connection but opens none of the bot's ten:
        # https://docs.slack.dev/apis/events-api/using-socket-mode
        about, detail = slack.APP_TOKEN, "Slack lets it connect by Socket Mode"
        asking = check_app_token(client, app_token)
        yield found_within(about, slack.check_call(asking, about, detail, slack.HINT_APP))


async def check_tracker(looking: Awaitable[int | None], url: str) -> Sequence[Finding]:
    """Return whether the service answers at `url`; `looking` is its `foreign_status`."""
    try:
        status = await looking
    except TrackerError as error:
        return [
            failure(SETTING, f"no answer from {printable(url)} ({printable(str(error))})", HINT)
        ]
    if status is not None:
        detail = f"something else answers at {printable(url)}, with status {status}"
        return [failure(SETTING, detail, HINT)]
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        detail = f"answers at {printable(url)}, to which API keys travel unencrypted"
        return [warning(SETTING, detail, "Use https if the service has it.")]
    return [ok(SETTING, f"Domain Tracker answers at {printable(url)}")]


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
