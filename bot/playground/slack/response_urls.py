"""Addresses at which a command or a button can be answered: five times, for half an hour."""

import secrets
from dataclasses import dataclass
from typing import Any

from bot.playground.slack.model import Message
from bot.playground.slack.posting import Posting
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.workspace import Workspace

Json = dict[str, Any]

# https://docs.slack.dev/interactivity/handling-user-interaction
MAX_USES = 5
LIFE_S = 30 * 60


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

    Slack describes some of this loosely, so two switches play both readings:
    `commands_replace_their_reply`: False plays the reports that `replace_original` through a
    command's own address posts anew (https://github.com/slackapi/bolt-python/issues/1268,
    https://github.com/slackapi/bolt-js/issues/2287).
    `refusal_status`: the HTTP status of a refused message; the body names the error either way.
    """

    def __init__(self, workspace: Workspace, posting: Posting) -> None:
        self._workspace = workspace
        self._posting = posting
        self._given: dict[str, ResponseUrl] = {}
        self.base = ""
        self.commands_replace_their_reply = True
        self.refusal_status = 400

    def give(
        self,
        member_id: str,
        channel_id: str,
        *,
        command: str | None = None,
        target: Message | None = None,
    ) -> str:
        """Return a new address."""
        kind = "actions" if command is None else "commands"
        path = f"{kind}/{self._workspace.team_id}/{len(self._given) + 1}/{secrets.token_hex(12)}"
        now = self._workspace.clock()
        self._given[path] = ResponseUrl(member_id, channel_id, now, command, target)
        return f"{self.base}{path}"

    def use(self, path: str, sent: Json) -> None:
        """Act on one answer to an address. Raises: Refusal."""
        address = self._given.get(path)
        if address is None or self._workspace.clock() - address.made_at > LIFE_S:
            raise Refusal("expired_url", status=404)
        if address.uses >= MAX_USES:
            raise Refusal("used_url", status=404)
        address.uses += 1
        try:
            self._act(address, sent)
        except Refusal as refusal:
            refusal.status = self.refusal_status
            raise

    def find(self, url: str) -> ResponseUrl | None:
        """Return what an address stands for, used up or not; None if it was never given out."""
        return self._given.get(url.removeprefix(self.base))

    def reply_in_ack(self, url: str, sent: Json) -> None:
        """Show what a command's ack carried; it counts as no use. Raises: Refusal."""
        self._act(self._given[url.removeprefix(self.base)], sent)

    def _act(self, address: ResponseUrl, sent: Json) -> None:
        target = address.target if self._is_there(address.target) else None
        if _is_true(sent.get("delete_original")):
            if target:
                self._posting.remove(target)
            return
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
