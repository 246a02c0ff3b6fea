"""A message of the bot: its text and its blocks."""

from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]
# Slack advises at most 4000: https://docs.slack.dev/reference/methods/chat.postMessage
MAX_TEXT_CHARS = 3900
SHARE = "share"
"""The beginning of what a button is called that shows something to the whole channel."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message: `text` alone must say everything that matters, numbers included.

    It is what notifications and screen readers get. `plain` is the fallback of `blocks` that is
    sent when Slack refuses them; it holds no block of 2026. `None`: `blocks` are plain already.
    """

    text: str
    blocks: tuple[Block, ...] = ()
    plain: tuple[Block, ...] | None = None

    def as_args(self) -> dict[str, Any]:
        """Return the arguments to post this message with."""
        is_long = len(self.text) > MAX_TEXT_CHARS
        text = f"{self.text[: MAX_TEXT_CHARS - 1]}…" if is_long else self.text
        return {"text": text, "blocks": list(self.blocks)}

    def fallback(self) -> "Message | None":
        """Return the plain message to try when this one is refused, or `None` when it is plain."""
        return None if self.plain is None else Message(self.text, self.plain)

    def for_one(self) -> "Message":
        """Return the message for a private place: with nothing to share."""
        plain = None if self.plain is None else _without_sharing(self.plain)
        return Message(self.text, _without_sharing(self.blocks), plain)


def _without_sharing(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    left: list[Block] = []
    for block in blocks:
        if block["type"] != "actions":
            left.append(block)
        elif elements := [each for each in block["elements"] if not _shares(each)]:
            left.append({**block, "elements": elements})
    return tuple(left)


def _shares(element: Block) -> bool:
    return str(element.get("action_id", "")).startswith(f"{SHARE}.")
