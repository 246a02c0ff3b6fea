from pathlib import Path

from bot.playground.page.drawing.blocks import draw_blocks, draw_text
from bot.playground.page.drawing.mrkdwn import mrkdwn_html

# The look of everything drawn, light and dark.
_SHEETS = ("colors.css", "text.css", "blocks.css", "fields.css")
STYLE = "\n".join(Path(__file__).with_name(name).read_text("utf-8") for name in _SHEETS)

__all__ = ["STYLE", "draw_blocks", "draw_text", "mrkdwn_html"]
