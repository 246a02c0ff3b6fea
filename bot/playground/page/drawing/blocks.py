"""Drawing: which block is drawn by what, and what becomes of one that cannot be drawn."""

from collections.abc import Callable, Mapping

from bot.playground.blockkit import Problem
from bot.playground.page.drawing import simple_blocks
from bot.playground.page.drawing.charts import draw_chart
from bot.playground.page.drawing.data_tables import draw_data_table
from bot.playground.page.drawing.groups import draw_card, draw_carousel, draw_container
from bot.playground.page.drawing.inputs import draw_input
from bot.playground.page.drawing.mrkdwn import mrkdwn_html
from bot.playground.page.drawing.parts import box, put
from bot.playground.page.drawing.problems import draw_problem
from bot.playground.page.drawing.sheet import Hands, Json, Names, Sheet
from bot.playground.page.drawing.tables import draw_table

_DRAWN: Mapping[str, Callable[[Sheet, Json], None]] = {
    "section": simple_blocks.draw_section,
    "header": simple_blocks.draw_header,
    "divider": simple_blocks.draw_divider,
    "context": simple_blocks.draw_context,
    "actions": simple_blocks.draw_actions,
    "image": simple_blocks.draw_image,
    "input": draw_input,
    "rich_text": simple_blocks.draw_rich_text,
    "markdown": simple_blocks.draw_markdown,
    "table": draw_table,
    "data_table": draw_data_table,
    "data_visualization": draw_chart,
    "alert": simple_blocks.draw_alert,
    "card": draw_card,
    "video": simple_blocks.draw_video,
}
_NOTHING: Mapping[str, str] = {}
_NOTHING_TYPED: Mapping[tuple[str, str], Json] = {}


def draw_blocks(
    blocks: list[Json],
    *,
    hands: Hands,
    names: Names,
    errors: Mapping[str, str] = _NOTHING,
    values: Mapping[tuple[str, str], Json] = _NOTHING_TYPED,
    channel_id: str | None = None,
    first: int = 0,
) -> None:
    """Draw blocks into NiceGUI's current slot.

    `errors` are shown under the inputs of their `block_id`; `values` are the states of what was
    filled in so far, by `block_id` and `action_id`; `channel_id` is the conversation that menus
    may begin with. A block that is none is drawn as the error that Slack would give; it points
    at the block by its number, counted from `first`.
    """
    sheet = Sheet(hands, names, errors, values, channel_id)
    with box("bk-blocks"):
        for place, block in enumerate(blocks, first):
            _draw_block(sheet, block, f"/blocks/{place}")


def draw_text(text: str, *, names: Names) -> None:
    """Draw a message without blocks into NiceGUI's current slot."""
    with box("bk-blocks"):
        put(mrkdwn_html(text, names=names), "bk-text")


def _draw_block(sheet: Sheet, block: Json, pointer: str) -> None:
    kind = block.get("type")
    with box(f"bk-block bk-kind-{kind}" if kind in _DRAWN else "bk-block") as holder:
        holder.props["data-block-id"] = str(block.get("block_id", ""))
        try:
            _draw(sheet, block, pointer)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            # Whatever is wrong with one block, the others are shown.
            holder.clear()
            draw_problem([_problem(error, pointer)])


def _draw(sheet: Sheet, block: Json, pointer: str) -> None:
    match block.get("type"):
        case "container":
            draw_container(sheet, block, _draw_block, pointer)
        case "carousel":
            draw_carousel(sheet, block, _draw_block, pointer)
        case str(kind) if kind in _DRAWN:
            _DRAWN[kind](sheet, block)
        case kind:
            raise ValueError(f"unsupported type: {kind}")


def _problem(error: Exception, pointer: str) -> Problem:
    match error:
        case ValueError(args=(str(words),)):
            return Problem("invalid_blocks", words, pointer)
        case KeyError(args=(field,)):
            return Problem("invalid_blocks", f"missing required field: {field}", pointer)
    return Problem("invalid_blocks", "must be of the shape of its type", pointer)
