"""Check everything that the bot needs, all at once."""

import asyncio
import os
from collections.abc import Awaitable, Iterator, Mapping, Sequence, Set
from itertools import chain
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

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
from bot.slack.auth import (
    MENTION_SCOPES,
    NEEDED_SCOPES,
    OPTIONAL_SCOPES,
    Grant,
    check_api,
    fetch_grant,
)
from bot.slack.client import check_app_token
from bot.slack.errors import SlackError, SlackRateLimitedError, SlackRefusedError
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
BOT_TOKEN, APP_TOKEN, API = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_API_URL"
SCOPES, MENTIONS = "Slack permissions", "SLACK_MENTIONS"
HINT_API = "Check the address: Slack's is https://slack.com/api/."
HINT_BOT = (
    'Copy the "Bot User OAuth Token" from "OAuth & Permissions" of your app'
    " (https://api.slack.com/apps). If there is none, install the app again."
)
HINT_APP = (
    'Make an app-level token with the scope connections:write under "Basic Information" of your'
    " app, and turn Socket Mode on."
)

HINT_MENTIONS = (
    'Follow "Command lines in messages" in docs/operators.md: update the manifest of the app, and'
    " install the app again."
)


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
        asked = check_call(check_api(client), API, "Slack answers", HINT_API)
        yield found_within(API, asked)
    else:
        reads = settings.slack_mentions
        asked = check_bot_token(fetch_grant(client), reads_messages=reads)
        yield found_within(BOT_TOKEN, asked)
    if app_token := text_of(settings.slack_app_token):
        # This asks for the address of a connection but opens none of the bot's ten:
        # https://docs.slack.dev/apis/events-api/using-socket-mode
        about, detail = APP_TOKEN, "Slack lets it connect by Socket Mode"
        asking = check_app_token(client, app_token)
        yield found_within(about, check_call(asking, about, detail, HINT_APP))


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


async def check_bot_token(
    fetching: Awaitable[Grant], *, reads_messages: bool = False
) -> Sequence[Finding]:
    """Return the workspace of the bot token, and whether the bot has the scopes it needs."""
    try:
        grant = await fetching
    except SlackError as error:
        return [refusal(BOT_TOKEN, error, HINT_BOT)]
    name, team_id = printable(grant.team_name or "?"), printable(grant.team_id or "?")
    detail = f"Slack accepts it; it is the token of the workspace {name} ({team_id})"
    found = [ok(BOT_TOKEN, detail)]
    if grant.scopes is not None:
        found += _permission_findings(grant.scopes, reads_messages=reads_messages)
    return found


async def check_call(
    asking: Awaitable[object], about: str, detail: str, hint: str
) -> Sequence[Finding]:
    """Return `detail` when Slack answers a call, else its refusal and `hint`."""
    try:
        await asking
    except SlackError as error:
        return [refusal(about, error, hint)]
    return [ok(about, detail)]


def refusal(about: str, error: SlackError, hint: str) -> Finding:
    """Return the finding for a failed call of Slack; `hint` is what to do after a refusal."""
    if isinstance(error, SlackRefusedError):
        return failure(about, f"Slack refuses it ({printable(error.code)})", hint)
    if isinstance(error, SlackRateLimitedError):
        return warning(about, "Slack's rate limit is reached", "Try again in a minute.")
    return failure(
        about,
        f"no usable answer from Slack ({printable(str(error))})",
        "Check the network, a proxy, and SLACK_API_URL.",
    )


def _permission_findings(granted: Set[str], *, reads_messages: bool) -> Iterator[Finding]:
    """Yield which scopes are missing: a failure when the bot cannot do its work without them."""
    if narrow := _lacking(NEEDED_SCOPES, granted):
        hint = "Bring the app's manifest up to date with manifest.yml, and install the app again."
        yield failure(SCOPES, f"missing: {narrow}", hint)
    if wishes := _lacking(OPTIONAL_SCOPES, granted):
        hint = "To use it, install the app again. Everything else works without it."
        yield warning(SCOPES, f"not granted: {wishes}", hint)
    if reads_messages:
        if lacking := _lacking(MENTION_SCOPES, granted):
            yield warning(MENTIONS, f"it is on, but not granted: {lacking}", HINT_MENTIONS)
        else:
            yield ok(MENTIONS, "the permissions for it are granted")
    if not (narrow or wishes):
        yield ok(SCOPES, f"all {len(NEEDED_SCOPES) + len(OPTIONAL_SCOPES)} are granted")


def _lacking(wanted: Mapping[str, str], granted: Set[str]) -> str:
    """Return the wanted scopes that are not granted, each with its reason."""
    return ", ".join(f"{scope} ({why})" for scope, why in wanted.items() if scope not in granted)
