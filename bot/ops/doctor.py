"""Check everything that the bot needs, all at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from ipaddress import ip_address
from itertools import chain
from urllib.parse import urlsplit

import aiohttp
from pydantic import SecretStr
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.oauth_flow import INSTALL_PATH, REDIRECT_PATH
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
from bot.settings import Settings
from bot.slack.auth import Grant, OAuthCalls, check_api, fetch_answer, fetch_grant
from bot.slack.client import check_app_token
from bot.store.documents import StoreError
from bot.tracker.client import Presence, look_for_service
from bot.tracker.http import tracker_http
from bot.tracker.models import TrackerError

LIMIT_S = 5.0
STORE_LIMIT_S = 30.0  # a large file on a slow disk is read as a whole
# Within the doctor's own limit, so that it is a warning: the bot may not have been started yet.
HEALTH_WITHIN_S = LIMIT_S - 1
Named = tuple[str, Check]


async def diagnose(settings: Settings, store: Store, environ: Mapping[str, str]) -> list[Finding]:
    """Return the findings about everything that the bot needs, but for the settings."""
    url, ring = settings.domain_tracker_url, text_of(settings.bot_secret_keys) or None
    async with aiohttp.ClientSession() as http, tracker_http() as service:
        look = partial(look_for_service, service, url, LIMIT_S)
        query = _install_query(settings, http) if settings.is_for_many else None
        found = await findings_of(
            [
                *_authorization_checks(settings, http),
                *_request_checks(settings, http),
                (SETTING, partial(check_tracker, look, url)),
                (STORE, partial(check_stored, store, ring, query)),
            ]
        )
    disk = check_disk(environ) if isinstance(store, FileStore) else None
    return [*found, disk] if disk else found


def text_of(secret: SecretStr | None) -> str:
    """Return a secret setting, empty when it is not set."""
    return secret.get_secret_value() if secret else ""


async def findings_of(checks: Iterable[Named], limit_s: float = LIMIT_S) -> list[Finding]:
    """Return what the checks find, each after at most `limit_s` (the store's: 30 s)."""
    ran = (
        found_within(about, check, STORE_LIMIT_S if about == STORE else limit_s)
        for about, check in checks
    )
    return [*chain.from_iterable(await asyncio.gather(*ran))]


def _authorization_checks(settings: Settings, http: aiohttp.ClientSession) -> Iterator[Named]:
    if not settings.is_for_many:
        client = _client(settings, http, text_of(settings.slack_bot_token))
        fetch = partial(fetch_grant, client)
        reads = settings.slack_mentions
        yield BOT_TOKEN, partial(check_bot_token, fetch, reads_messages=reads)
        return
    client, public_url = _client(settings, http), settings.public_url or ""
    calls = OAuthCalls(
        client,
        client_id=settings.slack_client_id or "",
        client_secret=text_of(settings.slack_client_secret),
    )
    exchange = partial(calls.exchange, redirect_uri=f"{public_url}{REDIRECT_PATH}")
    look = partial(fetch_answer, http, f"{public_url}/healthz", HEALTH_WITHIN_S)
    yield CLIENT_ID, partial(check_client, exchange)
    yield API, partial(check_call, partial(check_api, client), API, "Slack answers", MEND_API)
    yield PUBLIC, partial(check_public_url, look, public_url)


def _request_checks(settings: Settings, http: aiohttp.ClientSession) -> Iterator[Named]:
    """Yield whether Slack's requests reach the bot, and its answers to them Slack."""
    slack = _client(settings, http)

    async def check_requests() -> Sequence[Finding]:
        if token := text_of(settings.slack_app_token):
            # This asks for the address of a connection but opens none of the bot's ten:
            # https://docs.slack.dev/apis/events-api/using-socket-mode
            ask = partial(check_app_token, slack, token)
            said = "Slack lets it connect by Socket Mode"
            return await check_call(ask, APP_TOKEN, said, MEND_APP)
        return [signing_secret_finding(text_of(settings.slack_signing_secret))]

    yield APP_TOKEN, check_requests
    host = urlsplit(slack.base_url).hostname
    if host in {"slack.com", "slack-gov.com"}:
        url = f"https://hooks.{host}"
        look = partial(fetch_answer, http, url, HEALTH_WITHIN_S, proxy=slack.proxy)
        yield ANSWERS, partial(check_answers, look, url)


def _install_query(settings: Settings, http: aiohttp.ClientSession) -> InstallQuery:
    async def ask(token: str) -> Grant:
        return await fetch_grant(_client(settings, http, token))

    url = f"{settings.public_url or ''}{INSTALL_PATH}"
    return InstallQuery(
        ask=ask,
        install_url=url,
        now=datetime.now(UTC),
        reads_messages=settings.slack_mentions,
    )


def _client(
    settings: Settings, http: aiohttp.ClientSession, token: str | None = None
) -> AsyncWebClient:
    return AsyncWebClient(
        token, settings.slack_api_url, session=http, timeout=10, retry_handlers=[]
    )


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


async def check_stored(
    store: Store, key_ring: str | None, query: InstallQuery | None, limit_s: float = LIMIT_S
) -> Sequence[Finding]:
    """Check the store, its keys, and with OAuth (`query`) the installations in it."""
    found, snapshot = await (
        check_store(store.path) if isinstance(store, FileStore) else check_database(store)
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
