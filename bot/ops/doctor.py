"""Check everything that the bot needs, all at once."""

import asyncio
import os
from collections.abc import Awaitable, Iterator, Mapping, Sequence, Set
from itertools import chain
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.text import plural
from bot.ops.output import (
    LIMIT_S,
    Finding,
    failure,
    found_within,
    ok,
    printable,
    some_names,
    warning,
)
from bot.ops.sealed_texts import Store, read_sealed, sealed_in, unopened
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
from bot.store.documents import Document, StoreError
from bot.store.encryption import CHECK_KEY, RingSource
from bot.store.files import WIPED_DISK, lock_file_of, lock_holder
from bot.store.postgres.migrations import missing
from bot.store.postgres.pool import open_pool
from bot.store.postgres.snapshot import DatabaseStore
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
STORE, RING = "DATABASE_URL", "BOT_SECRET_KEYS"
RESTORE = "stop the bot and put a backup in its place."
SAME_USER = (
    "Give the file and its folder to the user that runs the bot, and run this as that user."
)
REACH = "Check DATABASE_URL, the network in between, and the server."
# What holds secrets; `None`: the store cannot be read.
StoreFinding = tuple[Finding, Sequence[Document] | None]


async def diagnose(settings: Settings, store: Store) -> list[Finding]:
    url, ring = settings.domain_tracker_url, text_of(settings.bot_secret_keys)
    async with aiohttp.ClientSession() as http, tracker_http() as service:
        checks = [
            *_slack_checks(settings, http),
            found_within(SETTING, check_tracker(foreign_status(service, url, LIMIT_S), url)),
            found_within(STORE, check_stored(store, ring), STORE_LIMIT_S),
        ]
        found = [*chain.from_iterable(await asyncio.gather(*checks))]
    if isinstance(store, FileStore) and "DYNO" in os.environ:
        found.append(warning("disk", *WIPED_DISK))
    return found


def _slack_checks(
    settings: Settings, http: aiohttp.ClientSession
) -> Iterator[Awaitable[Sequence[Finding]]]:
    token, api_url = text_of(settings.slack_bot_token) or None, settings.slack_api_url
    client = AsyncWebClient(token, api_url, session=http, timeout=10, retry_handlers=[])
    if settings.is_for_many:
        yield found_within(API, check_call(check_api(client), API, "Slack answers", HINT_API))
    else:
        granted, reads = fetch_grant(client), settings.slack_mentions
        yield found_within(BOT_TOKEN, check_bot_token(granted, reads_messages=reads))
    if app_token := text_of(settings.slack_app_token):
        # This asks for the address of a connection but opens none of the bot's ten:
        # https://docs.slack.dev/apis/events-api/using-socket-mode
        asking, detail = check_app_token(client, app_token), "Slack lets it connect by Socket Mode"
        yield found_within(APP_TOKEN, check_call(asking, APP_TOKEN, detail, HINT_APP))


async def check_tracker(looking: Awaitable[int | None], url: str) -> Sequence[Finding]:
    """Return whether the service answers at `url`; `looking` is its `foreign_status`."""
    where = printable(url)
    try:
        status = await looking
    except TrackerError as error:
        return [failure(SETTING, f"no answer from {where} ({printable(str(error))})", HINT)]
    if status is not None:
        detail = f"something else answers at {where}, with status {status}"
        return [failure(SETTING, detail, HINT)]
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        detail = f"answers at {where}, to which API keys travel unencrypted"
        return [warning(SETTING, detail, "Use https if the service has it.")]
    return [ok(SETTING, f"Domain Tracker answers at {where}")]


async def check_stored(store: Store, key_ring: str) -> Sequence[Finding]:
    if isinstance(store, FileStore):
        found, documents = await check_store(store)
    else:
        found, documents = await check_database(store)
    if documents is None:
        return [found]
    try:
        ring = ring_finding(store.ring_source(key_ring), documents)
    except StoreError as error:
        ring = failure(RING, str(error), "Put a copy of the file back.")
    return [found, ring]


async def check_store(store: FileStore) -> StoreFinding:
    where = printable(store.location)
    try:
        holder = lock_holder(lock_file_of(store.path))
        if not store.path.exists():
            if holder is not None:
                detail = f"{where} is gone, and process {printable(holder)} uses it"
                return failure(STORE, detail, f"If it is lost, {RESTORE}"), None
            return ok(STORE, f"{where} is not there yet; a start makes it"), ()
        documents = await read_sealed(store)
    except (StoreError, OSError) as error:
        hint = f"{SAME_USER} If it is damaged: {RESTORE}"
        return failure(STORE, printable(str(error)), hint), None
    user = "not used by any process" if holder is None else f"used by process {printable(holder)}"
    return ok(STORE, f"{where} is whole, {user}"), documents


async def check_database(store: DatabaseStore) -> StoreFinding:
    where = printable(store.address.location)
    try:
        async with await open_pool(store.address) as pool:
            if steps := await missing(pool, store.steps):
                detail = f"{where} lacks {plural(len(steps), 'step')} of its schema"
                return failure(STORE, detail, "Run `python -m bot migrate`."), None
        return ok(STORE, f"{where} answers, its schema is up to date"), await read_sealed(store)
    except StoreError as error:
        return failure(STORE, printable(str(error), 400), REACH), None


def ring_finding(source: RingSource, documents: Sequence[Document]) -> Finding:
    sealed = [each for document in documents for each in sealed_in(document)]
    needed = ", ".join(sorted({printable(each.key_name, 40) for each in sealed})) or "none"
    if source.ring is None:
        file = printable(str(source.key_file))
        if not sealed:
            return ok(RING, f"not set: the bot makes {file} when it starts")
        hint = f"Put it back, or set {RING} to a ring with the keys named {needed}."
        return failure(RING, f"not set, and there is no file {file}", hint)
    if closed := [each.why_closed(source.ring) for each in unopened(documents, source.ring)]:
        hint = f"The store needs the keys named {needed}. Put the missing or earlier one back."
        return failure(RING, f"{printable(source.name)} does not open {some_names(closed)}", hint)
    secrets = plural(sum(each.key != CHECK_KEY for each in sealed), "secret")
    opened = f"{printable(source.name)} decrypts all that is sealed ({secrets})"
    return ok(RING, f"{opened}; keys in use: {needed}")


async def check_bot_token(
    fetching: Awaitable[Grant], *, reads_messages: bool = False
) -> Sequence[Finding]:
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
    try:
        await asking
    except SlackError as error:
        return [refusal(about, error, hint)]
    return [ok(about, detail)]


def refusal(about: str, error: SlackError, hint: str) -> Finding:
    """Return the finding for a failed call; `hint` is what to do after a refusal."""
    if isinstance(error, SlackRefusedError):
        return failure(about, f"Slack refuses it ({printable(error.code)})", hint)
    if isinstance(error, SlackRateLimitedError):
        return warning(about, "Slack's rate limit is reached", "Try again in a minute.")
    detail = f"no usable answer from Slack ({printable(str(error))})"
    return failure(about, detail, "Check the network, a proxy, and SLACK_API_URL.")


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
    return ", ".join(f"{scope} ({why})" for scope, why in wanted.items() if scope not in granted)
