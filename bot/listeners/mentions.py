"""Answer command lines in messages: in mentions of the app, and in its own conversation."""

import re
from collections.abc import Mapping
from typing import Any

from bot.commands import COMMANDS
from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.slack.auth import workspace_of
from bot.slack.replies import Origin, Replies
from bot.views.usage import overview_message

# What a person writes: https://docs.slack.dev/reference/events/message#subtypes
_WRITTEN = {None, "file_share", "thread_broadcast"}
_HERE = re.compile(r"\s+here\s*$", re.IGNORECASE)


def register_mentions(dispatcher: Dispatcher) -> None:
    """Attach the listeners of messages. Without their scopes Slack sends none."""
    for event_type in ("app_mention", "message"):
        dispatcher.on_message(event_type, read_message, _answer_overview)


def read_message(body: Mapping[str, Any], context: Any, replies: Replies) -> Request | None:
    """Return the request in a message to the bot; `None` for a bot's, an edit, or any other.

    https://docs.slack.dev/reference/events/app_mention,
    https://docs.slack.dev/reference/events/message.im
    """
    event, bot = body["event"], context.authorize_result
    is_direct = event.get("channel_type") == "im"
    is_to_bot = is_direct or event["type"] == "app_mention"
    is_by_person = event.get("user") not in {None, "USLACKBOT"} and not event.get("bot_id")
    is_new = event.get("subtype") in _WRITTEN and not event.get("edited")
    if not (is_to_bot and is_by_person and is_new):
        return None
    line, is_for_all = read_line(str(event.get("text") or ""), bot.bot_user_id or "")
    thread_ts, own_team = event.get("thread_ts"), event.get("user_team") or event.get("team")
    return Request(
        workspace=workspace_of(bot),
        origin=Origin(
            event["user"],
            None if is_direct else event["channel"],
            thread_ts=thread_ts if is_direct else thread_ts or event["ts"],
            is_in_thread=thread_ts is not None,
        ),
        client=context.client,
        replies=replies,
        command_line=line,
        shares_answer=is_for_all and not is_direct,
        is_from_elsewhere=own_team is not None and own_team != bot.team_id,
    )


def read_line(text: str, bot_user_id: str) -> tuple[str, bool]:
    """Return the command line in a message, and whether its answer is for everyone.

    Slack's mention in front is no part of it, nor is `here` at the end. What is no command line
    is returned as it is.
    """
    mention = rf"\s*<@{re.escape(bot_user_id)}(?:\|[^<>]*)?>[\s:,]*"
    said = re.sub(rf"^{mention}", "", text).strip()
    line = _HERE.sub("", said)
    name, *rest = line.split(maxsplit=1)[:2] or [""]
    command = f"/{name.removeprefix('/').lower()}"
    return (" ".join([command, *rest]), line != said) if command in COMMANDS else (said, False)


async def _answer_overview(request: Request, _text: str) -> None:
    await request.reply(overview_message())
