"""What the doctor examines, made of the settings: a part of the operators' composition root."""

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import aiohttp
from pydantic import SecretStr
from slack_sdk.web.async_client import AsyncWebClient

from bot.house import migrations
from bot.installations.flow import INSTALL_PATH, REDIRECT_PATH
from bot.operating.database_store import DatabaseStore
from bot.operating.doctor import LIMIT_S, OAuthApp, OneToken, Patient, examine
from bot.operating.finding import Finding
from bot.operating.installation_checks import Enquiry
from bot.settings import Settings
from bot.slack.calls import check_app_token
from bot.slack.grants import Grant, fetch_grant
from bot.slack.oauth import OAuthCalls
from bot.slack.reach import check_api, fetch_answer
from bot.tracker.client import tracker_http
from bot.tracker.presence import look_for_service

# Within the doctor's own limit, so that it is a warning: the bot may not have been started yet.
HEALTH_WITHIN_S = LIMIT_S - 1


async def diagnose(settings: Settings) -> list[Finding]:
    """Return what there is to say of everything that the bot needs, but for the settings."""
    app_token, url = _text(settings.slack_app_token), settings.domain_tracker_url
    async with aiohttp.ClientSession() as http, tracker_http() as service:
        slack = _client(settings, http)
        patient = Patient(
            way=_way(settings, http),
            ask_for_socket=partial(check_app_token, slack, app_token) if app_token else None,
            signing_secret=_text(settings.slack_signing_secret),
            look_for_service=partial(look_for_service, service, url, LIMIT_S),
            service_url=url,
            database=_database(settings),
            key_ring=_text(settings.bot_secret_keys) or None,
            environ=os.environ,
        )
        return await examine(patient)


def _database(settings: Settings) -> Path | DatabaseStore:
    where = settings.database
    return where if isinstance(where, Path) else DatabaseStore(where, migrations())


def _way(settings: Settings, http: aiohttp.ClientSession) -> OneToken | OAuthApp:
    if settings.slack_bot_token:
        return partial(fetch_grant, _client(settings, http, _text(settings.slack_bot_token)))
    public_url = settings.public_url or ""

    async def ask(token: str) -> Grant:
        return await fetch_grant(_client(settings, http, token))

    calls = OAuthCalls(
        _client(settings, http),
        client_id=settings.slack_client_id or "",
        client_secret=_text(settings.slack_client_secret),
    )
    return OAuthApp(
        exchange=partial(calls.exchange, redirect_uri=f"{public_url}{REDIRECT_PATH}"),
        public_url=public_url,
        ask_api=partial(check_api, _client(settings, http)),
        look_at_health=partial(fetch_answer, http, f"{public_url}/healthz", HEALTH_WITHIN_S),
        enquiry=Enquiry(ask=ask, install_url=f"{public_url}{INSTALL_PATH}", now=datetime.now(UTC)),
    )


def _client(
    settings: Settings, http: aiohttp.ClientSession, token: str | None = None
) -> AsyncWebClient:
    return AsyncWebClient(
        token, settings.slack_api_url, session=http, timeout=10, retry_handlers=[]
    )


def _text(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""
