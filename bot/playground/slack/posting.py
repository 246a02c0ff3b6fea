"""Putting messages into channels, changing and removing them, and reply addresses."""

import asyncio
import copy
import math
import re
import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.playground.blockkit import Problem, check_message, check_view
from bot.playground.slack import block_contents
from bot.playground.slack.block_contents import Json, objects
from bot.playground.slack.model import SLACKBOT_ID, Channel, Message, Workspace
from bot.playground.slack.refusals import Refusal, too_fast

MAX_POST_CHARS = (
    40_000  # longer texts are cut: https://docs.slack.dev/reference/methods/chat.postMessage
)
OTHER_BOT_ID = "U0OTHERBOT"  # the user of another app
NO_ONE = ""  # sees a message that was taken and is not shown
MAX_UPDATE_CHARS = 4_000  # https://docs.slack.dev/reference/methods/chat.update


class Checks:
    """The validator, plus the block types that this workspace does not know yet."""

    def __init__(self) -> None:
        self.refused_types: set[str] = set()

    def message(self, content: Json) -> None:
        """Pass, or raise Refusal with Slack's list of problems."""
        self._known_types(content.get("blocks") or [], "invalid_blocks")
        if found := check_message(content):
            raise refusal_of(*found)

    def view(self, view: Any, kind: str) -> None:
        """Pass a view of that kind (`modal` or `home`), or raise Refusal."""
        if not isinstance(view, dict) or view.get("type") != kind:
            problem = Problem("invalid_type", f"must be a view of type {kind}", "/view/type")
            raise refusal_of("invalid_arguments", [problem])
        self._known_types(view.get("blocks") or [], "invalid_arguments")
        if found := check_view(view):
            raise refusal_of(*found)

    def _known_types(self, blocks: Any, code: str) -> None:
        for node in objects(blocks):
            if node.get("type") in self.refused_types:
                message = f"unsupported type: {node['type']}"
                raise refusal_of(code, [Problem("unsupported_type", message, "/blocks")])


def refusal_of(code: str, problems: Sequence[Problem]) -> Refusal:
    """Return the refusal as the Web API words it: each problem with its JSON pointer."""
    lines = [f"{problem.message} [json-pointer:{problem.pointer}]" for problem in problems]
    metadata = {"messages": [f"[ERROR] {line}" for line in lines]}
    return Refusal(code, errors=lines, response_metadata=metadata)


_CONTENT_KEYS = ("text", "blocks", "thread_ts", "unfurl_links", "unfurl_media")
_TIMESTAMP = re.compile(r"\d{10}\.\d{6}")


class Posting:
    """The only place that changes what is said in a channel.

    Slack takes about one post of an app per second and channel, and "short bursts" of more:
    https://docs.slack.dev/apis/web-api/rate-limits. After `burst` posts in one go it is one for
    each `seconds_between_posts`; 0 switches the limit off. Seconds are real ones, by `monotonic`:
    moving the playground's clock changes nothing.

    `on_change` is called after each change with its kind ("added", "changed", "removed"), the
    message, and the message as it was before.
    """

    def __init__(self, workspace: Workspace, checks: Checks) -> None:
        self._workspace = workspace
        self._checks = checks
        self.on_change: Callable[[str, Message, Message | None], None] = lambda *_change: None
        self._free_at: dict[str, float] = {}  # by channel: when all that was posted is paid for
        self.monotonic: Callable[[], float] = lambda: asyncio.get_running_loop().time()
        self.seconds_between_posts = 1.0
        self.burst = 10

    def add(
        self,
        channel: Channel,
        sent: Json,
        *,
        user: str | None = None,
        seen_by: str | None = None,
        command: str | None = None,
        typed_by: str | None = None,
        files: Sequence[Json] = (),
    ) -> Message:
        """Post as the bot, or as `user`, and return the message. Raises: Refusal."""
        content = self._content(sent, may_be_empty=bool(files))
        if content.get("thread_ts") and not seen_by:
            content["thread_ts"] = self._thread(channel, content["thread_ts"])
        is_hidden = seen_by and not self._is_active(channel, content.get("thread_ts"))
        if is_hidden and user != SLACKBOT_ID:  # which answers where one types
            seen_by = NO_ONE
        user = user or self._workspace.bot_user_id
        message = Message(
            ts=self._workspace.new_ts(),
            channel_id=channel.id,
            user=user,
            content=content,
            seen_by=seen_by,
            command=command,
            typed_by=typed_by,
            files=list(files),
        )
        if user == self._workspace.bot_user_id:
            message.bot_id = self._workspace.bot_id
        elif user == OTHER_BOT_ID:
            message.bot_id = "B0OTHERBOT"
        elif user in self._workspace.members:
            message.client_msg_id = str(uuid.uuid4())
        channel.messages.append(message)
        self._changed("added", message)
        return message

    def _thread(self, channel: Channel, thread_ts: object) -> str | None:
        """Return the thread of a reply; None where it is gone: then the channel gets the reply.

        Slack "silently ignores" such a thread: https://github.com/caipe-io/ai-platform-engineering/pull/1034
        and https://github.com/PostHog/posthog/pull/83601.
        """
        said = [each for each in channel.messages if not each.is_ephemeral]
        is_there = any(thread_ts in (each.ts, each.thread_ts) for each in said)
        return str(thread_ts) if is_there else None

    def _is_active(self, channel: Channel, thread_ts: str | None) -> bool:
        """Tell whether an ephemeral message would be shown there.

        "Ephemeral messages in threads are only shown if there is already an active thread":
        https://docs.slack.dev/reference/methods/chat.postEphemeral.
        """
        replies = (each.thread_ts for each in channel.messages if not each.is_ephemeral)
        return not thread_ts or thread_ts in replies

    def _changed(self, kind: str, message: Message, before: Message | None = None) -> None:
        self.on_change(kind, message, before)
        self._workspace.change_event.notify()

    def replace(self, message: Message, sent: Json, *, edited: bool = False) -> None:
        """Give a message new content; its place, thread and readers stay. Raises: Refusal.

        `edited`: by its author, which Slack says.
        """
        content, before = self._content(sent), message.snapshot()
        thread_ts = message.thread_ts
        message.typed = block_contents.surviving(message.typed, message.blocks, content["blocks"])
        message.content = {**content, "thread_ts": thread_ts}
        if edited:
            message.edited_ts = self._workspace.new_ts()
        message.revision += 1
        self._changed("changed", message, before)

    def remove(self, message: Message) -> None:
        channel = self._workspace.channels[message.channel_id]
        if message in channel.messages:
            channel.messages.remove(message)
            self._changed("removed", message, message)

    def slow_down(self, channel: Channel) -> None:
        """Count a post against the channel's rate. Raises: Refusal, while it is too fast."""
        if not self.seconds_between_posts:
            return
        now = self.monotonic()
        free_at = max(self._free_at.get(channel.id, now), now)
        wait_s = free_at - now - (self.burst - 1) * self.seconds_between_posts
        if wait_s > 0:
            raise too_fast(math.ceil(wait_s))
        self._free_at[channel.id] = free_at + self.seconds_between_posts

    def _content(self, sent: Json, *, may_be_empty: bool = False) -> Json:
        if sent.get("text") or not may_be_empty:
            self._checks.message(sent)
        content = {key: copy.deepcopy(sent[key]) for key in _CONTENT_KEYS if key in sent}
        thread_ts = str(content.get("thread_ts") or "")
        if thread_ts and not _TIMESTAMP.fullmatch(thread_ts):
            # https://github.com/jenkinsci/slack-plugin/issues/584
            message = f"[ERROR] {thread_ts} is not a valid thread_ts"
            raise Refusal("invalid_thread_ts", response_metadata={"messages": [message]})
        content["text"] = str(sent.get("text") or "")[:MAX_POST_CHARS]
        blocks = sent.get("blocks") or []
        content["blocks"] = block_contents.with_ids(blocks, lambda: self._workspace.new_id("b"))
        return content


# https://docs.slack.dev/interactivity/handling-user-interaction
MAX_USES = 5
RESPONSE_URL_LIFE_S = 30 * 60


@dataclass
class ResponseUrl:
    """One address. `target` is the message that `replace_original` means."""

    member_id: str
    channel_id: str
    made_at: float
    command: str | None  # what was typed; None where it came from a button
    target: Message | None
    uses: int = 0


class ResponseUrls:
    """All addresses given out, and what may be done with them.

    Slack describes some of this loosely, so a switch plays both readings:
    `commands_replace_their_reply`: False plays the reports that `replace_original` through a
    command's own address posts again (https://github.com/slackapi/bolt-python/issues/1268,
    https://github.com/slackapi/bolt-js/issues/2287).
    """

    def __init__(self, workspace: Workspace, posting: Posting) -> None:
        self._workspace = workspace
        self._posting = posting
        self._given: dict[str, ResponseUrl] = {}
        self.base = ""
        self.commands_replace_their_reply = True

    def give(
        self,
        member_id: str,
        channel_id: str,
        *,
        command: str | None = None,
        target: Message | None = None,
    ) -> str:
        kind = "actions" if command is None else "commands"
        path = f"{kind}/{self._workspace.team_id}/{len(self._given) + 1}/{secrets.token_hex(12)}"
        now = self._workspace.clock()
        self._given[path] = ResponseUrl(member_id, channel_id, now, command, target)
        return f"{self.base}{path}"

    def use(self, path: str, sent: Json) -> None:
        """Act on one answer to an address. Raises: Refusal."""
        address = self._given.get(path)
        if address is None or self._workspace.clock() - address.made_at > RESPONSE_URL_LIFE_S:
            raise Refusal("expired_url", status=404)
        if address.uses >= MAX_USES:
            raise Refusal("used_url", status=404)
        address.uses += 1
        try:
            self._act(address, sent)
        except Refusal as refusal:
            refusal.status = 400
            raise

    def reply_in_ack(self, url: str, sent: Json) -> None:
        """Show what a command's ack carried; it counts as no use. Raises: Refusal."""
        self._act(self._given[url.removeprefix(self.base)], sent)

    def _act(self, address: ResponseUrl, sent: Json) -> None:
        target = address.target if self._is_there(address.target) else None
        # Messages with buttons are replaced unless the answer says otherwise; say it always.
        replaces = _is_true(sent.get("replace_original", address.command is None))
        if target and replaces and "thread_ts" not in sent:
            self._posting.replace(target, sent)
            return
        posted = self._posted(address, sent)
        if address.command is not None and self.commands_replace_their_reply:
            address.target = posted

    def _posted(self, address: ResponseUrl, sent: Json) -> Message:
        is_public = sent.get("response_type") == "in_channel"
        message = self._posting.add(
            self._workspace.channels[address.channel_id],
            sent,
            seen_by=None if is_public else address.member_id,
            command=address.command if is_public else None,
            typed_by=address.member_id if is_public else None,
        )
        message.is_reply = True
        return message

    def _is_there(self, message: Message | None) -> bool:
        if message is None:
            return False
        return message in self._workspace.channels[message.channel_id].messages


def _is_true(value: object) -> bool:
    # Slack's own samples send the words as strings.
    return value in (True, "true")
