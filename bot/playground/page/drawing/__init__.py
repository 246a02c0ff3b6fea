from bot.playground.page.drawing.blocks import draw_blocks, draw_problem, draw_text
from bot.playground.page.drawing.context import Actions, Conversation, Names
from bot.playground.page.drawing.mrkdwn import mrkdwn_html
from bot.playground.page.drawing.style import STYLE

__all__ = [
    "STYLE",
    "Actions",
    "Conversation",
    "Names",
    "draw_blocks",
    "draw_problem",
    "draw_text",
    "mrkdwn_html",
]
