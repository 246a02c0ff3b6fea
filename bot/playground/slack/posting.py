"""Putting messages into channels, changing and removing them."""

import copy
import json
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

    `seconds_between_posts` plays Slack's limit of about one message per second and channel;
    0 switches it off.
    """

    def __init__(self, workspace: Workspace, checks: Checks) -> None:
        self._workspace = workspace
        self._checks = checks
        self._last_post_at: dict[str, float] = {}
        self.seconds_between_posts = 0.0

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
        now = self._workspace.clock()
        wait_s = (
            self._last_post_at.get(channel.id, float("-inf")) + self.seconds_between_posts - now
        )
        if self.seconds_between_posts and wait_s > 0:
            raise too_fast(wait_s)
        self._last_post_at[channel.id] = now

    def _content(self, sent: Json) -> Json:
        self._checks.message(sent)
        content = {key: copy.deepcopy(sent[key]) for key in _CONTENT_KEYS if key in sent}
        content["text"] = str(sent.get("text") or "")[:MAX_POST_CHARS]
        blocks = sent.get("blocks") or []
        if isinstance(blocks, str):  # Slack takes JSON in JSON
            blocks = json.loads(blocks)
        content["blocks"] = elements.with_ids(blocks, lambda: self._workspace.new_id("b"))
        return content
