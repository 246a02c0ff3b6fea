"""Putting messages into channels, changing and removing them."""

import copy
import json
import math
import time
from collections.abc import Callable
from typing import Any

from bot.playground.slack import elements
from bot.playground.slack.checks import MAX_POST_CHARS, Checks
from bot.playground.slack.model import SLACKBOT_ID, Channel, Message
from bot.playground.slack.refusals import too_fast
from bot.playground.slack.workspace import Workspace

Json = dict[str, Any]

_CONTENT_KEYS = (
    *("text", "markdown_text", "blocks", "attachments", "thread_ts", "metadata"),
    *("unfurl_links", "unfurl_media", "parse", "link_names"),
)


class Posting:
    """The only place that changes what is said in a channel.

    Slack takes about one post of an app per second and channel, and "short bursts" of more:
    https://docs.slack.dev/apis/web-api/rate-limits. After `burst` posts in one go it is one for
    each `seconds_between_posts`; 0 switches the limit off. Seconds are real ones, by `monotonic`:
    whoever moves the playground's clock gains nothing.
    """

    def __init__(
        self,
        workspace: Workspace,
        checks: Checks,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workspace = workspace
        self._checks = checks
        self._free_at: dict[str, float] = {}  # by channel: when all that was posted is paid for
        self.monotonic = monotonic
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
    ) -> Message:
        """Post as the bot, or as `user`, and return the message. Raises: Refusal."""
        content = self._content(sent)
        message = Message(
            ts=self._workspace.new_ts(),
            channel_id=channel.id,
            user=user or self._workspace.bot_user_id,
            content=content,
            seen_by=seen_by,
            command=command,
            typed_by=typed_by,
        )
        channel.messages.append(message)
        self._workspace.bell.ring()
        return message

    def tell(self, channel: Channel, member_id: str, text: str) -> Message:
        """Let Slackbot say something that only one person sees."""
        return self.add(channel, {"text": text}, user=SLACKBOT_ID, seen_by=member_id)

    def replace(self, message: Message, sent: Json) -> None:
        """Give a message new content; its place, thread and readers stay. Raises: Refusal."""
        content = self._content(sent)
        thread_ts = message.thread_ts
        message.typed = elements.surviving(message.typed, message.blocks, content["blocks"])
        message.content = {**content, "thread_ts": thread_ts}
        message.revision += 1
        self._workspace.bell.ring()

    def remove(self, message: Message) -> None:
        """Take a message away."""
        channel = self._workspace.channels[message.channel_id]
        if message in channel.messages:
            channel.messages.remove(message)
        self._workspace.bell.ring()

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

    def _content(self, sent: Json) -> Json:
        self._checks.message(sent)
        content = {key: copy.deepcopy(sent[key]) for key in _CONTENT_KEYS if key in sent}
        content["text"] = str(sent.get("text") or "")[:MAX_POST_CHARS]
        blocks = sent.get("blocks") or []
        if isinstance(blocks, str):  # Slack takes JSON in JSON
            blocks = json.loads(blocks)
        content["blocks"] = elements.with_ids(blocks, lambda: self._workspace.new_id("b"))
        return content
