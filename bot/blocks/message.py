"""A message of the bot: its text and its blocks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bot.blocks.command_names import renamed

Block = dict[str, Any]
# Slack advises at most 4000: https://docs.slack.dev/reference/methods/chat.postMessage
MAX_TEXT_CHARS = 3900
SHARE = "share"
"""The beginning of the action id of a button that shows something to the whole channel."""
SHARE_IN_THREAD = "Share in thread"
EMPTY_CELL = "–"
MAX_PARAGRAPH_CHARS = 1_500


@dataclass(frozen=True, slots=True)
class Message:
    """A message: `text`, for notifications and screen readers, says all that matters."""

    text: str
    blocks: tuple[Block, ...] = ()

    def as_args(self) -> dict[str, Any]:
        text: str = renamed(self.text)
        if len(text) > MAX_TEXT_CHARS:
            text = f"{text[: MAX_TEXT_CHARS - 1]}…"
        return {"text": text, "blocks": renamed(list(self.blocks))}

    def fallback(self) -> "Message | None":
        """Return the message without blocks of 2026 if Slack refuses them; `None` without any."""
        plain = tuple(part for block in self.blocks for part in unfolded(block))
        return None if plain == self.blocks else Message(self.text, plain)

    def with_shares(self, thread_ts: str | None) -> "Message":
        """Return the message with buttons that share it into a thread, `None`: without them."""
        blocks: list[Block] = []
        for block in self.blocks:
            if block["type"] == "actions":
                changed = (_share_button(each, thread_ts) for each in block["elements"])
                block = {**block, "elements": [each for each in changed if each]}
            if block.get("elements") != []:
                blocks.append(block)
        return Message(self.text, tuple(blocks))


def _share_button(element: Block, thread_ts: str | None) -> Block | None:
    """Return a share button for a thread, `None` without one; any other element as it is."""
    action_id = str(element.get("action_id", ""))
    if not action_id.startswith(f"{SHARE}."):
        return element
    if thread_ts is None:
        return None
    label = {**element["text"], "text": SHARE_IN_THREAD}
    return {**element, "text": label, "action_id": f"{action_id}.{thread_ts}"}


def unfolded(block: Block) -> list[Block]:
    """Return a block of 2026 as paragraphs that every client knows, any other block as it is."""
    match block["type"]:
        case "container":
            titles = [block[name]["text"] for name in ("title", "subtitle") if name in block]
            # An empty one holds its subtitle only.
            children = block["child_blocks"]
            more = [each for each in children if each.get("text", {}).get("text") != titles[-1]]
            return [*_paragraphs(["  ·  ".join(titles)]), *more]
        case "data_table":
            return _paragraphs([block["caption"], *table_lines(block)])
        case "data_visualization":
            first, *_scale = block["chart"]["series"]
            return _paragraphs([block["title"], _series_line(first)])
    return [block]


def table_lines(table: Block) -> Iterator[str]:
    """Yield each row as `shop.example  ·  Health 41  ·  🔴 poor`, without empty cells."""
    titles, *rows = table["rows"]
    for row in rows:
        cells = [
            f"{title['text']} {text}" if cell["type"] == "raw_number" else text
            for title, cell in zip(titles, row, strict=True)
            if (text := cell_text(cell)) != EMPTY_CELL
        ]
        yield "  ·  ".join(cells)


def cell_text(cell: Block) -> str:
    if cell["type"] == "rich_text":
        cell = cell["elements"][0]["elements"][0]
    return str(cell["text"])


def _series_line(series: Block) -> str:
    points = (f"{point['label']} {point['value']:g}" for point in series["data"])
    return f"{series['name']}: {', '.join(points)}"


def _paragraphs(lines: Iterable[str]) -> list[Block]:
    texts = ({"type": "plain_text", "text": each, "emoji": True} for each in grouped(lines))
    return [{"type": "section", "text": text, "expand": True} for text in texts]


def grouped(lines: Iterable[str]) -> list[str]:
    texts: list[str] = []
    for line in lines:
        if texts and len(texts[-1]) + len(line) < MAX_PARAGRAPH_CHARS:
            texts[-1] += f"\n{line}"
        else:
            texts.append(line)
    return texts


def thread_of(action_id: str) -> str | None:
    """Return the thread into which a button shares; `None` for any other button."""
    shares, _, rest = action_id.partition(".")
    _, _, thread_ts = rest.partition(".")
    return thread_ts or None if shares == SHARE else None
