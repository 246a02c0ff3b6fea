"""A message of the bot: its text and its blocks."""

import zlib
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

Block = dict[str, Any]
# Slack advises at most 4000: https://docs.slack.dev/reference/methods/chat.postMessage
MAX_TEXT_CHARS = 3900
SHARE = "share"
"""The beginning of what a button is called that shows something to the whole channel."""
SHARE_IN_THREAD = "Share in thread"


Blocks = tuple[Block, ...]
_Parts: TypeAlias = tuple[str, Blocks, Blocks | None]


class Message:
    """A message: `text` alone must say everything that matters, numbers included.

    It is what notifications and screen readers get. `plain` is the fallback of `blocks` that is
    sent when Slack refuses them; it holds no block of 2026. `None`: `blocks` are plain already.
    """

    __slots__ = ("_parts",)

    def __init__(self, text: str, blocks: Blocks = (), plain: Blocks | None = None) -> None:
        self._parts: _Parts | bytes = text, blocks, plain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and self._unpacked() == other._unpacked()

    def __repr__(self) -> str:
        return f"Message{self._unpacked()!r}"

    @property
    def text(self) -> str:
        return self._unpacked()[0]

    @property
    def blocks(self) -> Blocks:
        return self._unpacked()[1]

    @property
    def plain(self) -> Blocks | None:
        return self._unpacked()[2]

    def pack(self) -> None:
        """Keep the message in little memory from now on: a table in 2 kB, not 40."""
        if not isinstance(self._parts, bytes):
            self._parts = zlib.compress(msgspec.json.encode(self._parts), 1)

    def _unpacked(self) -> _Parts:
        parts = self._parts
        if isinstance(parts, bytes):
            unpacked: _Parts = msgspec.json.decode(zlib.decompress(parts), type=_Parts)
            return unpacked
        return parts

    def as_args(self) -> dict[str, Any]:
        text, blocks, _ = self._unpacked()
        if len(text) > MAX_TEXT_CHARS:
            text = f"{text[: MAX_TEXT_CHARS - 1]}…"
        return {"text": text, "blocks": list(blocks)}

    def fallback(self) -> "Message | None":
        """Return the plain message to try when this one is refused, or `None` when it is plain."""
        text, _, plain = self._unpacked()
        return None if plain is None else Message(text, plain)

    def for_one(self) -> "Message":
        """Return the message for a private place: with nothing to share."""
        return self._with_shares(lambda _button: None)

    def for_thread(self, thread_ts: str) -> "Message":
        """Return the message with buttons that share it into a thread."""

        def into_thread(button: Block) -> Block:
            label = {**button["text"], "text": SHARE_IN_THREAD}
            return {**button, "text": label, "action_id": f"{button['action_id']}.{thread_ts}"}

        return self._with_shares(into_thread)

    @property
    def is_shareable(self) -> bool:
        return self.for_one() != self

    def _with_shares(self, change: Callable[[Block], Block | None]) -> "Message":
        plain = None if self.plain is None else _with_shares(self.plain, change)
        return Message(self.text, _with_shares(self.blocks, change), plain)


def thread_of(action_id: str) -> str | None:
    """Return the thread into which a button shares; `None` for any other button."""
    shares, _, rest = action_id.partition(".")
    _, _, thread_ts = rest.partition(".")
    return thread_ts or None if shares == SHARE else None


def _with_shares(
    blocks: tuple[Block, ...], change: Callable[[Block], Block | None]
) -> tuple[Block, ...]:
    left: list[Block] = []
    for block in blocks:
        if block["type"] != "actions":
            left.append(block)
            continue
        changed = (change(each) if _shares(each) else each for each in block["elements"])
        if elements := [each for each in changed if each]:
            left.append({**block, "elements": elements})
    return tuple(left)


def _shares(element: Block) -> bool:
    return str(element.get("action_id", "")).startswith(f"{SHARE}.")
