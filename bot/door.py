"""How Slack and its people reach the bot: a part of the composition root (see bot/app.py)."""

from collections.abc import Awaitable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.authorize import note_asked_place
from bot.listeners.timed import TimedApp
from bot.logs import bolt_logger
from bot.metrics.metrics import Metrics
from bot.parts import Parts, Role
from bot.slack.calls import check_app_token
from bot.slack.errors import SlackError, SlackRefusedError
from bot.socket_mode import connected
from bot.web.health import Check, HealthEndpoints
from bot.web.install import InstallEndpoint
from bot.web.listening import listening
from bot.web.metrics import MetricsEndpoint
from bot.web.slack import SlackEndpoint
from bot.workspaces import SlackClients, Workspaces

logger = structlog.get_logger()


class StartError(Exception):
    """The bot cannot start; the message is for the operator and holds no secret."""


@dataclass(frozen=True, slots=True)
class Door:
    """By which way Slack's requests come in: over HTTP, a socket, or, to a worker, not at all."""

    endpoint: SlackEndpoint | None = None
    checks: Mapping[str, Check] = field(default_factory=dict)


def bolt_app(client: AsyncWebClient, workspaces: Workspaces, metrics: Metrics) -> AsyncApp:
    """Return Bolt's app; `client` has no token: Bolt adds that of each request."""
    return TimedApp(
        note_ack=metrics.people.note_ack,
        name="domain-tracker",  # else Bolt 1.30 reads the sources of the whole stack to find one
        logger=bolt_logger(),
        client=client,
        before_authorize=note_asked_place,
        authorize=workspaces.authorize,
        user_facing_authorize_error_message=workspaces.unknown,
        process_before_response=True,  # no polling for the ack: the listeners only ack
        request_verification_enabled=False,  # web/slack.py does; a socket needs none
    )


async def check_tokens(
    parts: Parts, clients: SlackClients, workspaces: Workspaces, role: Role
) -> None:
    """Find out at once what no waiting will mend; a Slack that is away is waited for.

    Raises:
        StartError: Slack refuses a token for good.
    """
    name = "SLACK_BOT_TOKEN" if workspaces.own else "SLACK_API_URL"
    await _check_token(name, workspaces.find_slack())
    if parts.settings.slack_app_token and role.answers:
        app_token = parts.settings.slack_app_token.get_secret_value()
        await _check_token("SLACK_APP_TOKEN", check_app_token(clients.patient(), app_token))


async def open_door(stack: AsyncExitStack, app: AsyncApp, parts: Parts, role: Role) -> Door:
    """Begin to take Slack's requests; over HTTP whoever listens hands them to the endpoint."""
    if not role.answers:
        return Door()
    seen = parts.commons.seen
    if app_token := parts.settings.slack_app_token:
        link = connected(app, app_token.get_secret_value(), seen=seen)
        return Door(checks={"socket": (await stack.enter_async_context(link)).is_connected})
    secret = parts.settings.slack_signing_secret  # the settings require one of the two
    return Door(SlackEndpoint(app, secret.get_secret_value(), seen=seen)) if secret else Door()


async def listen(
    stack: AsyncExitStack,
    parts: Parts,
    health: HealthEndpoints,
    *,
    slack: SlackEndpoint | None,
    install: InstallEndpoint | None,
) -> None:
    """Begin to listen.

    Raises:
        StartError: the address cannot be listened on.
    """
    settings, metrics = parts.settings, parts.metrics
    token = settings.metrics_token
    page = MetricsEndpoint(metrics.page, token.get_secret_value() if token else None)
    listener = listening(
        settings.host,
        settings.port,
        health,
        slack,
        install,
        metrics=page,
        note_request=metrics.people.note_http,
    )
    try:
        await stack.enter_async_context(listener)
    except OSError as error:
        where = f"HOST {settings.host}, PORT {settings.port}"
        raise StartError(f"cannot listen on {where}: {error.strerror or error}") from error


async def _check_token(name: str, asking: Awaitable[object]) -> None:
    try:
        await asking
    except SlackRefusedError as error:
        raise StartError(f"{name}: Slack refuses it ({error.code})") from error
    except SlackError as error:
        logger.warning("Slack does not answer yet", error=repr(error))
