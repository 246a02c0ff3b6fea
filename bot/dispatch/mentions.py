"""Answer command lines in messages to the bot, and shortcuts: forms, domains in a message."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from bot.blocks.command_names import own_name
from bot.dispatch.commands import COMMANDS
from bot.dispatch.request import Request, request_from
from bot.dispatch.router import Dispatcher
from bot.dispatch.usage import overview_message
from bot.process.clock import Clock
from bot.slack.auth import workspace_of
from bot.slack.replies import Origin, Replies

# What a person writes: https://docs.slack.dev/reference/events/message#subtypes
_WRITTEN = {None, "file_share", "thread_broadcast"}
_HERE = re.compile(r"\shere$", re.IGNORECASE)
# An event comes again after one minute and five; after an outage Slack may send some hours later:
# https://docs.slack.dev/apis/events-api#retries
LATE_FROM = timedelta(minutes=10)
# What follows is read as a part of the last one.
MAX_LINES = 10


def register_mentions(dispatcher: Dispatcher, clock: Clock) -> None:
    """Attach the listeners of messages. Without their scopes Slack sends none."""

    def read(body: Mapping[str, Any], context: Any, replies: Replies) -> list[Request]:
        return read_message(body, context, replies, now=clock())

    async def explain(request: Request, _text: str) -> None:
        await request.reply(overview_message(is_direct=request.origin.channel_id is None))

    for event_type in ("app_mention", "message"):
        dispatcher.message(event_type, read, explain)


def read_message(
    body: Mapping[str, Any], context: Any, replies: Replies, *, now: datetime
) -> list[Request]:
    """Return the requests in a message to the bot; none for a bot's, an edit, or any other.

    https://docs.slack.dev/reference/events/app_mention,
    https://docs.slack.dev/reference/events/message.im
    """
    event, bot = body["event"], context.authorize_result
    is_direct = event.get("channel_type") == "im"
    is_to_bot = is_direct or event["type"] == "app_mention"
    is_by_person = event.get("user") not in {None, "USLACKBOT"} and not event.get("bot_id")
    is_new = event.get("subtype") in _WRITTEN and not event.get("edited")
    if not (is_to_bot and is_by_person and is_new):
        return []
    thread_ts, own_team = event.get("thread_ts"), event.get("user_team") or event.get("team")
    origin = Origin(
        event["user"],
        None if is_direct else event["channel"],
        thread_ts=thread_ts if is_direct else thread_ts or event["ts"],
        is_in_thread=thread_ts is not None,
    )
    is_late = now.timestamp() - float(event["ts"]) > LATE_FROM.total_seconds()
    return [
        request_from(
            workspace_of(bot),
            origin,
            context.client,
            replies,
            command_line=line,
            shares=is_for_all and not is_direct,
            is_from_elsewhere=own_team is not None and own_team != bot.team_id,
            is_late=is_late,
        )
        for line, is_for_all in read_lines(str(event.get("text") or ""), bot.bot_user_id or "")
    ]


def read_lines(text: str, bot_user_id: str) -> list[tuple[str, bool]]:
    """Return what `read_line` does for each line of a message that begins with a mention."""
    mention = rf"\n[ \t]*(?=<@{re.escape(bot_user_id)}[|>])"
    return [
        read_line(each, bot_user_id) for each in re.split(mention, text, maxsplit=MAX_LINES - 1)
    ]


def read_line(text: str, bot_user_id: str) -> tuple[str, bool]:
    """Return the command line in a message, and whether its answer is for everyone.

    Slack's mention in front is no part of it, nor is `here` at the end. What is no command line
    is returned as it is.
    """
    mention = rf"\s*<@{re.escape(bot_user_id)}(?:\|[^<>]*)?>[\s:,]*"
    said = re.sub(rf"^{mention}", "", text).strip()
    line = _HERE.sub("", said).rstrip()
    name, *rest = line.split(maxsplit=1)[:2] or [""]
    command = own_name(f"/{name.removeprefix('/').lower()}")
    return (" ".join([command, *rest]), line != said) if command in COMMANDS else (said, False)
