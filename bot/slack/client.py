"""Call Slack's Web API with a time limit and typed errors; open and update views."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.command_names import renamed
from bot.blocks.message import Message
from bot.process.workspace import WorkspaceId
from bot.slack import errors

logger = structlog.get_logger()
T = TypeVar("T")
# aiohttp 3.14 raises these before it has a connection to send anything through: refused, no such
# name, no TLS, none free in the pool, none given by a proxy. Others may come after sending:
# https://docs.aiohttp.org/en/stable/client_reference.html#hierarchy-of-exceptions
_NOT_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)
# slack_sdk 3.47 raises these for an answer that is not a JSON object, or badly encoded.
_NOT_READ = (AttributeError, LookupError, TypeError, ValueError)
FAILURES = (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, *_NOT_READ)
# A longer wait is a mistake of the sender, and would only silence the bot.
LONGEST_WAIT_S = 3600.0
# Somebody waits, or the whole process at its start.
SHORT_WAIT_S = 3
# Less than 1,000: https://docs.slack.dev/apis/web-api/pagination
PEOPLE_PER_PAGE = 500
MAX_PAGES = 10
# Somebody is waiting: after that the answer goes elsewhere.
AGAIN_AFTER_S = 1.0
# Three calls, of which the second carries the file.
UPLOADED_WITHIN_S = 30.0


def _error_of_response(response: Any) -> errors.SlackError:
    """Return our error; `response` is aiohttp's own where the SDK could not read it."""
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0))
    data = getattr(response, "data", None)
    body: Mapping[str, Any] = data if isinstance(data, dict) else {}
    retry_after_s = _seconds(response.headers)
    if status == 429:
        return errors.SlackRateLimitedError(retry_after_s)
    if status >= 500 or not body.get("error"):
        return errors.SlackUnavailableError(f"status {status}")
    needed = str(body.get("needed") or "")
    return errors.slack_error(str(body["error"]), retry_after_s=retry_after_s, needed=needed)


def _seconds(headers: Mapping[str, str]) -> float:
    """Return `Retry-After`, whole seconds: https://docs.slack.dev/apis/web-api/rate-limits."""
    value = headers.get("Retry-After") or headers.get("retry-after") or ""
    return min(max(float(value), 1.0), LONGEST_WAIT_S) if value.isdecimal() else 1.0


class ShortWait(AsyncRateLimitErrorRetryHandler):
    """Calls again after a rate limit of at most 3 s; the SDK (3.47) would sleep for any time."""

    async def _can_retry_async(
        self, *, response: HttpResponse | None = None, **_more: Any
    ) -> bool:
        if response is None or response.status_code != 429:
            return False
        headers = {name.lower(): value for name, value in response.headers.items()}
        asked_s = "".join(headers.get("retry-after", ""))
        return asked_s.isdecimal() and len(asked_s) < 4 and int(asked_s) <= SHORT_WAIT_S


@dataclass(frozen=True, slots=True)
class Member:
    """A person as this workspace sees them.

    `is_admin` includes owners and admins of the organisation. `is_stranger`: somebody of another
    workspace, in a shared channel. `is_guest`: somebody who sees only some channels. `is_person`:
    neither a bot nor a closed account. `zone` is an IANA name.
    """

    user_id: str
    name: str
    is_admin: bool
    is_stranger: bool
    is_guest: bool = False
    is_person: bool = True
    zone: str | None = None

    @property
    def is_colleague(self) -> bool:
        """Whether they are a full member of this workspace."""
        return self.is_person and not (self.is_guest or self.is_stranger)


@asynccontextmanager
async def slack_errors() -> AsyncIterator[None]:
    """Turn errors of the SDK inside the block into a SlackError."""
    try:
        yield
    except SlackApiError as error:
        raise _error_of_response(error.response) from error
    except _NOT_SENT as error:
        raise errors.SlackUnreachableError(type(error).__name__) from error
    except FAILURES as error:
        raise errors.SlackUnavailableError(type(error).__name__) from error


async def fetch_member(client: AsyncWebClient, workspace: WorkspaceId, user_id: str) -> Member:
    """Return a person: https://docs.slack.dev/reference/objects/user-object; raise SlackError."""
    async with slack_errors():
        return _member((await client.users_info(user=user_id))["user"], workspace)


async def fetch_admins(
    client: AsyncWebClient, workspace: WorkspaceId, limit: int
) -> tuple[str, ...]:
    """Return the ids of the first admins and owners among 5,000 people; raise SlackError.

    https://docs.slack.dev/reference/methods/users.list
    """
    found: list[str] = []
    cursor = ""
    for _ in range(MAX_PAGES):
        async with slack_errors():
            response = await client.users_list(limit=PEOPLE_PER_PAGE, cursor=cursor)
            people = [_member(each, workspace) for each in response["members"]]
            cursor = (response.get("response_metadata") or {}).get("next_cursor") or ""
        found += [each.user_id for each in people if each.is_admin]
        if len(found) >= limit or not cursor:
            break
    return tuple(found[:limit])


def _member(user: Mapping[str, Any], workspace: WorkspaceId) -> Member:
    in_org = _in_organisation(user, workspace)
    profile: Mapping[str, Any] = user.get("profile") or {}
    is_stranger = bool(user.get("is_stranger")) or not _belongs(user, in_org, workspace)
    is_guest = bool(user.get("is_restricted") or user.get("is_ultra_restricted"))
    is_person = not (user.get("deleted") or user.get("is_bot"))
    name = profile.get("display_name") or user.get("real_name") or user.get("name") or "somebody"
    zone = user.get("tz")
    return Member(
        str(user["id"]),
        str(name),
        is_person and not (is_guest or is_stranger) and _administers(user, in_org, workspace),
        is_stranger,
        is_guest=is_guest,
        is_person=is_person,
        zone=zone if isinstance(zone, str) and zone else None,
    )


def _in_organisation(user: Mapping[str, Any], workspace: WorkspaceId) -> Mapping[str, Any]:
    found: Mapping[str, Any] = user.get("enterprise_user") or {}
    is_ours = found.get("enterprise_id") == workspace.enterprise_id
    return found if workspace.enterprise_id and is_ours else {}


def _administers(
    user: Mapping[str, Any], in_org: Mapping[str, Any], workspace: WorkspaceId
) -> bool:
    """Return whether the user is an admin of the workspace or of its organisation.

    The top-level `is_admin` is about the user's own workspace. An admin of another workspace of
    the same organisation is not one here: https://github.com/slackapi/bolt-js/issues/1566.
    """
    is_own = workspace.enterprise_id is None or user.get("team_id") == workspace.team_id
    sides = (user, in_org) if is_own else (in_org,)
    return any(side.get(flag) is True for side in sides for flag in ("is_admin", "is_owner"))


def _belongs(user: Mapping[str, Any], in_org: Mapping[str, Any], workspace: WorkspaceId) -> bool:
    """Return whether the user is in the workspace: `is_stranger` is not always set.

    In an organisation a user has one team and may be in several workspaces, listed in `teams`.
    """
    teams = in_org.get("teams")
    if in_org and teams is not None:
        return workspace.team_id in teams
    if in_org:
        return True
    own = {workspace.team_id} if workspace.enterprise_id else {None, workspace.team_id}
    return user.get("team_id") in own


async def open_form(
    client: AsyncWebClient, trigger_id: str, form: Mapping[str, Any], *, is_above: bool = False
) -> str:
    """Open a form; return its id. Raise TriggerExpiredError 3 s after the press, SlackError."""
    view = renamed(dict(form))
    async with slack_errors():
        if is_above:
            response = await client.views_push(trigger_id=trigger_id, view=view)
        else:
            response = await client.views_open(trigger_id=trigger_id, view=view)
    return str(response["view"]["id"])


async def update_form(client: AsyncWebClient, view_id: str, form: Mapping[str, Any]) -> None:
    """Replace an open form, in at most two tries; raise SlackError."""
    view = renamed(dict(form))
    try:
        async with slack_errors():
            await client.views_update(view_id=view_id, view=view)
    except errors.SlackUnavailableError as error:
        logger.info("the form is drawn again", error=repr(error))
        await asyncio.sleep(AGAIN_AFTER_S)
        async with slack_errors():
            await client.views_update(view_id=view_id, view=view)


async def open_direct(client: AsyncWebClient, user_id: str) -> str:
    """Open the direct message with a person; return its channel id. Raise SlackError."""
    async with slack_errors():
        opened = await client.conversations_open(users=user_id)
        return str(opened["channel"]["id"])


async def post_message(client: AsyncWebClient, channel_id: str, message: Mapping[str, Any]) -> str:
    """Post a message without previews of its links; return its `ts`. Raise SlackError."""
    async with slack_errors():
        posted = await client.chat_postMessage(
            channel=channel_id, unfurl_links=False, unfurl_media=False, **message
        )
    return str(posted.get("ts") or "")


async def upload_file(
    client: AsyncWebClient,
    channel_id: str,
    name: str,
    content: bytes,
    comment: str,
    *,
    thread_ts: str | None = None,
) -> None:
    # https://docs.slack.dev/messaging/working-with-files#upload
    async with slack_errors(), asyncio.timeout(UPLOADED_WITHIN_S):
        await client.files_upload_v2(
            channel=channel_id,
            filename=name,
            title=name,
            content=content,
            initial_comment=comment or None,
            thread_ts=thread_ts,
        )


@dataclass(frozen=True, slots=True)
class SentMessage:
    """The channel and the `ts` of a message that was posted."""

    channel_id: str
    ts: str


async def edit_message(
    client: AsyncWebClient, sent: SentMessage, message: Mapping[str, Any]
) -> None:
    """Replace the content of a message of the bot; raise SlackError."""
    async with slack_errors():
        await client.chat_update(channel=sent.channel_id, ts=sent.ts, **message)


async def send_with_fallback(send: Callable[[Message], Awaitable[T]], message: Message) -> T:
    """Send a message; if Slack refuses its blocks, send its plain fallback."""
    try:
        return await send(message)
    except errors.BlocksRefusedError as error:
        fallback = message.fallback()
        logger.warning("blocks refused", code=error.code, has_fallback=fallback is not None)
        if fallback is None:
            raise
        return await send(fallback)


async def check_app_token(client: AsyncWebClient, app_token: str) -> None:
    """Check that a token can open a Socket Mode connection; raise SlackError."""
    async with slack_errors():
        await client.apps_connections_open(app_token=app_token)


async def publish_home(client: AsyncWebClient, user_id: str, page: Message) -> None:
    """Publish a Home tab, or its fallback where Slack refuses its blocks; raise SlackError."""

    async def publish(each: Message) -> None:
        view = {"type": "home", "blocks": renamed(each.blocks)}
        async with slack_errors():
            await client.views_publish(user_id=user_id, view=view)

    await send_with_fallback(publish, page)
